// What collectives do with members/rounds.hpp: the model's counterpart of coll::Round, without the checks of
// calls. The layout is that of coll::CollState.
#pragma once

#include <cstdint>
#include <memory>

#include "members/call_log.hpp"
#include "members/copy_ring.hpp"
#include "members/counted_barrier.hpp"
#include "members/rounds.hpp"
#include "simulated.hpp"

namespace ranklet::model {

// One cache line of a vector; a copy or a reduction of it is one access for each operand.
template <class Sys>
struct alignas(64) Block {
  typename On<Sys>::template data<std::uint64_t> word;
};

template <class Sys>
class Comm {
 public:
  static constexpr std::uint64_t depth = 8;
  static constexpr std::size_t copied_lines = 128;
  using Word = typename On<Sys>::template data<std::uint64_t>;
  struct alignas(64) Cell {
    memmodel::Sequence<Sys> turn;
    Word header;
    Word payload[6];
  };

  explicit Comm(int count) : members(count), of_(std::make_unique<Member[]>(std::size_t(count))) {}

  struct alignas(128) Member {
    members::Rounds<Cell, depth, Sys> rounds;
    alignas(64) members::CallLog<depth - 2, 28, Sys> log;
    struct alignas(64) Own {
      std::uint64_t round = 0;
      std::uint64_t all_done = 0;
    } own;
    members::CopyRing<copied_lines * 64> ring;
    Block<Sys> copies[copied_lines];
  };
  Member& operator[](int i) { return of_[static_cast<std::size_t>(i)]; }

  const int members;
  members::CountedBarrier<depth, Sys> counted;
  struct alignas(64) Told {
    memmodel::Sequence<Sys> phase;
  };
  Told& told(int i) { return told_[static_cast<std::size_t>(i)]; }

 private:
  std::unique_ptr<Member[]> of_;
  std::unique_ptr<Told[]> told_ = std::make_unique<Told[]>(static_cast<std::size_t>(members));
};

// One member's part in one collective.
template <class Sys>
class Round {
 public:
  Round(Comm<Sys>& comm, int me) : comm_(comm), me_(me), mine_(comm[me]), number_(++mine_.own.round)
  {
    mine_.log.note_round(number_, 1);
  }

  int members() const { return comm_.members; }
  std::uint64_t number() const { return number_; }

  void post(std::uint64_t value, int words = 1) { show(value, words, takes_back()); }
  // Where others may wait for stores that follow: data that they read where it is.
  void show(std::uint64_t value, int words, bool takes_back = false)
  {
    auto& cells = mine_.rounds.cells;
    if (!cells.may_fill(number_, mine_.own.all_done)) await_room(number_ - Comm<Sys>::depth);
    auto& cell = cells.mine(number_);
    for (int i = 0; i < words; ++i) cell.payload[i].set(value);
    cell.header.set(7);
    mine_.rounds.publish(number_);
    if (takes_back)
      cells.take_back(number_ + 1, mine_.own.all_done);
    else
      Sys::prefetch_to_write(&cells.of(number_ + 1));
  }
  // Copies so many lines, which line(i) gives, and says where they are.
  template <class Line>
  void post_copy(std::size_t lines, Line&& line)
  {
    mine_.ring.forget(mine_.own.all_done);
    if (const std::uint64_t in_the_way = mine_.ring.in_the_way(lines * 64)) {
      await_room(in_the_way);
      mine_.ring.forget(mine_.own.all_done);
    }
    const std::size_t first = mine_.ring.take(number_, lines * 64) / 64;
    for (std::size_t i = 0; i < lines; ++i) mine_.copies[first + i].word.set(line(i));
    post(first, 2);
    if (!takes_back() || mine_.ring.in_the_way(lines * 64) != 0) return;
    const std::size_t next = mine_.ring.next(lines * 64) / 64;
    for (std::size_t i = 0; i < lines; ++i) mine_.copies[next + i].word.set(0);
  }
  // Of what the member has copied in this round, whose cell was seen.
  std::uint64_t copied(int member, std::size_t i)
  {
    auto& other = comm_[member];
    return other.copies[other.rounds.cells.of(number_).payload[0].get_address() + i].word.get();
  }
  // What the member has posted.
  std::uint64_t await(int member, int words = 1)
  {
    const auto& cells = comm_[member].rounds.cells;
    On<Sys>::await([&] { return cells.hold(number_); });
    const auto& cell = cells.of(number_);
    std::uint64_t sum = cell.header.get() == 7 ? 0 : 1;
    for (int i = 0; i < words; ++i) sum += cell.payload[i].get();
    return sum;
  }
  // What follows reads where the member's cell says, which has been seen.
  void go_to(int member) const { (void)comm_[member].rounds.cells.of(number_).payload[0].get_address(); }
  void reach(int phase) { mine_.rounds.reach(number_, static_cast<std::uint64_t>(phase)); }
  bool takes_back() const { return comm_.members <= 32; }
  void await_phase(int member, int phase)
  {
    On<Sys>::await(
        [&] { return comm_[member].rounds.has_reached(number_, static_cast<std::uint64_t>(phase)); });
  }
  void tell(int phase)
  {
    comm_.told(me_).phase.publish(of_phase(phase));
    mine_.rounds.parking(number_).notify();
  }
  void await_told(int member, int phase)
  {
    On<Sys>::await([&] { return comm_.told(member).phase.value() >= of_phase(phase); });
  }
  void all_have_come() { mine_.own.all_done = number_ - 1; }
  void finish() { mine_.rounds.finish(number_); }
  void await_done(int member)
  {
    On<Sys>::await([&] { return comm_[member].rounds.is_done_with(number_); });
  }
  void await_all_done()
  {
    for (int i = 0; i < comm_.members; ++i)
      if (i != me_) await_done(i);
  }

 private:
  std::uint64_t of_phase(int phase) const
  {
    return number_ * decltype(mine_.rounds)::phases + static_cast<std::uint64_t>(phase);
  }
  void await_room(std::uint64_t round)
  {
    mine_.own.all_done = members::await_room(
        number_, round, comm_.members, me_, [&](int i) -> auto& { return comm_[i].rounds; },
        [](auto&, auto&& done) { On<Sys>::await(done); });
  }

  Comm<Sys>& comm_;
  const int me_;
  typename Comm<Sys>::Member& mine_;
  const std::uint64_t number_;
};

}  // namespace ranklet::model
