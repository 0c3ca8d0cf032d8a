// Functions that programs in ranks get instead of a library's. Only private images are bound to them: the
// host, the MPI library and all other shared libraries keep calling the originals, and so can the overrides
// themselves, by their usual names. A program that defines such a function itself keeps its own.
#pragma once

#include <span>

namespace ranklet::loader {

struct Override {
  const char* name;
  void* function;
};

template <class Result, class... Arguments>
Override override_with(const char* name, Result (*function)(Arguments...))
{
  return {name, reinterpret_cast<void*>(function)};
}

template <class Result, class... Arguments>
Override override_with(const char* name, Result (*function)(Arguments..., ...))
{
  return {name, reinterpret_cast<void*>(function)};
}

// Each file with overrides has one such table; ModuleSet collects them.
std::span<const Override> start_overrides();     // start.cpp: __libc_start_main
std::span<const Override> exit_overrides();      // exit.cpp: exit, atexit, _exit, quick_exit, err ...
std::span<const Override> thread_overrides();    // threads.cpp: pthread_create, pthread_exit, thrd_create
std::span<const Override> dynamic_overrides();   // dynamic.cpp: dlopen, dlsym ...
std::span<const Override> own_file_overrides();  // own_file.cpp: readlink and realpath of /proc/self/exe

}  // namespace ranklet::loader
