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

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "coll/buffers.hpp"
#include "coll/coll_state.hpp"
#include "ranks/wait.hpp"

namespace ranklet::coll {

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

  // Shows the others a copy of `args`, or fill(payload) of `length` bytes, at most Cell::capacity or, in
  // post_copy(), select::longest_copy(). At most one post per round.
  template <class Args>
  void post(const Args& args, Found found = Found::nothing)
  {
    static_assert(sizeof(Args) <= Cell::capacity && std::is_trivially_copyable_v<Args>);
    Cell& cell = open();
    new (cell.payload) Args(args);
    publish(cell, Mode::by_reference, static_cast<Count>(found));
  }
  template <class Fill>
  void post_data(Count length, Fill&& fill, Mode mode = Mode::data)
  {
    Cell& cell = open();
    fill(cell.payload);
    publish(cell, mode, length);
  }
  template <class Fill>
  void post_copy(Count length, Fill&& fill, Mode mode = Mode::data)
  {
    post_copy(Copied{nullptr, length}, fill, mode);
  }
  // Of blocks, as `shape` says.
  template <class Fill>
  void post_copy(Copied shape, Fill&& fill, Mode mode = Mode::data)
  {
    Cell& cell = open();
    const std::size_t bytes = static_cast<std::size_t>(shape.length);
    // A member without edges has none, but a topology to show.
    unsigned char* const copy = room_for_copy(std::max<std::size_t>(bytes, 1));
    fill(copy);
    pass_on(copy, bytes);
    shape.bytes = copy;
    new (cell.payload) Copied(shape);
    publish(cell, mode, Cell::copied);
    take_back_room(bytes);
  }

  // A copy of up to CollState::longest_swapped bytes, if can_copy_long(): there is memory for it.
  template <class Fill>
  void post_long_copy(Count length, Fill&& fill)
  {
    Cell& cell = open();
    unsigned char* const copy = room_for_long_copy();
    fill(copy);
    new (cell.payload) Copied{.bytes = copy, .length = length};
    publish(cell, Mode::data, Cell::copied);
    take_back_long_room(length);
  }
  // What one of two members gives (select::swaps()) who both give so, and read all of what the other gives
  // before they finish(). If can_swap().
  template <class Fill>
  void post_swapped(Count length, Fill&& fill, Found found = Found::nothing)
  {
    Cell& cell = open();
    unsigned char* const bytes = state_.swapped().mine(me_).bytes;
    swaps_ = true;
    fill(bytes);
    pass_on(bytes, static_cast<std::size_t>(length));
    new (cell.payload) Copied{.bytes = bytes, .length = length, .is_swapped = true, .found = found};
    publish(cell, Mode::data, Cell::copied);
  }

  bool can_copy_long() noexcept
  {
    return has_memory([&] { long_copies(); });
  }
  bool can_swap() noexcept
  {
    return has_memory([&] { state_.swapped().mine(me_); });
  }

  // For members in other collectives, by mistake, who may wait for our cell.
  void post_nothing() { publish(open(), Mode::data, 0); }

  // What a member has posted; waits for it. Errors: other, root, op, if it is in another collective or has
  // failed.
  [[gnu::always_inline]] const Cell& await(int member)
  {
    const Cell* const seen = &cell_of(member);
    const Cell& cell = seen->turn.value() == number_ ? *seen : wait_for_cell(member);
    if ((cell.header.word & Header::calls) != header_) [[unlikely]]
      compare(member, cell);
    return cell;
  }
  // The same of one that need not have come yet: null if it has not, or is in another collective.
  const Cell* find(int member) const noexcept
  {
    const Cell& cell = cell_of(member);
    return cell.turn.value() == number_ && (cell.header.word & Header::calls) == header_ ? &cell : nullptr;
  }
  // Errors also: truncate, if the member has posted data.
  template <class Args>
  const Args& args(int member)
  {
    const Cell& cell = await(member);
    if (cell.mode() != Mode::by_reference) [[unlikely]]
      reject_kind(member, cell);
    return *std::launder(reinterpret_cast<const Args*>(cell.payload));
  }

  // For one that may be behind a member whose cells it takes one after the other: where this round's cell is
  // there already, the next one's is asked for.
  void look_ahead(int member) const noexcept
  {
    if (cell_of(member).turn.value() == number_)
      memmodel::Native::prefetch_to_read(
          &members::cell_of(state_.members_[member].rounds, more_of(member), number_ + 1));
  }

  // Announces that the member's step `phase`, counted from 1, is complete. Errors of await_phase: other, if
  // the member has failed before, or leaves without it, as it is in another collective.
  void reach(int phase);
  void await_phase(int member, int phase);
  // The same of a hint, which need not come: false, if the member has left without it.
  bool hear_phase(int member, int phase);
  // As reach(), behind all phases: what the member has found of the data that it reads; and what a member has
  // said, once it has been seen to be past that.
  void say_found(Found found);
  Found found_by(int member) const noexcept;
  // Of what the member gives alone; and of what both of two members give in one call.
  Newness& newness() { return large().newness; }
  MutualNewness& mutual_newness() { return large().mutual; }
  // As reach() and await_phase(), for members of other groups (CollState::Told).
  void tell(int phase);
  void await_told(int member, int phase);

  // To be called when the member has seen all others' cells of this round, or knows that they have posted.
  void all_have_come() noexcept { own().all_done = number_ - 1; }

  // Where many share cores (members/counted_barrier.hpp): true for the last member to come, who calls
  // let_go(); the others return when it has. Errors as for wait_for().
  bool comes_last();
  void let_go() { state_.barrier.open(number_); }
  // Waits there for all.
  void meet()
  {
    if (comes_last()) let_go();
  }
  // The last member to come does make(room for so many bytes), for all, who are given what it has made.
  // look() looks at all cells first, and throws what is wrong with them: where nothing is made the others
  // find that, too. So it returns in all members, or throws in all.
  template <class Look, class Make>
  const unsigned char* made_by_last(Count bytes, Look&& look, Make&& make)
  {
    CollState::ByLast& for_all = state_.by_last;
    if (comes_last()) {
      try {
        look();
        make(for_all.made.make_room(bytes));
        for_all.round = number_;
      } catch (...) {
        let_go();
        throw;
      }
      let_go();
    } else if (for_all.round != number_) {
      look();
      fail(ErrorClass::other, "the member that makes the result for all has failed");
    }
    return for_all.made.get(bytes);
  }

  // The normal end. After it the member touches no buffers of others.
  void finish();
  // Waits until that member, or every other one, has finished. Errors as for await(): when all have.
  void await_done(int member);
  void await_all_done();
  // Makes the waits await(0) ... await(n - 1) for members that may be using our buffers: all of them,
  // whatever some throw. Throws the first error then.
  template <class Await>
  static void await_each(int n, Await&& await)
  {
    std::exception_ptr failure;
    for (int i = 0; i < n; ++i) {
      try {
        await(i);
      } catch (const Error&) {
        if (!failure) failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

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
    int seen = 0;
    memmodel::Counter<> sleeps;
    int astray = anybody;
    wait_until(
        self_, spot,
        [&] {
          if (done()) return true;
          ++looks;
          if (astray == anybody && is_many(member) && is_rare(looks, sleeps.value()))
            astray = find_astray_of_many(seen);
          else if (astray == anybody && !is_many(member) && (looks & 63) == 0)
            astray = find_astray(member);
          if (astray == anybody) return false;
          // It may have come and gone on between the two looks.
          if (!done()) reject_astray(astray);
          return true;
        },
        // Changes nothing: other threads look too. The attempts that follow find the same before long.
        [&] {
          sleeps.add(1);  // it is asked before each of them
          return done() || (!is_many(member) && find_astray(member) != anybody);
        });
  }

 private:
  static constexpr int many = 64;
  // Phases: of a member that has failed, of say_found() and of copy_with(), which members in other
  // collectives, by mistake, do not reach.
  static constexpr std::uint64_t has_failed = decltype(CollState::Member::rounds)::phases - 1;
  static constexpr int has_found = has_failed - 3;  // and how: nothing is not said
  static_assert(has_found + static_cast<int>(Found::fresh) < has_failed);
  static constexpr int helps = has_found - 1;

  CollState::Member& mine() const noexcept { return mine_; }
  CollState::Member::Private& own() const noexcept { return mine_.own; }
  CollState::Large& large() const
  {
    return own().large.get([] { return std::make_unique<CollState::Large>(); });
  }
  // Calls use() with the cells that the member fills.
  template <class Use>
  decltype(auto) with_cells(Use&& use)
  {
    return members::with_cells(mine_.rounds, own().more, use);
  }
  Cell& open()
  {
    invariant([&] { return posted_ == Mode::none; }, "a member posts once in a round");
    const bool has_room = with_cells([&](auto& cells) { return cells.may_fill(number_, own().all_done); });
    if (!has_room) [[unlikely]]
      make_room();
    return with_cells([&](auto& cells) -> Cell& { return cells.mine(number_); });
  }
  void publish(Cell& cell, Mode mode, Count length)
  {
    posted_ = mode;
    cell.header.word =
        header_ | static_cast<std::uint64_t>(mode) << 56 | static_cast<std::uint64_t>(length) << 58;
    with_cells([&](auto& cells) { mine_.rounds.publish(number_, cells); });
    // Before it is needed the next cell's line, which others have read, is ours again. What is read where it
    // is may be followed by stores that others wait for; who runs ahead makes the next one at once.
    if (mode == Mode::data && takes_back_)
      with_cells([&](auto& cells) { cells.take_back(number_ + 1, own().all_done); });
    else
      with_cells([&](auto& cells) { memmodel::Native::prefetch_to_write(&cells.of(number_ + 1)); });
  }
  const CollState::MoreCells* more_of(int member) const noexcept
  {
    const auto* const all = state_.more_cells_.look();
    return all ? all[member].look() : nullptr;
  }
  const Cell& cell_of(int member) const noexcept
  {
    return members::cell_of(state_.members_[member].rounds, more_of(member), number_);
  }
  void make_room();
  void end_swap();
  void await_room(std::uint64_t round);
  CollState::Copies& copies() const
  {
    return own().copies.get([] { return std::make_unique<CollState::Copies>(); });
  }
  unsigned char* room_for_copy(std::size_t bytes);
  CollState::LongCopies& long_copies() const
  {
    return large().copies.get([] { return std::make_unique_for_overwrite<CollState::LongCopies>(); });
  }
  unsigned char* room_for_long_copy();
  void take_back_long_room(Count bytes) noexcept;
  template <class Get>
  static bool has_memory(Get&& get) noexcept
  {
    try {
      get();
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  void take_back_room(std::size_t bytes) noexcept;
  // The lines of a copy, to who reads it. With more of them it takes longer than it saves.
  static void pass_on(const unsigned char* copy, std::size_t bytes) noexcept
  {
    constexpr std::size_t most = 1024;
    if (bytes <= most) memmodel::Native::pass_on(copy, bytes);
  }
  const Cell& wait_for_cell(int member);
  void compare(int member, const Cell& cell);
  CallSignature signature() const noexcept { return Header{header_}.now(); }
  CallSignature called(int member) const noexcept;
  const void* site_of(int member) const noexcept { return state_.site_of_round(member, number_); }
  bool is_astray(int member) const noexcept
  {
    return state_.members_[member].log.is_elsewhere(number_, own().operation, signature().word());
  }
  int find_astray(int member) const noexcept;
  // Among many, a member that waits for all looks only after a long sleep, and then on from the first one
  // that it has not seen come, the seen-th after itself: the waits of all would cost their number squared.
  int find_astray_of_many(int& seen) const noexcept;
  bool is_many(int member) const noexcept { return member == anybody && members_ > many; }
  bool is_rare(int looks, std::int64_t sleeps) const noexcept;
  [[noreturn]] void reject_astray(int member);
  const void* site_before(int member, CallSignature call) const noexcept;
  // Whether the member has done it, or waits until it has or has left.
  template <class HasReached>
  bool hear(int member, HasReached&& has_reached);
  void expect(int member, bool has_reached);
  void await_end_of(int member);
  void await_readers();
  template <class Wait>
  void or_withdraw(Wait&& wait);
  void await_entries();

  CollState& state_;
  Rank& self_;
  const int me_;
  const int members_;
  CollState::Member& mine_;
  std::uint64_t number_;
  std::uint64_t header_;  // of all members that do as we do
  const bool takes_back_;
  Mode posted_ = Mode::none;
  bool finished_ = false;
  bool swaps_ = false;
};

}  // namespace ranklet::coll
