// Where the members of a communicator meet in nonblocking collectives.
//
// An Operation is one collective that all members start, each when it likes. Every member has a slot in it,
// where it shows its buffers and how far it has come. Members are numbered as on the communicator's board.
//
// Thread safety: any member's threads. Invariants:
//  1. Those of members/helping.hpp, whose `work` is the schedule. `come` publishes `shown` and `data`, which
//  then
//     do not change.
//  2. An operation lives until all members have left it; its slots may be looked at by a member until it
//     leaves.
#pragma once

#include <cstdint>
#include <memory>

#include "coll/buffers.hpp"
#include "coll/call_signature.hpp"
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
  const void* site;      // return address of the call that has made it
  std::uint64_t rounds;  // blocking collectives before it
  Part part;
  Blocks blocks;
  const void* operands;
  void* result;
  Count bytes;  // of the operands
  const comm::Topology* topology;
};

struct alignas(128) Slot : members::Slot<Schedule> {
  static constexpr Count capacity = 64;

  bool gave_up = false;  // constant once the stage is done: what it shows is worth nothing
  ShownOperands shown;
  // Small data that is shown here need not be waited for by its owner.
  alignas(16) unsigned char data[capacity];

  bool has_reached(Stage wanted) const noexcept
  {
    return stage.value() >= static_cast<std::uint64_t>(wanted);
  }
};

class Operation {
 public:
  explicit Operation(int members) : slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(members))) {}

  Slot& slot(int member) noexcept { return slots_[member]; }

 private:
  friend class Operations;

  std::unique_ptr<Slot[]> slots_;
  std::uint64_t number_ = 0;
  std::uint64_t start_ = 0;
  int left_ = 0;
  Operation* next_ = nullptr;  // in a list of Operations
};

// A communicator's operations, found by their number until all members have left them.
class Operations {
 public:
  explicit Operations(int members) : members_(members) {}
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;
  ~Operations();

  // The operation of the members' `start`-th start of their `number`-th nonblocking collective. To be called
  // once by each member.
  Operation& meet(std::uint64_t number, std::uint64_t start);
  // The caller does not look at the operation any more.
  void leave(Operation& operation) noexcept;

 private:
  static constexpr int spares = 64;

  // A bucket's list; how many buckets is a power of two.
  Operation*& bucket(std::uint64_t number) noexcept RANKLET_REQUIRES(lock_)
  {
    return open_[number & (open_.size() - 1)];
  }
  void double_buckets() RANKLET_REQUIRES(lock_);

  const int members_;
  memmodel::SpinLock<> lock_;                               // also of the private part of Operation
  std::vector<Operation*> open_ RANKLET_GUARDED_BY(lock_);  // that not all members have left
  std::size_t open_count_ RANKLET_GUARDED_BY(lock_) =
      0;  // at most as many as buckets, so that a list is short
  Operation* spare_ RANKLET_GUARDED_BY(lock_) = nullptr;  // which all have left
  int spare_count_ RANKLET_GUARDED_BY(lock_) = 0;
};

}  // namespace ranklet::coll
