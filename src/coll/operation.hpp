// Where the members of a communicator meet in nonblocking collectives.
//
// An Operation is one collective that all members start, each when it likes. Every member has a slot in it,
// where it shows its buffers and how far it has come. Members are numbered as on the communicator's board.
//
// Thread safety: any member's threads. Invariants, beside those of members/batches.hpp:
//  1. Those of members/helping.hpp, whose `work` is the schedule. `come` publishes `shown` and `data`, which
//     then do not change.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/buffers.hpp"
#include "coll/call_signature.hpp"
#include "coll/packed_blocks.hpp"
#include "members/batches.hpp"
#include "members/helping.hpp"

namespace ranklet::comm {
struct Topology;
}

namespace ranklet::coll {

class Schedule;

// How far a member has come in an operation.
enum class Stage : std::uint64_t {
  none,
  come,     // it has started, and shows its buffers
  reduced,  // its slice of the result is there
  done,     // it does not touch the buffers of others any more
};

// What a member shows of its call.
struct ShownCall {
  CallSignature signature;
  bool is_small = false;     // what it gives is in the slot
  std::uint64_t rounds = 0;  // blocking collectives before it
  Count bytes = 0;           // of the operands, or of what is in the slot
};

// And of its buffers: which of the fields matter depends on the call.
struct ShownOperands {
  const void* site;  // return address of the call that has made it
  Part part;
  Blocks blocks;
  const void* operands;
  void* result;
  const comm::Topology* topology;
};

// Its first cache line is all that others need of a call that gives up to 32 bytes.
struct alignas(128) Slot {
  // Its owner need not wait for those who read what is in the slot.
  static constexpr Count capacity = 96;

  memmodel::Sequence<> stage;
  ShownCall call;
  alignas(16) unsigned char data[capacity];
  ShownOperands shown;
  bool gave_up = false;  // constant once the stage is done: what it shows is worth nothing
  Schedule* work = nullptr;
  memmodel::Token<> token;

  Part part() const { return call.is_small ? Part(data, call.bytes, &predefined(Basic::byte)) : shown.part; }
  // Of n.
  Part block(int i, int n) const
  {
    return call.is_small ? packed_block(data, call.bytes, n, i) : shown.blocks[i];
  }
  const void* operands() const noexcept { return call.is_small ? data : shown.operands; }
};
static_assert(offsetof(Slot, data) == 32 && sizeof(Slot) == 384);

inline bool fits_slot(const Part& part)
{
  return part.type && part.bytes() <= Slot::capacity;
}
inline bool fits_slot(const Blocks& blocks, int n)
{
  return packed_bytes(blocks, n, Slot::capacity) <= Slot::capacity;
}

// A communicator's operations. They are numbered as its nonblocking collectives, and the starts of a
// persistent one are a series of their own, which has that number.
constexpr std::uint64_t stages = 4;
using Operations = members::Batches<Slot, stages>;
// Meeting less often saves little where an operation of many members takes long, and costs much memory.
constexpr unsigned batch_length(int members)
{
  return members <= 16 ? 8 : 2;
}
using Operation = Operations::Operation;

constexpr std::uint64_t number_of(Stage stage)
{
  return static_cast<std::uint64_t>(stage);
}

}  // namespace ranklet::coll
