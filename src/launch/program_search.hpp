// Where a program that somebody has named is.
#pragma once

#include <string>

#include "launch/job_description.hpp"

namespace ranklet::launch {

bool exists(const std::string& path);
// Of the calling thread. Throws Error{no_such_file} if it is gone.
std::string current_directory();
std::string absolute(const std::string& path, const std::string& directory);

// Like a shell: a name with a slash is a path, others are looked for, in search_path (directories with ':'
// between them) or, if that is empty, in $PATH. Relative paths begin in the program's directory or, as people
// expect it too, in the current one, `here`. Throws Error{access}, Error{no_such_file}.
std::string find_program(const std::string& name, const std::string& search_path,
                         const std::string& directory, const std::string& here);

// Whether all programs are MPI's. Else all start as processes, and those that are hand themselves over.
// Throws Error if one cannot run.
bool uses_mpi(const JobDescription& job);

}  // namespace ranklet::launch
