// clang links the runtimes of sanitizers statically into programs, where ranks cannot share them.
#pragma once

#include <string>
#include <vector>

namespace ranklet::launch {

struct SanitizerFlags {
  std::vector<std::string> link;
  std::string error;  // why there can be no such program; empty if there can
};

// What linking a program with these arguments needs so that it uses shared runtimes.
SanitizerFlags sanitizer_flags(const std::vector<std::string>& compiler,
                               const std::vector<std::string>& arguments);

}  // namespace ranklet::launch
