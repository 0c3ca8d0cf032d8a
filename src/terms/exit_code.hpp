// What is left of an error code when a process ends with it.
#pragma once

namespace ranklet {

// Its last eight bits; 0 only of 0 itself, which a program may give to MPI_Abort.
constexpr int exit_code_of(int code)
{
  return code == 0 || (code & 0xff) != 0 ? code & 0xff : 1;
}

}  // namespace ranklet
