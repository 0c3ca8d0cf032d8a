#include <doctest/doctest.h>

#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/supervisor.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using namespace ranklet::launch;

namespace {

ProcessStart shell(const std::string& command)
{
  ProcessStart start;
  start.path = "/bin/sh";
  start.arguments = {"sh", "-c", command};
  start.environment = {"PATH=/usr/bin:/bin"};
  return start;
}

// Watched signals stay blocked after a Supervisor; put back what the other tests expect.
struct SignalMask {
  SignalMask() { ::sigprocmask(SIG_SETMASK, nullptr, &before); }
  ~SignalMask() { ::sigprocmask(SIG_SETMASK, &before, nullptr); }
  sigset_t before;
};

}  // namespace

TEST_CASE("every child's end is reported once, with its status")
{
  const SignalMask mask;
  Supervisor supervisor(0);
  const pid_t first = start_process(shell("exit 3"));
  const pid_t second = start_process(shell("kill -9 $$"));
  supervisor.add_child(first);
  supervisor.add_child(second);
  int seen = 0;
  supervisor.run([&](pid_t pid, int status) {
    ++seen;
    CHECK(exit_code_of(status) == (pid == first ? 3 : 137));
  });
  CHECK(seen == 2);
  CHECK(supervisor.interrupted_by() == 0);
}

TEST_CASE("output is read to its end though the child is gone")
{
  const SignalMask mask;
  Supervisor supervisor(0);
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ProcessStart start = shell("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done");
  start.standard[1] = ends[1];
  supervisor.add_child(start_process(start));
  ::close(ends[1]);
  std::string text;
  supervisor.add_file(ends[0], POLLIN, Supervisor::FileKind::child_output, [&](short) {
    char bytes[1000];
    const ssize_t got = ::read(ends[0], bytes, sizeof bytes);
    if (got > 0) text.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
  });
  supervisor.run([](pid_t, int) {});
  CHECK(text.ends_with("line 2999\n"));
  ::close(ends[0]);
}

TEST_CASE("a timeout ends the children, a deaf one by SIGKILL")
{
  const SignalMask mask;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  ProcessStart start = shell("trap '' TERM; echo; while :; do sleep 0.1; done");
  start.standard[1] = ends[1];
  const pid_t deaf = start_process(start);
  char byte = 0;
  REQUIRE(::read(ends[0], &byte, 1) == 1);  // deaf from here on, and the time starts only now
  Supervisor supervisor(0.2);
  const pid_t obedient = start_process(shell("exec sleep 60"));
  supervisor.add_child(obedient);
  supervisor.add_child(deaf);
  supervisor.run([&](pid_t pid, int status) { CHECK(exit_code_of(status) == (pid == deaf ? 137 : 143)); });
  CHECK(supervisor.timed_out());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a signal to the supervisor reaches the children")
{
  const SignalMask mask;
  Supervisor supervisor(0);
  const pid_t child =
      start_process(shell("trap 'exit 9' TERM; kill -TERM $PPID; while :; do sleep 0.05; done"));
  supervisor.add_child(child);
  int code = 0;
  supervisor.run([&](pid_t, int status) { code = exit_code_of(status); });
  CHECK(code == 9);
  CHECK(supervisor.interrupted_by() == SIGTERM);
}

TEST_CASE("processes start side by side, and the one that cannot be executed says so")
{
  ProcessStart bad;
  bad.path = "/nonexistent/program";
  bad.arguments = {"program"};
  StartingProcess first(shell("exit 0"));
  StartingProcess second(bad);
  StartingProcess third(shell("exit 4"));
  first.await();
  CHECK_THROWS_WITH_AS(second.await(),
                       doctest::Contains("/nonexistent/program cannot be started: No such file"), Error);
  third.await();
  int status = 0;
  CHECK((::waitpid(first.pid(), &status, 0) == first.pid() && exit_code_of(status) == 0));
  CHECK((::waitpid(second.pid(), &status, 0) == second.pid() && exit_code_of(status) == 127));
  CHECK((::waitpid(third.pid(), &status, 0) == third.pid() && exit_code_of(status) == 4));
}

TEST_CASE("a program that cannot be executed is an error here, not in a child")
{
  ProcessStart start;
  start.path = "/nonexistent/program";
  start.arguments = {"program"};
  CHECK_THROWS_AS(start_process(start), Error);
  start = shell("true");
  start.directory = "/nonexistent";
  CHECK_THROWS_AS(start_process(start), Error);
}
