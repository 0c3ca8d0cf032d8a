// What the wrappers ask a compiler before they call it.
#pragma once

#include <string>
#include <vector>

namespace ranklet::launch {

using Words = std::vector<std::string>;  // of a command

struct ChildEnd {
  std::string text;  // what it printed
  bool success;
};

// Runs a command to its end. With a directory it begins there, and what it says on stderr is part of the
// text.
ChildEnd run_child(Words words, const std::string& directory = "");

// Where the shell would find the program; empty if nowhere.
std::string path_of(const std::string& program);

}  // namespace ranklet::launch
