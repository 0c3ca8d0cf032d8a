// ranklet-interpreter: the program of ranks that interpret, such as Python's. Opens the shared library that
// RANKLET_INTERPRETER_LIBRARY names and is what its function makes of the arguments (interpreters.hpp).
//
// Needs nothing of C++'s library, which each rank would have a copy of.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launch/interpreters_variable.hpp"

extern "C" int MPI_Initialized(int* flag);

namespace {

// What needs the MPI library is made into ranks.
[[gnu::used]] int (*const needs_mpi)(int*) = MPI_Initialized;

int fail(const char* why)
{
  std::fprintf(stderr, "ranklet-interpreter: %s\n", why != nullptr ? why : "no library");
  return 127;
}

}  // namespace

int main(int argc, char** argv)
{
  const char* const given = std::getenv(ranklet::launch::interpreter_variable);
  char* const library = given != nullptr ? strdup(given) : nullptr;
  char* const colon = library != nullptr ? std::strrchr(library, ':') : nullptr;
  if (colon == nullptr) return fail("is started by mpiexec");
  *colon = 0;
  // Children of the program do not inherit it.
  unsetenv(ranklet::launch::interpreter_variable);
  // Extension modules take the interpreter's symbols from the global scope.
  void* const opened = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  if (opened == nullptr) return fail(dlerror());
  const auto run = reinterpret_cast<int (*)(int, char**)>(dlsym(opened, colon + 1));
  if (run == nullptr) return fail(dlerror());
  std::free(library);
  return run(argc, argv);
}
