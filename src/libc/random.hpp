// rand, random, drand48 and their families: the sequences that glibc gives a process of its own.
#pragma once

#include <array>
#include <cstdlib>

#include "base/guarded.hpp"

namespace ranklet::loader {

// As in libc, random() and rand() share one state and may be called by several threads of the rank, the
// functions of drand48's family may not.
class RandomNumbers {
 public:
  RandomNumbers();
  RandomNumbers(const RandomNumbers&) = delete;
  RandomNumbers& operator=(const RandomNumbers&) = delete;

  long next();  // random(3)
  void seed(unsigned value);
  // initstate(3) and setstate(3): the previous state array, or nullptr with errno.
  char* use_new_state(unsigned seed, char* state, std::size_t size);
  char* use_state(char* state);

  drand48_data& data48() noexcept { return data48_; }

 private:
  Mutex mutex_;
  random_data data_ RANKLET_GUARDED_BY(mutex_){};
  alignas(8) std::array<char, 128> first_state_{};  // of the size that libc begins with
  drand48_data data48_{};
};

}  // namespace ranklet::loader
