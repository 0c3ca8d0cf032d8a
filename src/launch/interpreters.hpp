// Programs that are interpreters, such as Python: their executables are seldom position-independent, but what
// they do is in a shared library, too. A small program of ours (interpreter_main.cpp) opens the library and
// calls its main function with the user's arguments, so that ranks can be made of it.
//
// The table of interpreters: names of executables, the shared library, and its function of C's main() form. A
// '*' at the end of a name takes the rest, which stands for the '*' in the library:
// "python3*=libpython3*.so.1.0:Py_BytesMain".
#pragma once

#include <string>
#include <vector>

#include "launch/job_description.hpp"

namespace ranklet::launch {

// If the program is an interpreter of the table, or a script that begins with #! and one, also by way of
// env(1): makes it our program that opens the interpreter's library, with the arguments that the interpreter
// would have had. Else, or if there is no such library, the program stays as it is. `users_rows`: separated
// by ';', they come before ours; "none": no interpreter is known. Returns what the user should know: why an
// interpreter's library is not used. Throws Error{arg} for rows that are no rows.
std::string use_interpreter(Program& program, const std::string& users_rows);

// The program of this path has loaded the MPI library after its start, so it can become no rank: what its
// user can do.
std::string remedy_for_late_program(const std::string& path, const std::string& users_rows);

// The variables by which libraries that compute know how many threads to start, for an interpreter's rank that has so
// many cores: those that are not in `environment` are added. The names of all of them; empty for other programs.
std::string set_thread_counts(const Program& program, int cores, std::vector<std::string>& environment);

}  // namespace ranklet::launch
