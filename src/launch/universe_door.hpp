// A universe of the jobs of several mpiexec (--universe NAME): the host of the first takes in the others'
// jobs.
//
// The first holds a record lock on the file NAME.lock, in a directory that only its user may enter, and
// listens at NAME.socket beside it. The kernel takes the lock back, however its process ends, and the
// next one replaces what it has left.
#pragma once

#include <string>

namespace ranklet::launch {

struct UniverseDoor {
  int listener = -1;  // of the process that is the first, whose guests come here
  int host = -1;      // else: a connection to that one
};

// name: Config::universe. Errors: access, if the directory is not the user's alone; other, if the one
// that holds the name does not answer.
UniverseDoor enter_universe(const std::string& name);

}  // namespace ranklet::launch
