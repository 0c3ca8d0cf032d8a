// A rank's environment variables.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/guarded.hpp"

namespace ranklet::loader {

// Behaves as glibc's functions (environ(7), setenv(3), putenv(3)): the program may read, change and replace
// `environ` itself; a string that setenv replaced stays valid. Each call changes the array under a lock;
// readers take none, so a program must not change its environment while another of its threads reads it.
class Environment {
 public:
  // `variable`: the program's `environ`. The strings it names are copied.
  explicit Environment(char*** variable);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  char** block() const noexcept { return *variable_; }
  char* get(const char* name) const noexcept;
  // 0, or -1 with errno, as the functions of these names.
  int set(const char* name, const char* value, bool overwrite);
  int unset(const char* name);
  int put(char* assignment);
  int clear();

 private:
  void replace(std::string_view name, char* assignment) RANKLET_REQUIRES(mutex_);
  void take_over() RANKLET_REQUIRES(mutex_);
  char* keep(std::string_view name, std::string_view value) RANKLET_REQUIRES(mutex_);

  char*** variable_;
  Mutex mutex_;
  std::vector<char*> block_ RANKLET_GUARDED_BY(mutex_);  // ends with nullptr
  std::vector<std::unique_ptr<char[]>> strings_ RANKLET_GUARDED_BY(mutex_);
};

}  // namespace ranklet::loader
