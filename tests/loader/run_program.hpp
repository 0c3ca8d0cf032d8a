// Runs a command and collects what it writes.
#pragma once

#include <string>
#include <vector>

struct Outcome {
  int code;  // exit code, 128+n for a signal, 124 if it took more than a minute
  std::string output;
  std::string errors;
};

Outcome run_command(const std::vector<std::string>& command);

// The path of a program that the tests build.
std::string program(const std::string& name);
bool exists(const std::string& path);

// loader_host with these arguments.
Outcome run_ranks(const std::vector<std::string>& arguments);
