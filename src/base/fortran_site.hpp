// Calls that come through Ranklet's Fortran library, whose routines call C's functions: reports are to name
// the routine, and the line of the Fortran program.
#pragma once

#include <string>

namespace ranklet {

// Takes no lock.
bool is_in_fortran_library(const void* code) noexcept;

// Of a call that the calling thread is in and that returns to `site`: where the user's program has made it.
// Another place than `site` only in Fortran, where some frames of the stack are walked.
const void* users_site(const void* site) noexcept;

// " in main() at halo.c:17", for a call that another thread has made and that returns to `site`. Empty where
// that is null, or in the Fortran library, as only the thread itself finds the line of its program.
std::string place_of_other_call(const void* site);

}  // namespace ranklet
