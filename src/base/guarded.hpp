// Says which lock guards what, so that clang finds a member that is used without its lock: -Wthread-safety,
// an error in our builds. Other compilers see nothing of it. The words are in lock_words.hpp.
//
// A lambda is a function of its own to clang: one that uses what the lock around it guards says
// RANKLET_REQUIRES(lock) behind its parameters, or RANKLET_UNCHECKED where who calls it does not know the lock.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/lock_words.hpp"

namespace ranklet {

// std::mutex, as a lock that clang knows.
class RANKLET_LOCK Mutex {
 public:
  void lock() RANKLET_ACQUIRES() { mutex_.lock(); }
  bool try_lock() RANKLET_TRIES(true) { return mutex_.try_lock(); }
  void unlock() RANKLET_RELEASES() { mutex_.unlock(); }

 private:
  friend class MutexHolder;
  std::mutex mutex_;
};

// std::recursive_mutex, the same. To clang each function that locks it is the first.
class RANKLET_LOCK RecursiveMutex {
 public:
  void lock() RANKLET_ACQUIRES() { mutex_.lock(); }
  void unlock() RANKLET_RELEASES() { mutex_.unlock(); }

 private:
  std::recursive_mutex mutex_;
};

// Holds a lock until the end of the scope: std::lock_guard, as clang knows it.
template <class Lock>
class RANKLET_HOLDER Holder {
 public:
  explicit Holder(Lock& lock) RANKLET_ACQUIRES(lock) : lock_(lock) { lock_.lock(); }
  // One that the thread has locked already.
  Holder(Lock& lock, std::adopt_lock_t) RANKLET_REQUIRES(lock) : lock_(lock) {}
  ~Holder() RANKLET_RELEASES() { lock_.unlock(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

 private:
  Lock& lock_;
};

// The same of a mutex, where the thread waits for what others change under it. Loops look at that themselves:
// while (!what()) holder.wait(condition);
class RANKLET_HOLDER MutexHolder {
 public:
  explicit MutexHolder(Mutex& mutex) RANKLET_ACQUIRES(mutex) : lock_(mutex.mutex_) {}
  ~MutexHolder() RANKLET_RELEASES() = default;
  MutexHolder(const MutexHolder&) = delete;
  MutexHolder& operator=(const MutexHolder&) = delete;

  // For work outside, between the two.
  void unlock() RANKLET_RELEASES() { lock_.unlock(); }
  void lock() RANKLET_ACQUIRES() { lock_.lock(); }

  // Lets go of the mutex meanwhile; may wake for no reason.
  void wait(std::condition_variable& condition) { condition.wait(lock_); }
  // std::cv_status::timeout if it was not woken before.
  template <class Time>
  std::cv_status wait_until(std::condition_variable& condition, const Time& time)
  {
    return condition.wait_until(lock_, time);
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace ranklet
