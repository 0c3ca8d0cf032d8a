// What the arguments of a compiler wrapper make the compiler do.
#pragma once

#include "launch/wrapper_children.hpp"

namespace ranklet::launch {

struct CompilerTask {
  bool compiles = true;  // there is something to compile or link
  bool links = true;
  bool shared = false;  // not a program
  bool fortran_source = false;
};

CompilerTask task_of(const Words& arguments);

}  // namespace ranklet::launch
