#include "launch/starter.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/config.hpp"
#include "launch/processes.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

// The host's threads are many, so nothing but what posix_spawn does comes before the new program.
pid_t start_host_program(int description, int control)
{
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int descriptor : {description, control})  // to itself: it stays open
    ::posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  ::sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string number = std::to_string(description), name = "ranklet-host", word = starter_word;
  char* const arguments[] = {name.data(), word.data(), number.data(), nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(ErrorClass::no_mem, "no process: %s", std::strerror(error));
  return pid;
}

}  // namespace

pid_t start_starter(JobDescription& job, const std::vector<unsigned long>& cpus)
{
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    fail(ErrorClass::no_mem, "no socket: %s", std::strerror(errno));
  int description = -1;
  const auto close_theirs = [&] {
    ::close(ends[1]);
    if (description >= 0) ::close(description);
  };
  // Inherited by the new process, which is to have all of the job's cores.
  cpu_set_t own;
  ::sched_getaffinity(0, sizeof own, &own);
  ::sched_setaffinity(0, cpus.size() * sizeof(unsigned long),
                      reinterpret_cast<const cpu_set_t*>(cpus.data()));
  try {
    job.control = ends[1];
    description = write_description(job);
    const pid_t pid = start_host_program(description, ends[1]);
    ::sched_setaffinity(0, sizeof own, &own);
    close_theirs();
    job.control = ends[0];
    return pid;
  } catch (...) {
    ::sched_setaffinity(0, sizeof own, &own);
    close_theirs();
    ::close(ends[0]);
    throw;
  }
}

void run_starter(const JobDescription& job)
{
  ::fcntl(job.control, F_SETFD, FD_CLOEXEC);
  run_processes(job, config());
}

}  // namespace ranklet::launch
