// Says which lock guards what, so that clang finds a member that is used without its lock: -Wthread-safety,
// an error in our builds. Other compilers see nothing of it.
//
// Attributes are macros, as g++ does not know them. A lambda is a function of its own to clang: one that uses
// what the lock around it guards says RANKLET_REQUIRES(lock) behind its parameters.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define RANKLET_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define RANKLET_THREAD_SAFETY(attribute)
#endif

// A class that is a lock, and its functions.
#define RANKLET_LOCK RANKLET_THREAD_SAFETY(capability("lock"))
#define RANKLET_ACQUIRES(...) RANKLET_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define RANKLET_TRIES(...) RANKLET_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define RANKLET_RELEASES(...) RANKLET_THREAD_SAFETY(release_capability(__VA_ARGS__))
// A class whose objects hold a lock while they live.
#define RANKLET_HOLDER RANKLET_THREAD_SAFETY(scoped_lockable)
// A member that is used under the lock only, or what it points to.
#define RANKLET_GUARDED_BY(lock) RANKLET_THREAD_SAFETY(guarded_by(lock))
#define RANKLET_POINTEE_GUARDED_BY(lock) RANKLET_THREAD_SAFETY(pt_guarded_by(lock))
// A function that is called under the lock, or not under it.
#define RANKLET_REQUIRES(...) RANKLET_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define RANKLET_EXCLUDES(...) RANKLET_THREAD_SAFETY(locks_excluded(__VA_ARGS__))
// A function that clang cannot follow: it locks under a condition, or uses what nobody else can see. Says
// why.
#define RANKLET_UNCHECKED RANKLET_THREAD_SAFETY(no_thread_safety_analysis)

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
