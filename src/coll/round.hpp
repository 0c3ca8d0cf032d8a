// Where the members of a communicator meet in collectives.
//
// Every member has a few cells, a cache line each, which it fills in turn (members/rounds.hpp): round r is
// the r-th blocking collective on the communicator. A cell carries the number of its round and either a
// little data or what the others need to know of the member's buffers.
//
// Thread safety: a Round is used by one thread of its member; different members at once. Invariant, beside
// those of members::Rounds:
//  1. All members run the same rounds in the same order, so the r-th Round of each is the same collective;
//     that this holds is checked where members meet, and by those who wait for long.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "coll/buffers.hpp"
#include "coll/call_signature.hpp"
#include "coll/operation.hpp"
#include "comm/communicator.hpp"
#include "members/call_log.hpp"
#include "members/counted_barrier.hpp"
#include "members/rounds.hpp"
#include "p2p/shared_copy.hpp"
#include "ranks/wait.hpp"

namespace ranklet::coll {

enum class Mode : std::uint8_t {
  none,
  failed,  // the member gave up before it could post
  data,    // payload: `length` bytes of the member's data
  direct,  // payload: where the member's buffers are
};

// What a cell says of the member's call besides the data, as one word that is compared at once.
struct Header {
  static constexpr std::uint64_t calls = (std::uint64_t{1} << 2 * CallSignature::bits) - 1;

  static std::uint64_t of(CallSignature now, CallSignature before)
  {
    return now.word() | std::uint64_t{before.word()} << CallSignature::bits;
  }
  std::uint64_t word;  // the present call, the one before it, 2 bits of mode, 6 of length

  CallSignature now() const { return CallSignature::from(word); }
  CallSignature before() const { return CallSignature::from(word >> CallSignature::bits); }
  Mode mode() const { return static_cast<Mode>(word >> 56 & 3); }
  Count length() const { return static_cast<Count>(word >> 58); }
};

struct alignas(64) Cell {
  static constexpr int capacity = 48;

  memmodel::Sequence<> turn;  // the round that the cell holds; publishes the rest
  Header header;
  alignas(16) unsigned char payload[capacity];

  Mode mode() const { return header.mode(); }
  Count length() const { return header.length(); }
};
static_assert(sizeof(Cell) == 64);

class Lines;

// The coll layer's part of what a communicator's members share.
class CommState {
 public:
  static constexpr std::uint64_t depth = 8;

  explicit CommState(int members);
  ~CommState();

  Operations operations;
  // For select::in_lines(); made at the first call.
  Lines& lines();

  // Before the member's notes of nonblocking collectives: what may fail for want of memory.
  void expect_operations(int member);
  // The member's note that it makes its next nonblocking collective, whose number is returned; and what
  // others see of it: the last number, and the call of that number if it is not too long ago.
  std::uint64_t next_operation(int member, CallSignature call) noexcept;
  std::uint64_t operations_of(int member) const noexcept { return members_[member].log.operations(); }
  // The number of the blocking collective that the member entered last.
  std::uint64_t rounds_of(int member) const noexcept { return members_[member].log.rounds(); }
  // For one that waits for the member to come to the `operation`-th nonblocking collective, before which
  // there were `rounds` blocking ones: what it is seen to call instead, or empty. The caller looks again
  // whether it has come.
  CallSignature astray(int member, std::uint64_t operation, CallSignature expected,
                       std::uint64_t rounds) const noexcept
  {
    return CallSignature::from(members_[member].log.call_instead(operation, rounds, expected.word(),
                                                                 expected.form() == Form::persistent));
  }
  // Where the member has made its `operation`-th nonblocking collective, or the one that astray() has found;
  // null if that is not known any more.
  const void* site_of(int member, std::uint64_t operation) const noexcept;
  const void* site_of(int member, CallSignature last) const noexcept;
  // After an error: that the members' calls have differed is known.
  void forget_last_call(int member) noexcept { members_[member].own.last_call = {}; }

  // Of barriers among many.
  members::CountedBarrier<depth> barrier;

 private:
  friend class Round;
  static constexpr std::uint64_t operation_depth = 16;
  // What few rounds need: those of large data.
  struct Large {
    p2p::SharedCopy copy;      // the member's part of a round in which the root helps to copy
    std::uint64_t helped = 0;  // the last round in which another member used it, and who
    int helper = 0;
    std::vector<std::pair<std::uint64_t, std::shared_ptr<const void>>> loans;  // what is kept for a round
  };
  // A program may have many communicators of many members: what each of them need not have is made when it is
  // first used.
  struct alignas(128) Member {
    members::Rounds<Cell, depth>
        rounds;  // written by the member, read by all; where those sleep who wait for it
    // What the member has called: written by it, read by others only when they wait for long or after large
    // data.
    alignas(64) members::CallLog<depth - 2, CallSignature::bits> log;
    memmodel::Sequence<> sites[depth];  // return addresses of the calls, by round; before it is in the log
    // The member's own, but for the last two: others find them when the member has said that they are there.
    struct alignas(64) Private {
      std::uint64_t round = 0;
      std::uint64_t operation = 0;
      std::uint64_t all_done = 0;  // a round that all members are known to be done with
      CallSignature last_call;     // blocking or not; empty after an error
      memmodel::Lazy<Large> large;
      memmodel::Lazy<memmodel::Sequence<>[]> operation_sites;  // as `sites`, of nonblocking ones, by number
    } own;
  };
  static_assert(sizeof(Member) == 768, "docs/limits.md: memory of a communicator");

  // Where the member has made its call of that round; null if that is not known any more.
  const void* site_of_round(int member, std::uint64_t round) const noexcept;

  const int count_;
  std::unique_ptr<Member[]> members_;
  memmodel::Lazy<Lines> lines_;
};

// One member's part in one collective. Members are numbered as on the communicator's board: by rank, and in
// an intercommunicator those of side 0 before those of side 1.
class Round {
 public:
  // root and op take part in the comparison with the other members' calls only. op null: not compared.
  Round(Communicator& comm, Collective call, int root, const Op* op = nullptr);
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
    Cell& cell = open();
    new (cell.payload) Args(args);
    publish(cell, Mode::direct, 0);
  }
  template <class Fill>
  void post_data(Count length, Fill&& fill)
  {
    Cell& cell = open();
    fill(cell.payload);
    publish(cell, Mode::data, length);
  }

  // For members in other collectives, by mistake, who may wait for our cell.
  void post_nothing()
  {
    post_data(0, [](void*) {});
  }

  // What a member has posted; waits for it. Errors: other, root, op, if it is in another collective or has
  // failed.
  [[gnu::always_inline]] const Cell& await(int member)
  {
    const Cell& cell = state_.members_[member].rounds.cells.of(number_);
    if (cell.turn.value() != number_) wait_for_cell(member, cell);
    if ((cell.header.word & Header::calls) != header_) [[unlikely]]
      compare(member, cell);
    return cell;
  }
  // Errors also: truncate, if the member has posted data.
  template <class Args>
  const Args& args(int member)
  {
    const Cell& cell = await(member);
    if (cell.mode() != Mode::direct) [[unlikely]]
      reject_kind(member, cell);
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
  // Waits until that member, or every other one, has finished. Errors as for await(): when all have.
  void await_done(int member);
  void await_all_done();

  // Keeps something that this member has posted until all others are done with the round.
  void keep(std::shared_ptr<const void> loan);

  // Copies together with a member that calls help_all(). Neither type is empty.
  void copy_with(int helper, const Part& from, const Part& to);
  // Until all others have finished; those that fail need no help.
  void help_all();

  // One of the two has posted data, the other more than fits there. Error: truncate.
  [[noreturn]] void reject_kind(int member, const Cell& cell);
  // The member gives another amount of bytes than this one expects. Error: truncate.
  [[noreturn, gnu::cold, gnu::noinline]] void reject_amount(int member, Count theirs, Count mine);

  static constexpr int anybody = -1;
  // Waits at `spot` until done(), which looks at what the member does in this round. Errors: if the member is
  // seen to be in another collective, blocking or not.
  template <class Done>
  void wait_for(int member, memmodel::Parking<>& spot, Done&& done)
  {
    int looks = 0;
    int astray = anybody;
    wait_until(
        self_, spot,
        [&] {
          if (done()) return true;
          ++looks;
          if (astray == anybody && (is_many(member) ? is_rare(looks) : (looks & 63) == 0))
            astray = find_astray(member);
          if (astray == anybody) return false;
          // It may have come and gone on between the two looks.
          if (!done()) reject_astray(astray);
          return true;
        },
        // Changes nothing: other threads look too. The attempts that follow find the same before long.
        [&] { return done() || (!is_many(member) && find_astray(member) != anybody); });
  }

 private:
  static constexpr int many = 64;
  static constexpr int helps = 1;              // the phase of copy_with()
  static constexpr std::uint64_t phases = 64;  // of a round; the last one means that the member has failed

  CommState::Member& mine() const noexcept { return mine_; }
  CommState::Member::Private& own() const noexcept { return mine_.own; }
  CommState::Large& large() const
  {
    return own().large.get([] { return std::make_unique<CommState::Large>(); });
  }
  Cell& open()
  {
    if (!mine_.rounds.cells.may_fill(number_, own().all_done)) [[unlikely]]
      make_room();
    return mine_.rounds.cells.mine(number_);
  }
  void publish(Cell& cell, Mode mode, Count length)
  {
    posted_ = mode;
    cell.header.word =
        header_ | static_cast<std::uint64_t>(mode) << 56 | static_cast<std::uint64_t>(length) << 58;
    mine_.rounds.publish(number_);
    // Its readers have it in their caches since the last time: ours again before it is needed.
    memmodel::Native::prefetch_to_write(&mine_.rounds.cells.of(number_ + 1));
  }
  void make_room();
  void wait_for_cell(int member, const Cell& cell);
  void compare(int member, const Cell& cell);
  CallSignature signature() const noexcept { return Header{header_}.now(); }
  CallSignature called(int member) const noexcept;
  const void* site_of(int member) const noexcept { return state_.site_of_round(member, number_); }
  bool is_astray(int member) const noexcept
  {
    return state_.members_[member].log.is_elsewhere(number_, own().operation, signature().word());
  }
  int find_astray(int member) const noexcept;
  // Among many, a member that waits for all looks only after a long sleep: the waits of all would cost their
  // number squared.
  bool is_many(int member) const noexcept { return member == anybody && members_ > many; }
  bool is_rare(int attempts) const noexcept;
  [[noreturn]] void reject_astray(int member);
  const void* site_before(int member, CallSignature call) const noexcept;
  void wait_until_done(int member);
  void await_entries();

  CommState& state_;
  Rank& self_;
  const int me_;
  const int members_;
  CommState::Member& mine_;
  std::uint64_t number_;
  std::uint64_t header_;  // of all members that do as we do
  Mode posted_ = Mode::none;
  bool finished_ = false;
};

// The communicator's state, made by whichever member comes first.
CommState& state(Communicator& comm);

}  // namespace ranklet::coll
