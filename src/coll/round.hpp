// Where the members of a communicator meet in collectives.
//
// Every member has a few cells, a cache line each, which it fills in turn: round r, the r-th collective on
// the communicator, uses cell r mod depth. A cell carries the number of its round and either a little data or
// what the others need to know of the member's buffers.
//
// Thread safety: a Round is used by one thread of its member; different members at once. Invariants:
//  1. A member's cell holds round r from its post() in r until the member posts in round r + depth, before
//     which all members have announced that they are done with r.
//  2. done and phase of a member only grow; done >= r means that the member touches no other member's
//     cells and buffers for round r any more.
//  3. All members run the same rounds in the same order, so the r-th Round of each is the same collective.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "coll/call.hpp"
#include "coll/operation.hpp"
#include "comm/communicator.hpp"

namespace ranklet::coll {

enum class Mode : std::uint8_t {
  failed,  // the member gave up before it could post
  data,    // payload: `length` bytes of the member's data
  direct,  // payload: where the member's buffers are
};

struct alignas(64) Cell {
  static constexpr int capacity = 48;

  memmodel::Sequence<> turn;  // the round that the cell holds; publishes the rest
  Call call;
  Mode mode;
  std::uint8_t length;
  std::int32_t root;
  alignas(16) unsigned char payload[capacity];
};
static_assert(sizeof(Cell) == 64);

// The coll layer's part of what a communicator's members share.
class CommState {
 public:
  static constexpr std::uint64_t depth = 8;

  explicit CommState(int members)
      : operations(members), members_(std::make_unique<Member[]>(static_cast<std::size_t>(members)))
  {
  }

  Operations operations;
  // The number of the member's next nonblocking collective.
  std::uint64_t next_operation(int member) noexcept { return ++members_[member].own.operation; }

  // Of barriers among many: how many have come, in all rounds, and the last round that was complete.
  memmodel::Counter<> arrivals;
  memmodel::Sequence<> released;
  memmodel::Parking<> barrier_parking;

 private:
  friend class Round;
  struct Member {
    Cell cells[depth];  // written by the member, read by all
    struct alignas(128) Progress {
      memmodel::Sequence<> phase;  // written by the member, read by all
      memmodel::Sequence<> done;
    } progress;
    memmodel::Parking<> parking;  // those who wait for this member
    struct alignas(128) Private {
      std::uint64_t round = 0;
      std::uint64_t operation = 0;
      std::uint64_t all_done = 0;  // a round that all members are known to be done with
    } own;
  };

  std::unique_ptr<Member[]> members_;
};

// One member's part in one collective. Members are numbered as on the communicator's board: by rank, and in
// an intercommunicator those of side 0 before those of side 1.
class Round {
 public:
  // root takes part in the comparison with the other members' calls only.
  Round(Communicator& comm, Call call, int root);
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;
  // Where finish() was not reached: lets the others go on, and waits until they no longer use our buffers.
  ~Round();

  int me() const noexcept { return me_; }
  int members() const noexcept { return members_; }
  std::uint64_t number() const noexcept { return number_; }

  // Shows the others a copy of `args`, or fill(payload) of `length` <= Cell::capacity bytes. At most one post
  // per round.
  template <class Args>
  void post(const Args& args)
  {
    static_assert(sizeof(Args) <= Cell::capacity && std::is_trivially_copyable_v<Args>);
    Cell& cell = open(Mode::direct, 0);
    new (cell.payload) Args(args);
    publish(cell);
  }
  template <class Fill>
  void post_data(Count length, Fill&& fill)
  {
    Cell& cell = open(Mode::data, static_cast<std::uint8_t>(length));
    fill(cell.payload);
    publish(cell);
  }

  // What a member has posted; waits for it. Errors: other, if it is in another collective or has failed.
  const Cell& await(int member)
  {
    const Cell& cell = state_.members_[member].cells[number_ % CommState::depth];
    if (cell.turn.value() != number_) wait_for_cell(member, cell);
    if (cell.call != call_ || cell.root != root_ || cell.mode == Mode::failed) [[unlikely]]
      reject(member, cell);
    return cell;
  }
  // Errors also: truncate, if the member has posted data.
  template <class Args>
  const Args& args(int member)
  {
    const Cell& cell = await(member);
    if (cell.mode != Mode::direct) [[unlikely]]
      reject_size(member);
    return *std::launder(reinterpret_cast<const Args*>(cell.payload));
  }

  // Announces that the member's step `phase`, counted from 1, is complete. Errors of await_phase: other, if
  // the member has failed before.
  void reach(int phase);
  void await_phase(int member, int phase);

  // To be called when the member has seen all members' cells of this round, or knows that they have posted.
  void all_have_come() noexcept { own().all_done = number_ - 1; }

  // The normal end. After it the member touches no buffers of others.
  void finish();
  // Waits until that member, or every other one, has finished.
  void await_done(int member);
  void await_all_done();

  [[noreturn]] void reject_size(int member);

 private:
  static constexpr std::uint64_t phases = 64;  // of a round; the last one means that the member has failed

  CommState::Member& mine() const noexcept { return state_.members_[me_]; }
  CommState::Member::Private& own() const noexcept { return mine().own; }
  Cell& open(Mode mode, std::uint8_t length);
  void publish(Cell& cell);
  void make_room();
  void wait_for_cell(int member, const Cell& cell);
  [[noreturn]] void reject(int member, const Cell& cell);

  CommState& state_;
  Rank& self_;
  const int me_;
  const int members_;
  const Call call_;
  const std::int32_t root_;
  std::uint64_t number_;
  Mode posted_ = Mode::failed;  // failed: not yet
  bool finished_ = false;
};

// The communicator's state, made by whichever member comes first.
CommState& state(Communicator& comm);

}  // namespace ranklet::coll
