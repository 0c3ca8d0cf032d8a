// What each rank knows of what others have done, as vector clocks: so that two accesses can be asked whether
// one comes before the other, however far apart in time they are.
//
// A rank counts its releases. Its clock holds its own count and, of every other rank, up to which count it
// knows what that one has done. All that a rank does before its from() of a token comes before all
// that another one does after its later to() of the same token; so does all that comes before the former.
// Calls that are not understood are ordered as they come in time: more order than there is hides a conflict,
// and makes none.
//
// Invariants:
//  1. A rank's own count is in its clock alone until it releases it, and is a new one right after that: what
//     it does then is known to nobody.
//  2. Clocks only grow. A new rank's holds all that was known before.
//
// Ranks are numbers of a universe. One that serves another rank later goes on as the same.
//
// Thread safety: any threads, under a lock; threads of a rank have one clock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/guarded.hpp"
#include "memmodel/memmodel.hpp"

namespace ranklet::check {

// By rank: up to which count it is known; ranks beyond the end are not.
using Clock = std::vector<std::uint64_t>;

// A point in what a rank does.
struct Moment {
  int rank = -1;  // there is none
  std::uint64_t count = 0;

  bool is_known_by(const Clock& clock) const noexcept
  {
    const auto place = static_cast<std::size_t>(rank);
    return place < clock.size() && clock[place] >= count;
  }
};

// Stands for an order. A detector that knows memory alone takes its address for that: from the heap, whose
// memory it knows to be new.
class Token {
 private:
  friend class Clocks;
  mutable std::unique_ptr<Clock> told_;  // guarded by the clocks' lock; null: nothing yet
};

class Clocks {
 public:
  // Until then no rank knows anything, nor has it done anything that counts.
  void start() noexcept { running_.set(); }
  bool are_running() const noexcept { return running_.is_set(); }

  // A rank begins: what was done until now comes before it.
  void begins(int rank);

  void from(int rank, const Token& token);
  void to(int rank, const Token& token);
  // All that one has done until now comes before all that the other does from now on: by the memory of one of
  // them.
  void order(int one, int other);
  // The same of the rank and all others.
  void order_before_all(int rank);
  void order_after_all(int rank);

  // Members see each other's memory at any time from now on; what each calls comes in the order of time.
  void share(int rank);
  // Such a rank begins or ends a call.
  void meets_sharers(int rank);

  Moment now(int rank);
  Clock clock_of(int rank);
  // What all of them know.
  Clock known_by_all(const std::vector<int>& ranks);

 private:
  Clock& own(int rank) RANKLET_REQUIRES(lock_);
  bool is_sharer(int rank) const RANKLET_REQUIRES(lock_);
  void release(int rank, const Token& token) RANKLET_REQUIRES(lock_);
  void acquire(int rank, const Token& token) RANKLET_REQUIRES(lock_);

  memmodel::Flag<> running_;
  memmodel::Flag<> is_shared_;  // anybody sees others' memory
  Mutex lock_;
  std::vector<Clock> clocks_ RANKLET_GUARDED_BY(lock_);  // by rank; empty: it has not begun
  std::vector<bool> sharers_ RANKLET_GUARDED_BY(lock_);
  Token shared_;  // between those
};

}  // namespace ranklet::check
