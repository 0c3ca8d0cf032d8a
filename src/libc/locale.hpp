// setlocale per rank.
#pragma once

#include <clocale>
#include <list>
#include <string>
#include <vector>

#include "base/guarded.hpp"

namespace ranklet::loader {

// libc's setlocale changes the whole process, and readers in other threads are not safe against it. So each
// rank has a locale object of its own, which its threads use (uselocale): printf, strtod, isalpha, localeconv
// … then follow it.
class Locale {
 public:
  Locale() = default;
  ~Locale();  // when no thread of the rank is left
  Locale(const Locale&) = delete;
  Locale& operator=(const Locale&) = delete;

  // setlocale(3). Takes effect on the calling thread and on those that the rank starts later.
  char* set(int category, const char* name, const char* (*variable)(const char* name));
  // On a new thread of the rank.
  void use_on_this_thread();

 private:
  char* name_of(int category) RANKLET_REQUIRES(mutex_);

  Mutex mutex_;
  locale_t current_ RANKLET_GUARDED_BY(mutex_) = nullptr;  // nullptr: "C"
  // Those before it, which other threads of the rank may be using.
  std::vector<locale_t> former_ RANKLET_GUARDED_BY(mutex_);
  // Those given out stay valid, as no program frees them. Few.
  std::list<std::string> names_ RANKLET_GUARDED_BY(mutex_);
};

}  // namespace ranklet::loader
