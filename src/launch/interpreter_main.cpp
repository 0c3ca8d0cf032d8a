// ranklet-interpreter: the program of ranks that interpret, such as Python's. Opens the shared library that
// RANKLET_INTERPRETER_LIBRARY names and is what its function makes of the arguments (interpreters.hpp).
//
// Needs nothing of C++'s library, which each rank would have a copy of.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launch/interpreters_variable.hpp"

// Of the MPI library, without which no ranks would be made of this program.
extern "C" void ranklet_interpreter_frames(void (*dump)(int descriptor));

namespace {

// Python's, for which no lock need be held: its faulthandler calls it in signal handlers. Null where it has
// none.
const char* (*dump_threads)(int descriptor, void* interpreter, void* thread);
void* (*main_interpreter)();

void dump_frames(int descriptor)
{
  if (void* const interpreter = main_interpreter()) dump_threads(descriptor, interpreter, nullptr);
}

template <class Function>
void find(void* library, const char* name, Function& function)
{
  function = reinterpret_cast<Function>(dlsym(library, name));
}

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
  int (*run)(int, char**) = nullptr;
  find(opened, colon + 1, run);
  if (run == nullptr) return fail(dlerror());
  find(opened, "_Py_DumpTracebackThreads", dump_threads);
  find(opened, "PyInterpreterState_Main", main_interpreter);
  if (dump_threads != nullptr && main_interpreter != nullptr) ranklet_interpreter_frames(dump_frames);
  std::free(library);
  return run(argc, argv);
}
