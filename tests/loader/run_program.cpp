#include "run_program.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

std::string program(const std::string& name)
{
  return std::string(PROGRAM_DIRECTORY "/") + name;
}

bool exists(const std::string& path)
{
  return access(path.c_str(), F_OK) == 0;
}

Outcome run_command(const std::vector<std::string>& command)
{
  int output[2];
  int errors[2];
  if (pipe(output) != 0 || pipe(errors) != 0) return {127, "", "no pipe"};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output[1], 1);
  posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
  for (const int descriptor : {output[0], output[1], errors[0], errors[1]})
    posix_spawn_file_actions_addclose(&actions, descriptor);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(output[1]);
  close(errors[1]);
  if (failed != 0) return {127, "", "cannot start " + command[0]};

  Outcome outcome{0, "", ""};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  bool killed = false;
  pollfd sources[] = {{output[0], POLLIN, 0}, {errors[0], POLLIN, 0}};
  std::string* targets[] = {&outcome.output, &outcome.errors};
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    poll(sources, 2, 1000);
    for (int i = 0; i < 2; ++i) {
      if (sources[i].fd < 0 || sources[i].revents == 0) continue;
      char bytes[4096];
      const ssize_t count = read(sources[i].fd, bytes, sizeof bytes);
      if (count > 0)
        targets[i]->append(bytes, static_cast<std::size_t>(count));
      else
        sources[i].fd = -1;
    }
    if (!killed && std::chrono::steady_clock::now() > end) {
      kill(child, SIGKILL);
      killed = true;
    }
  }
  close(output[0]);
  close(errors[0]);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.code = killed ? 124 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

Outcome run_ranks(const std::vector<std::string>& arguments)
{
  std::vector<std::string> command{program("loader_host")};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_command(command);
}
