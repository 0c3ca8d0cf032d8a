// Where the program of an interpreter is, such as a Python script: for reports, beside the place in its own
// code.
#pragma once

#include <pthread.h>

#include <string>
#include <string_view>

namespace ranklet {

// Writes the frames of all threads of one interpreter, in the form of Python's faulthandler. Any thread may
// call it; those whose frames matter sleep.
using DumpFrames = void (*)(int descriptor);

// "exchange() at halo.py:12" for the innermost frame of that thread; empty if there is none, or `dump` is
// null.
std::string interpreter_place(DumpFrames dump, pthread_t thread);

// The same from the text.
std::string innermost_frame(std::string_view frames, pthread_t thread);

}  // namespace ranklet
