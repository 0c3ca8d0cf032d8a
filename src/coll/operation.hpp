// Where the members of a communicator meet in nonblocking collectives.
//
// An Operation is one collective that all members start, each when it likes. Every member has a slot in it,
// where it shows its buffers and how far it has come. Members are numbered as on the communicator's board.
//
// Thread safety: any member's threads. Invariants, beside those of members/batches.hpp:
//  1. Those of members/helping.hpp, whose `work` is the schedule. `come` publishes `shown` and `data`, which
//     then do not change.
#pragma once

#include <cstdint>

#include "coll/buffers.hpp"
#include "coll/call_signature.hpp"
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

// What a member shows of its call. Which of the fields matter depends on the call.
struct ShownOperands {
  CallSignature signature;
  std::uint64_t rounds;  // blocking collectives before it
  const void* site;      // return address of the call that has made it
  Count bytes;           // of the operands
  Part part;
  Blocks blocks;
  const void* operands;
  void* result;
  const comm::Topology* topology;
};

// In the order in which others look at it, so that few cache lines come to them.
struct alignas(128) Slot {
  static constexpr Count capacity = 64;

  memmodel::Sequence<> stage;
  ShownOperands shown;
  bool gave_up = false;  // constant once the stage is done: what it shows is worth nothing
  // Small data that is shown here need not be waited for by its owner.
  alignas(16) unsigned char data[capacity];
  Schedule* work = nullptr;
  memmodel::Token<> token;
};
static_assert(sizeof(Slot) == 384);

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
