// What the host and the runtime of a sanitizer that came with the program tell each other. Reports get a line
// that names the rank; the host's own memory is no leak; the end of the process by the runtime is told.
//
// Without such a runtime nothing here does anything.
#pragma once

namespace ranklet::launch {

// A runtime is there.
bool sanitizer_is_present() noexcept;

// Before the runtime ends the process, in the thread that has found the error.
void before_sanitizer_ends_process(void (*function)());

// Memory that the calling thread allocates is the host's own from now on, or the program's.
void allocate_for_host() noexcept;
void allocate_for_program() noexcept;
// Reports what no rank can reach any more and returns whether there was something.
bool report_leaks() noexcept;

}  // namespace ranklet::launch
