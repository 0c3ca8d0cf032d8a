// A mutex for the few tables of this library: pthread's, as std::mutex without C++'s run-time library.
#pragma once

#include <pthread.h>

#include "base/lock_words.hpp"

namespace ranklet::fortran {

struct RANKLET_LOCK Mutex {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

class RANKLET_HOLDER Locked {
 public:
  explicit Locked(Mutex& mutex) RANKLET_ACQUIRES(mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_.mutex); }
  ~Locked() RANKLET_RELEASES() { pthread_mutex_unlock(&mutex_.mutex); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace ranklet::fortran
