// Programs that were compiled with -fsanitize=address, leak, undefined or thread. Their runtime watches a
// whole process, so it must be the first library of the host, and there once: as a shared library.
#pragma once

#include <string>
#include <vector>

namespace ranklet::loader {

struct SanitizerRuntimes {
  std::vector<std::string> libraries;  // paths, in the order in which they are to be preloaded
  bool threads = false;                // ThreadSanitizer's is among them
};

// What the program and its libraries need. Throws Error, with what to do instead, if the program contains a
// runtime itself.
SanitizerRuntimes sanitizer_runtimes(const std::string& program);

}  // namespace ranklet::loader
