// A short section in which a thread of a rank changes what all threads of the rank use: handles, stocks of
// requests.
//
// While only one thread at a time may be in MPI a section costs no lock. A session may end that at any time,
// with another thread in a section (MPI 5.0 §11.3), so the sections of that one pass a gate, which
// Rank::set_thread_level() closes for good; from then on everybody locks.
//
// Invariants:
//  1. While the gate is open one thread at a time is in sections of the rank, which may be nested.
//  2. Nothing in a section waits for another thread, but for the lock.
#pragma once

#include "memmodel/memmodel.hpp"
#include "ranks/rank.hpp"

namespace ranklet {

// To clang it holds the lock, as being alone is as good.
class RANKLET_HOLDER Section {
 public:
  // locked: also while one thread at a time is in MPI, as other calls come here, too. Unchecked, here and
  // below: a thread that is alone does without the lock.
  Section(Rank& rank, memmodel::SpinLock<>& lock, bool locked = false) noexcept
      RANKLET_ACQUIRES(lock) RANKLET_UNCHECKED : rank_(rank),
                                                 lock_(locked || !rank.lone_gate.enter() ? &lock : nullptr)
  {
    if (lock_) lock_->lock();
  }
  ~Section() RANKLET_RELEASES() RANKLET_UNCHECKED
  {
    if (lock_)
      lock_->unlock();
    else
      rank_.lone_gate.leave();
  }
  // Whether there is no lock, and no other thread of the rank in MPI.
  bool is_alone() const noexcept { return lock_ == nullptr; }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

 private:
  Rank& rank_;
  memmodel::SpinLock<>* const lock_;
};

}  // namespace ranklet
