// The front header of io: files (MPI 5.0 chapter 14).
//
//   File                     one member's view of an open file (file.hpp)
//   open, close, set_view, … files as a whole (manage.hpp)
//   access, start, begin, …  data access (access.hpp)
//   Representations          how data is represented in files (representation.hpp)
//   JobFiles                 what the files of a job share (job_files.hpp)
//   recover_store            for the process's handler of SIGBUS (guarded_store.hpp)
#pragma once

#include "io/access.hpp"
#include "io/file.hpp"
#include "io/guarded_store.hpp"
#include "io/manage.hpp"
#include "io/representation.hpp"
