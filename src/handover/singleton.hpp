// A program that was started without mpiexec and gets a host (singleton.cpp).
#pragma once

#include <string>

namespace ranklet::handover {

// mpiexec's first argument: the next one is a program's path, the rest its arguments from argv[0] on. It
// becomes the program's host, or the program again with RANKLET_SINGLETON=plain.
inline constexpr const char* singleton_word = "--as-singleton";

// In the program at this path, before its main: returns if it needs no host or cannot have one.
void host_if_needed(const std::string& path, char** arguments, char** environment);

}  // namespace ranklet::handover
