// What only the threads of one rank may advance, as it calls functions of the user: reductions with a user's
// operator, conversions. Whatever the rank blocks in serves its list of such operations (wait.hpp), and so
// does a test that finds nothing, so that they go on although nobody waits for them (MPI 5.0 §2.9).
//
// An operation joins the list when it starts and leaves it when it ends. A thread that publishes what an
// operation of another rank may wait for then calls that rank's wake().
//
// Thread safety: the rank's threads; can_advance() and is_ready() are for any thread. Invariants:
//  1. An operation is worked on by one thread at a time, which has claimed it; it leaves the list only by
//     that thread, or when nobody can claim it. What is on the list stays valid while the lock is held.
//  2. No function of the user runs under the lock.
//  3. When something becomes ready while all of the rank's threads that are in MPI sleep, one is woken: a
//     sleeper looks after it has said where it sleeps; a thread that publishes looks there afterwards. So
//     does a thread that gives up an operation, as the user's function has thrown.
#pragma once

#include <cstdint>

#include "memmodel/memmodel.hpp"

namespace ranklet {

class OwnerOperation {
 public:
  virtual ~OwnerOperation() = default;
  // Whether work() can do something: a cheap look without side effects. Of an operation on the list, under
  // its lock.
  virtual bool can_advance() const noexcept = 0;

 private:
  template <class Sys>
  friend class ProgressList;
  // Does what can be done now, on a thread of the owner. False if the operation has left the list, as it has
  // ended; it may be gone then. May throw as long as it is on the list: what the user's function has thrown.
  virtual bool work() = 0;

  OwnerOperation* previous_ = nullptr;
  OwnerOperation* next_ = nullptr;
  bool listed_ = false;
  bool claimed_ = false;
};

template <class Sys = memmodel::Native>
class ProgressList {
 public:
  // own: where the rank's threads sleep who wait for what the rank completes.
  explicit ProgressList(memmodel::Parking<Sys>& own) noexcept : own_(own) {}
  ProgressList(const ProgressList&) = delete;
  ProgressList& operator=(const ProgressList&) = delete;

  void add(OwnerOperation& operation) noexcept;
  // In work(), or when no other thread uses the list.
  void remove(OwnerOperation& operation) noexcept;

  // A hint for the rank's threads: one load.
  bool is_empty() const noexcept { return count_.value() == 0; }
  // Works on what can be advanced, looking at some of the operations, other ones each time, or at all of
  // them.
  static constexpr int some = 8;
  void serve(int looks = some);
  // Works on this one, unless another thread does or it has left the list.
  void advance(OwnerOperation& operation);
  // Whether there is something, or this, to work on that nobody works on. Any thread.
  bool is_ready() const noexcept;
  bool is_ready(const OwnerOperation& operation) const noexcept;

  // A sleep of a thread, maybe elsewhere than at the rank's own place.
  class Sleep {
   public:
    Sleep(ProgressList& list, memmodel::Parking<Sys>& spot) noexcept;
    ~Sleep();
    Sleep(const Sleep&) = delete;
    Sleep& operator=(const Sleep&) = delete;

   private:
    friend class ProgressList;
    ProgressList* list_;  // null: the rank's own place
    memmodel::Parking<Sys>& spot_;
    Sleep* next_ = nullptr;
  };
  // For who has published what an operation may wait for: wakes the rank's threads wherever they sleep.
  void wake() noexcept
  {
    // Its fence orders the look below, too.
    own_.notify();
    if (elsewhere_.value() != 0) [[unlikely]]
      notify_elsewhere();
  }

 private:
  class Claim;

  bool claim(OwnerOperation& operation) noexcept;
  OwnerOperation* claim_next(int& looks) noexcept;
  void work_on(OwnerOperation& operation);
  void notify_elsewhere() noexcept;

  memmodel::Parking<Sys>& own_;
  memmodel::Counter<Sys> count_;
  mutable memmodel::SpinLock<Sys> lock_;  // guards the links, the claims, and those who sleep elsewhere
  OwnerOperation* first_ RANKLET_GUARDED_BY(lock_) = nullptr;
  OwnerOperation* last_ RANKLET_GUARDED_BY(lock_) = nullptr;
  OwnerOperation* cursor_ RANKLET_GUARDED_BY(lock_) =
      nullptr;  // where the next look begins; null: at the first one
  Sleep* sleeps_ RANKLET_GUARDED_BY(lock_) = nullptr;
  memmodel::Counter<Sys> elsewhere_;  // how many
};

// The functions are in progress_functions.hpp, for progress.cpp and the walk.
extern template class ProgressList<memmodel::Native>;

}  // namespace ranklet
