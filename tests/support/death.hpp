// What a process says on stderr when it aborts.
#pragma once

#include <csignal>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ranklet::tests {

// Runs f in a child process: what it wrote to stderr if it was ended by SIGABRT, else empty.
template <class F>
std::string death(F&& f)
{
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    // Not the test runner's own handler, which would report the abort as a failed case.
    std::signal(SIGABRT, SIG_DFL);
    ::dup2(ends[1], STDERR_FILENO);
    f();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  char piece[512];
  for (ssize_t n; (n = ::read(ends[0], piece, sizeof piece)) > 0;)
    said.append(piece, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? said : std::string();
}

}  // namespace ranklet::tests
