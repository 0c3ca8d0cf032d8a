// Where the members of a communicator meet in nonblocking collectives.
//
// An Operation is one collective that all members start, each when it likes. Every member has a slot in it,
// where it shows its buffers and how far it has come. Members are numbered as on the communicator's board.
//
// Thread safety: any member's threads. Invariants, beside those of members/batches.hpp:
//  1. Those of members/helping.hpp, whose `work` is the schedule. `come` publishes `shown` and `data`, which
//     then do not change.
//  2. A member's steps touch another's buffers only while the token is held, or is_busy is set, since before
//     they have seen that the other has not given up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/growing_memory.hpp"
#include "coll/buffers.hpp"
#include "coll/call_signature.hpp"
#include "coll/packed_blocks.hpp"
#include "members/batches.hpp"
#include "members/helping.hpp"
#include "members/roll_call.hpp"

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
  gave_up,  // nor may they touch its own, or take what it shows for anything
};

// Where what a member gives is.
enum class Where : std::uint8_t {
  own_buffers,
  slot,  // a copy, in the slot
  copy,  // and beside it
};

// What a member shows of its call.
struct ShownCall {
  static constexpr std::uint16_t apart = 0xffff;

  CallSignature signature;
  Where where = Where::own_buffers;
  std::uint16_t block = apart;  // copied: of equal blocks, which have no table
  std::uint64_t rounds = 0;     // blocking collectives before it
  Count bytes = 0;              // of the operands, or of a copy of anything else
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

// What one member makes for all is kept here, from use to use.
class MadeForAll {
 public:
  // Errors: std::bad_alloc.
  unsigned char* make_room(Count bytes)
  {
    return bytes > most ? more_.make_room(static_cast<std::size_t>(bytes)) : few_;
  }
  // Of so many bytes.
  const unsigned char* get(Count bytes) const noexcept { return bytes > most ? more_.get() : few_; }

 private:
  static constexpr Count most = 96;

  GrowingMemory more_;
  alignas(16) unsigned char few_[most];
};

// Its first cache line is all that others need of a call that gives up to 32 bytes. Its member need not wait
// for those who read copies.
struct alignas(128) Slot {
  static constexpr Count capacity = 96;

  memmodel::Sequence<> stage;
  ShownCall call;
  alignas(16) unsigned char data[capacity];  // a copy, or where it is
  ShownOperands shown;
  Schedule* work = nullptr;
  memmodel::Latest<bool> is_busy;  // of a member without `work`: as the token of the others
  memmodel::Token<> token;
  memmodel::Parking<> sleepers;  // who wait for one of its stages
  GrowingMemory copy;

  // For the member, before it has come: room for a copy; spare: where there is more if its own is too small.
  unsigned char* room_for_copy(Count bytes, GrowingMemory& spare) noexcept
  {
    call.where = bytes <= capacity ? Where::slot : Where::copy;
    if (call.where == Where::slot) return data;
    if (copy.bytes() < static_cast<std::size_t>(bytes)) copy.swap(spare);
    unsigned char* const place = copy.get();
    std::memcpy(data, &place, sizeof place);
    return place;
  }
  // For the member, while the slot is not in use: the lines of its copy, which readers of the last one still
  // have, are the member's again, by stores (members/cells.hpp, take_back).
  void take_back_copy() noexcept
  {
    if (call.where != Where::copy) return;
    for (Count i = 0; i < call.bytes; i += 64) copy.get()[i] = 0;
  }
  const unsigned char* copied() const noexcept
  {
    if (call.where == Where::slot) return data;
    const unsigned char* place;
    std::memcpy(&place, data, sizeof place);
    return place;
  }
  Part part() const
  {
    if (call.where == Where::own_buffers) return shown.part;
    return {copied(), call.bytes, &predefined(Basic::byte)};
  }
  // Of n.
  Part block(int i, int n) const
  {
    if (call.where == Where::own_buffers) return shown.blocks[i];
    if (call.block == ShownCall::apart) return packed_block(copied(), call.bytes, n, i);
    return {copied() + Count{call.block} * i, call.block, &predefined(Basic::byte)};
  }
  const void* operands() const noexcept
  {
    return call.where == Where::own_buffers ? shown.operands : copied();
  }
};
static_assert(offsetof(Slot, data) == 32 && sizeof(Slot) == 384);

// What the last one of many members to come has found, and computed, for all.
class Findings {
 public:
  bool agree = false;  // all have made the same call, with the same amount

  // Errors: std::bad_alloc.
  unsigned char* make_room(Count bytes) { return made_.make_room(bytes); }
  // It is there.
  void set_result(Count bytes) noexcept { bytes_ = bytes; }
  // What has been made; null unless it is so many bytes.
  const unsigned char* result(Count bytes) const noexcept
  {
    return bytes == bytes_ ? made_.get(bytes) : nullptr;
  }
  void restart() noexcept
  {
    agree = false;
    bytes_ = none;
  }

 private:
  static constexpr Count none = -1;

  Count bytes_ = none;
  MadeForAll made_;
};
using RollCall = members::RollCall<Findings>;

// A communicator's operations. They are numbered as its nonblocking collectives, and the starts of a
// persistent one are a series of their own, which has that number.
constexpr std::uint64_t stages = 5;
using Operations = members::Batches<Slot, RollCall, stages>;
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
