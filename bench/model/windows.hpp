// Subjects of the model: synchronisation of windows, as src/rma does it.
#pragma once

#include <memory>

#include "collectives.hpp"
#include "members/announcements.hpp"
#include "members/attendance.hpp"
#include "memmodel/closed_gate.hpp"
#include "memmodel/memmodel.hpp"
#include "round.hpp"

namespace ranklet::model {

// A word of a window, which is no neighbour of what synchronises: a core may fetch lines by pairs.
template <class Sys>
struct alignas(128) Memory {
  typename On<Sys>::template data<std::uint64_t> word;
};

// In MPI_Win_fence all look whether the others have come, or, where they are many, meet in a barrier; what it
// orders is a word that is put to a neighbour's memory and read there.
template <class Sys>
class Fence {
 public:
  explicit Fence(int members)
      : members_(members),
        attendance_(members),
        barrier_(members),
        windows_(std::make_unique<Memory<Sys>[]>(std::size_t(members)))
  {
  }
  static constexpr double per_round = 1;
  void run(int me, int rounds)
  {
    std::uint64_t fences = 0;
    for (int i = 0; i < rounds; ++i) {
      if (i % 2 == 0)
        windows_[std::size_t((me + 1) % members_)].word.set(1);
      else
        (void)windows_[std::size_t(me)].word.get();
      if (members_ > most_flat) {
        barrier_.meet(me, i);
        continue;
      }
      attendance_.come(me, ++fences);
      members::each_from(me, members_, [&](int member) {
        On<Sys>::await([&] { return attendance_.has_come(member, fences); });
      });
    }
  }

 private:
  static constexpr int most_flat = 32;  // as coll::select has it

  const int members_;
  members::Attendance<Sys> attendance_;
  BarrierByGroups<Sys> barrier_;
  std::unique_ptr<Memory<Sys>[]> windows_;
};

// Post, start, complete, wait: rank 0 puts into rank 1's memory, then the other way.
template <class Sys>
class PostStart {
 public:
  explicit PostStart(int /*ranks*/) {}
  static constexpr double per_round = 0.5;
  void run(int me, int rounds)
  {
    if (me > 1) return;
    members::EpochCounts<Sys> counts(epochs_, me);
    counts.meet(1 - me);
    for (int i = 0; i < 2 * rounds; ++i) {
      const int target = i % 2;
      if (me == target) {
        counts.post(1 - me);
        On<Sys>::await([&] { return counts.has_completed(1 - me); });
        (void)windows_[me].word.get();
      } else {
        const std::uint64_t awaited = counts.start(target);
        On<Sys>::await([&] { return counts.has_posted(target, awaited); });
        windows_[target].word.set(1);
        counts.complete(target);
      }
    }
  }

 private:
  members::Epochs<Sys> epochs_{2};
  Memory<Sys> windows_[2];
};

// All take one lock in turn, and change a word that it guards. The time is that of one hand-over.
template <class Sys>
class ExclusiveLock {
 public:
  explicit ExclusiveLock(int ranks) : per_round(1.0 / ranks) {}
  void run(int /*me*/, int rounds)
  {
    for (int i = 0; i < rounds; ++i) {
      const auto ticket = lock_.draw();
      On<Sys>::await([&] { return lock_.has_turn(ticket); });
      guarded_.word.set(guarded_.word.get() + 1);
      lock_.leave(ticket);
      parking_.notify();
    }
  }

 private:
  memmodel::FairLock<Sys> lock_;
  memmodel::Parking<Sys> parking_;
  Memory<Sys> guarded_;

 public:
  const double per_round;
};

// The lock goes to and fro between two, by a flag that says whose turn it is: nobody else wants it.
template <class Sys>
class LockHandover {
 public:
  explicit LockHandover(int /*ranks*/) {}
  static constexpr double per_round = 0.5;
  void run(int me, int rounds)
  {
    if (me > 1) return;
    for (int i = 0; i < rounds; ++i) {
      if (me == 0) turn(me, 2 * std::uint64_t(i) + 1);
      On<Sys>::await(
          [&] { return flags_[1 - me].value.value() == 2 * std::uint64_t(i) + 1 + std::uint64_t(1 - me); });
      if (me == 1) turn(me, 2 * std::uint64_t(i) + 2);
    }
  }

 private:
  void turn(int me, std::uint64_t number)
  {
    const auto ticket = lock_.draw();
    On<Sys>::await([&] { return lock_.has_turn(ticket); });
    guarded_.word.set(guarded_.word.get() + 1);
    lock_.leave(ticket);
    parking_.notify();
    flags_[me].value.publish(number);
  }

  struct alignas(128) Flag {
    memmodel::Sequence<Sys> value;
  };
  memmodel::FairLock<Sys> lock_;
  memmodel::Parking<Sys> parking_;
  Memory<Sys> guarded_;
  Flag flags_[2];
};

// All lock shared at once; the time is that of one lock and unlock.
template <class Sys>
class SharedLock {
 public:
  explicit SharedLock(int ranks) : per_round(1.0 / ranks) {}
  void run(int /*me*/, int rounds)
  {
    for (int i = 0; i < rounds; ++i) {
      if (!lock_.try_lock_shared()) {
        const auto ticket = lock_.draw_shared();
        On<Sys>::await([&] { return lock_.has_shared_turn(ticket); });
      }
      lock_.leave_shared();
      parking_.notify();
    }
  }

 private:
  memmodel::FairLock<Sys> lock_;
  memmodel::Parking<Sys> parking_;

 public:
  const double per_round;
};

// All add to one element, as passers of its gate.
template <class Sys>
class GatedUpdates {
 public:
  explicit GatedUpdates(int ranks)
      : passers_(std::make_unique<Passer[]>(std::size_t(ranks))), per_round(1.0 / ranks)
  {
  }
  void run(int me, int rounds)
  {
    for (int i = 0; i < rounds; ++i)
      memmodel::pass(gate_, lock_, passers_[std::size_t(me)].passer, false, [&] { element_.take(); });
  }

 private:
  struct alignas(128) Passer {
    typename memmodel::Gate<Sys>::Passer passer;
  };
  memmodel::Gate<Sys> gate_;
  alignas(128) memmodel::SpinLock<Sys> lock_;
  alignas(128) memmodel::Counter<Sys> element_;
  std::unique_ptr<Passer[]> passers_;

 public:
  const double per_round;
};

}  // namespace ranklet::model
