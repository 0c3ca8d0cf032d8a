// The exec and posix_spawn families.

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

// A rank cannot become another program: its process is that of all ranks. Its children can.
bool may_execute(const char* path)
{
  LibcState* const state = current_libc();
  if (state == nullptr || state->children.in_child()) return true;
  state->output.note("ranklet: " + state->process.name + " cannot execute " + path +
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

int rank_fexecve(int descriptor, char* const* arguments, char* const* environment)
{
  return may_execute("a file by its descriptor") ? ::fexecve(descriptor, arguments, environment) : -1;
}

int rank_execveat(int directory, const char* path, char* const* arguments, char* const* environment,
                  int flags)
{
  if (!may_execute(path)) return -1;
  return static_cast<int>(::syscall(SYS_execveat, directory, path, arguments, environment, flags));
}

// A daemon is the child of a process that ends: here that would be all ranks.
int rank_daemon(int stay, int keep_streams)
{
  return may_execute("as a daemon") ? ::daemon(stay, keep_streams) : -1;
}

// A program's file actions cannot be put behind others, as libc keeps their form to itself. So a rank's are
// notes of what was asked for.
struct SpawnSteps {
  using Step = std::function<int(posix_spawn_file_actions_t*)>;
  std::vector<Step> steps;

  static constexpr std::uint64_t mark_value = 0x52616e6b6c657431;
  struct Stored {
    std::uint64_t mark;
    SpawnSteps* steps;
  };
  static_assert(sizeof(Stored) <= sizeof(posix_spawn_file_actions_t));

  // nullptr if the object was made by libc's own functions.
  static SpawnSteps* of(const posix_spawn_file_actions_t* actions)
  {
    Stored stored;
    std::memcpy(&stored, actions, sizeof stored);
    return stored.mark == mark_value ? stored.steps : nullptr;
  }
};

int rank_actions_init(posix_spawn_file_actions_t* actions)
{
  const SpawnSteps::Stored stored{SpawnSteps::mark_value, new SpawnSteps};
  *actions = {};
  std::memcpy(static_cast<void*>(actions), &stored, sizeof stored);
  return 0;
}

int rank_actions_destroy(posix_spawn_file_actions_t* actions)
{
  SpawnSteps* const steps = SpawnSteps::of(actions);
  if (steps == nullptr) return ::posix_spawn_file_actions_destroy(actions);
  delete steps;
  *actions = {};
  return 0;
}

int add_step(posix_spawn_file_actions_t* actions, SpawnSteps::Step step)
{
  SpawnSteps* const steps = SpawnSteps::of(actions);
  if (steps == nullptr) return step(actions);
  // What libc says to it counts now.
  posix_spawn_file_actions_t trial;
  ::posix_spawn_file_actions_init(&trial);
  const int error = step(&trial);
  ::posix_spawn_file_actions_destroy(&trial);
  if (error == 0) steps->steps.push_back(std::move(step));
  return error;
}

int rank_actions_addopen(posix_spawn_file_actions_t* actions, int descriptor, const char* path, int flags,
                         mode_t mode)
{
  return add_step(actions, [=, name = std::string(path)](posix_spawn_file_actions_t* real) {
    return ::posix_spawn_file_actions_addopen(real, descriptor, name.c_str(), flags, mode);
  });
}

int rank_actions_addclose(posix_spawn_file_actions_t* actions, int descriptor)
{
  return add_step(actions, [=](posix_spawn_file_actions_t* real) {
    return ::posix_spawn_file_actions_addclose(real, descriptor);
  });
}

int rank_actions_adddup2(posix_spawn_file_actions_t* actions, int descriptor, int other)
{
  return add_step(actions, [=](posix_spawn_file_actions_t* real) {
    return ::posix_spawn_file_actions_adddup2(real, descriptor, other);
  });
}

int rank_actions_addchdir(posix_spawn_file_actions_t* actions, const char* path)
{
  return add_step(actions, [name = std::string(path)](posix_spawn_file_actions_t* real) {
    return ::posix_spawn_file_actions_addchdir_np(real, name.c_str());
  });
}

int rank_actions_addfchdir(posix_spawn_file_actions_t* actions, int descriptor)
{
  return add_step(actions, [=](posix_spawn_file_actions_t* real) {
    return ::posix_spawn_file_actions_addfchdir_np(real, descriptor);
  });
}

int rank_actions_addclosefrom(posix_spawn_file_actions_t* actions, int first)
{
  return add_step(actions, [=](posix_spawn_file_actions_t* real) {
    return ::posix_spawn_file_actions_addclosefrom_np(real, first);
  });
}

int rank_actions_addtcsetpgrp(posix_spawn_file_actions_t* actions, int descriptor)
{
  return add_step(actions, [=](posix_spawn_file_actions_t* real) {
    return ::posix_spawn_file_actions_addtcsetpgrp_np(real, descriptor);
  });
}

int spawn_by(SpawnFunction function, pid_t* child, const char* file,
             const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
             char* const* arguments, char* const* environment)
{
  LibcState* const state = current_libc();
  const SpawnSteps* const steps = actions == nullptr ? nullptr : SpawnSteps::of(actions);
  const bool of_libc = actions != nullptr && steps == nullptr;
  if (state == nullptr || of_libc) return function(child, file, actions, attributes, arguments, environment);
  const auto add_steps = [steps](posix_spawn_file_actions_t* real) {
    for (const SpawnSteps::Step& step : steps == nullptr ? std::vector<SpawnSteps::Step>{} : steps->steps)
      if (const int error = step(real); error != 0) return error;
    return 0;
  };
  return state->children.spawn(function, child, file, add_steps, attributes, arguments, environment);
}

int rank_posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                     const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment)
{
  return spawn_by(&::posix_spawn, child, path, actions, attributes, arguments, environment);
}

int rank_posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                      const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment)
{
  return spawn_by(&::posix_spawnp, child, file, actions, attributes, arguments, environment);
}

const Override exec_table[] = {
    override_with("execve", &rank_execve),
    override_with("execvpe", &rank_execvpe),
    override_with("execv", &rank_execv),
    override_with("execvp", &rank_execvp),
    override_with("execl", &rank_execl),
    override_with("execlp", &rank_execlp),
    override_with("execle", &rank_execle),
    override_with("fexecve", &rank_fexecve),
    override_with("execveat", &rank_execveat),
    override_with("daemon", &rank_daemon),
    override_with("posix_spawn", &rank_posix_spawn),
    override_with("posix_spawnp", &rank_posix_spawnp),
    override_with("posix_spawn_file_actions_init", &rank_actions_init),
    override_with("posix_spawn_file_actions_destroy", &rank_actions_destroy),
    override_with("posix_spawn_file_actions_addopen", &rank_actions_addopen),
    override_with("posix_spawn_file_actions_addclose", &rank_actions_addclose),
    override_with("posix_spawn_file_actions_adddup2", &rank_actions_adddup2),
    override_with("posix_spawn_file_actions_addchdir_np", &rank_actions_addchdir),
    override_with("posix_spawn_file_actions_addfchdir_np", &rank_actions_addfchdir),
    override_with("posix_spawn_file_actions_addclosefrom_np", &rank_actions_addclosefrom),
    override_with("posix_spawn_file_actions_addtcsetpgrp_np", &rank_actions_addtcsetpgrp),
};

}  // namespace

std::span<const Override> exec_overrides()
{
  return exec_table;
}

}  // namespace ranklet::loader
