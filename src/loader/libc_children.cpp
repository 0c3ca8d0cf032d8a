#include "loader/libc_children.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <string>
#include <vector>

#include "loader/libc_state.hpp"

namespace ranklet::loader {

pid_t Children::fork()
{
  std::fflush(stdout);  // of the host: the child must not print it again
  const pid_t child = ::fork();
  if (child == 0) {
    in_child_ = true;
    state_.output.reset_in_child();
    state_.descriptors.apply_to_process();
  }
  return child;
}

// The shell's descriptors are those of the rank, except that `replaced` (0 or 1, or -1 for none) is
// `replacement`.
pid_t Children::start_shell(const char* command, int replaced, int replacement)
{
  state_.descriptors.flush_lines();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  // By way of high numbers, as one may lead to what another one's number is.
  const std::array<int, 3> copies = state_.descriptors.copies_for_child();
  for (int i = 0; i <= 2; ++i) {
    const int real = i == replaced ? replacement : copies[static_cast<std::size_t>(i)];
    if (real >= 0)
      ::posix_spawn_file_actions_adddup2(&actions, real, i);
    else
      ::posix_spawn_file_actions_addclose(&actions, i);
  }
  const char* const arguments[] = {"sh", "-c", command, nullptr};
  pid_t child = -1;
  const int error = ::posix_spawn(&child, "/bin/sh", &actions, nullptr, const_cast<char* const*>(arguments),
                                  state_.environment.block());
  ::posix_spawn_file_actions_destroy(&actions);
  for (int copy : copies)
    if (copy >= 0) ::close(copy);
  if (error == 0) return child;
  errno = error;
  return -1;
}

namespace {

int wait_for(pid_t child)
{
  int status = -1;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

}  // namespace

int Children::system(const char* command)
{
  if (command == nullptr) return ::system(nullptr);
  const pid_t child = start_shell(command, -1, -1);
  return child < 0 ? -1 : wait_for(child);
}

std::FILE* Children::popen(const char* command, const char* mode)
{
  const bool reads = *mode == 'r';
  if (!reads && *mode != 'w') {
    errno = EINVAL;
    return nullptr;
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  const int mine = ends[reads ? 0 : 1];
  const int theirs = ends[reads ? 1 : 0];
  std::FILE* const file = ::fdopen(mine, reads ? "r" : "w");
  const pid_t child = file == nullptr ? -1 : start_shell(command, reads ? 1 : 0, theirs);
  const int error = errno;
  ::close(theirs);
  if (child < 0) {
    if (file != nullptr)
      std::fclose(file);
    else
      ::close(mine);
    errno = error;
    return nullptr;
  }
  const std::lock_guard guard(mutex_);
  pipes_[file] = child;
  return file;
}

int Children::pclose(std::FILE* pipe)
{
  pid_t child;
  {
    const std::lock_guard guard(mutex_);
    const auto found = pipes_.find(pipe);
    if (found == pipes_.end()) {
      errno = ECHILD;
      return -1;
    }
    child = found->second;
    pipes_.erase(found);
  }
  std::fclose(pipe);
  return wait_for(child);
}

namespace {

pid_t rank_fork()
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->children.fork() : ::fork();
}

int rank_system(const char* command)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->children.system(command) : ::system(command);
}

std::FILE* rank_popen(const char* command, const char* mode)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->children.popen(command, mode) : ::popen(command, mode);
}

int rank_pclose(std::FILE* pipe)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->children.pclose(pipe) : ::pclose(pipe);
}

// A rank cannot become another program: its process is that of all ranks. Its children can.
bool may_execute(const char* path)
{
  LibcState* const state = current_libc();
  if (state == nullptr || state->children.in_child()) return true;
  state->output.note("ranklet: rank " + std::to_string(state->process.rank) + " cannot execute " + path +
                     ": its process runs the other ranks, too; fork first, or use system()\n");
  errno = ENOTSUP;
  return false;
}

char** rank_environment()
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->environment.block() : environ;
}

int rank_execve(const char* path, char* const* arguments, char* const* environment)
{
  return may_execute(path) ? ::execve(path, arguments, environment) : -1;
}

int rank_execvpe(const char* file, char* const* arguments, char* const* environment)
{
  return may_execute(file) ? ::execvpe(file, arguments, environment) : -1;
}

int rank_execv(const char* path, char* const* arguments)
{
  return rank_execve(path, arguments, rank_environment());
}

int rank_execvp(const char* file, char* const* arguments)
{
  return rank_execvpe(file, arguments, rank_environment());
}

// The arguments of execl and its like, up to and including the null pointer.
// Advances `rest`, from which execle takes one more.
std::vector<char*> argument_list(const char* first, std::va_list& rest)
{
  std::vector<char*> arguments{const_cast<char*>(first)};
  while (arguments.back() != nullptr) arguments.push_back(va_arg(rest, char*));
  return arguments;
}

int rank_execl(const char* path, const char* first, ...)
{
  std::va_list rest;
  va_start(rest, first);
  const std::vector<char*> arguments = argument_list(first, rest);
  va_end(rest);
  return rank_execv(path, arguments.data());
}

int rank_execlp(const char* file, const char* first, ...)
{
  std::va_list rest;
  va_start(rest, first);
  const std::vector<char*> arguments = argument_list(first, rest);
  va_end(rest);
  return rank_execvp(file, arguments.data());
}

int rank_execle(const char* path, const char* first, ...)
{
  std::va_list rest;
  va_start(rest, first);
  const std::vector<char*> arguments = argument_list(first, rest);
  char* const* const environment = va_arg(rest, char* const*);
  va_end(rest);
  return rank_execve(path, arguments.data(), environment);
}

const Override children_table[] = {
    override_with("fork", &rank_fork),       override_with("__fork", &rank_fork),
    override_with("vfork", &rank_fork),  // whose child may only execute or exit: fork's may do that, too
    override_with("system", &rank_system),   override_with("popen", &rank_popen),
    override_with("pclose", &rank_pclose),   override_with("execve", &rank_execve),
    override_with("execvpe", &rank_execvpe), override_with("execv", &rank_execv),
    override_with("execvp", &rank_execvp),   override_with("execl", &rank_execl),
    override_with("execlp", &rank_execlp),   override_with("execle", &rank_execle),
};

}  // namespace

std::span<const Override> children_overrides()
{
  return children_table;
}

}  // namespace ranklet::loader
