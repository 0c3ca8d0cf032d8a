#include "libc/children.hpp"

#include <fcntl.h>
#include <pty.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "libc/libc_state.hpp"
#include "process/thread_record.hpp"

namespace ranklet::loader {

namespace {

// File actions that make a child's descriptors 0 to 2 those of the rank, except that `replaced` (-1: none) is
// `replacement`. nullptr: the process's own are the rank's.
class RankActions {
 public:
  explicit RankActions(const Descriptors* descriptors, int replaced = -1, int replacement = -1)
      : copies_(descriptors == nullptr ? std::array<int, 3>{-1, -1, -1} : descriptors->copies_for_child())
  {
    ::posix_spawn_file_actions_init(&actions_);
    // By way of high numbers, as one may lead to what another one's number is.
    for (int i = 0; i <= 2; ++i) {
      if (descriptors == nullptr && i != replaced) continue;
      const int real = i == replaced ? replacement : copies_[static_cast<std::size_t>(i)];
      if (real >= 0)
        ::posix_spawn_file_actions_adddup2(&actions_, real, i);
      else
        ::posix_spawn_file_actions_addclose(&actions_, i);
    }
  }
  ~RankActions()
  {
    ::posix_spawn_file_actions_destroy(&actions_);
    for (const int copy : copies_)
      if (copy >= 0) ::close(copy);
  }
  RankActions(const RankActions&) = delete;
  RankActions& operator=(const RankActions&) = delete;

  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  const std::array<int, 3> copies_;
  posix_spawn_file_actions_t actions_;
};

}  // namespace

pid_t Children::fork(ForkHandling handling)
{
  std::fflush(stdout);  // of the host: the child must not print it again
  const std::vector<ForkHandlers::Entry> handlers =
      handling == ForkHandling::run ? state_.fork_handlers.all() : std::vector<ForkHandlers::Entry>{};
  for (auto entry = handlers.rbegin(); entry != handlers.rend(); ++entry)
    if (entry->prepare != nullptr) entry->prepare();
  pid_t child;
  {
    // What a thread that does not exist in the child could hold is held by this one.
    const Holder zone(TimeZone::process_zone);
    const Holder guard(mutex_);
    child = ::fork();
    if (child == 0) begin_as_child();
    if (child > 0) insert(child);
  }
  const int error = errno;
  for (const ForkHandlers::Entry& entry : handlers)
    if (const auto function = child == 0 ? entry.child : entry.parent) function();
  errno = error;
  return child;
}

// In the child, which has this thread only: locks that others held would stay locked.
void Children::begin_as_child()
{
  in_child_ = true;
  children_.clear();
  waiters_.clear();
  state_.process.continue_with_this_thread();
  state_.fork_handlers.continue_with_this_thread();
  state_.output.reset_in_child();
  state_.descriptors.apply_to_process();
}

int Children::spawn(SpawnFunction function, pid_t* child, const char* file,
                    const std::function<int(posix_spawn_file_actions_t*)>& add_steps,
                    const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment)
{
  state_.descriptors.flush_lines();
  RankActions actions(in_child_ ? nullptr : &state_.descriptors);
  if (const int error = add_steps ? add_steps(actions.get()) : 0; error != 0) return error;
  pid_t number = -1;
  const int error = function(&number, file, actions.get(), attributes, arguments, environment);
  if (error != 0) return error;
  add(number);
  if (child != nullptr) *child = number;
  return 0;
}

pid_t Children::start_shell(const char* command, int replaced, int replacement)
{
  state_.descriptors.flush_lines();
  RankActions actions(in_child_ ? nullptr : &state_.descriptors, replaced, replacement);
  const char* const arguments[] = {"sh", "-c", command, nullptr};
  pid_t child = -1;
  const int error = ::posix_spawn(&child, "/bin/sh", actions.get(), nullptr,
                                  const_cast<char* const*>(arguments), state_.environment.block());
  if (error == 0) return child;
  errno = error;
  return -1;
}

namespace {

// For a child that only the caller knows of.
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
  add(child);
  const Holder guard(mutex_);
  pipes_[file] = child;
  return file;
}

int Children::pclose(std::FILE* pipe)
{
  pid_t child;
  {
    const Holder guard(mutex_);
    const auto found = pipes_.find(pipe);
    if (found == pipes_.end()) {
      errno = ECHILD;
      return -1;
    }
    child = found->second;
    pipes_.erase(found);
  }
  std::fclose(pipe);
  siginfo_t info{};
  while (wait(P_PID, static_cast<id_t>(child), &info, WEXITED, nullptr) != 0)
    if (errno != EINTR) return -1;
  return status_of(info);
}

namespace {

pid_t rank_fork()
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->children.fork(Children::ForkHandling::run) : ::fork();
}

pid_t rank_plain_fork()
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->children.fork(Children::ForkHandling::skip) : ::fork();
}

pid_t rank_forkpty(int* terminal, char* name, const termios* settings, const winsize* size)
{
  if (current_libc() == nullptr) return ::forkpty(terminal, name, settings, size);
  int ours = -1;
  int theirs = -1;
  if (::openpty(&ours, &theirs, name, settings, size) != 0) return -1;
  const pid_t child = rank_fork();
  const int error = errno;
  if (child == 0) {
    ::close(ours);
    if (::login_tty(theirs) != 0) ::_exit(1);
    return 0;
  }
  ::close(theirs);
  if (child > 0)
    *terminal = ours;
  else
    ::close(ours);
  errno = error;
  return child;
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

const Override children_table[] = {
    override_with("fork", &rank_fork),
    override_with("__fork", &rank_fork),
    override_with("_Fork", &rank_plain_fork),
    override_with("vfork",
                  &rank_plain_fork),  // whose child may only execute or exit: fork's may do that, too
    override_with("__vfork", &rank_plain_fork),
    override_with("forkpty", &rank_forkpty),
    override_with("system", &rank_system),
    override_with("popen", &rank_popen),
    override_with("pclose", &rank_pclose),
};

}  // namespace

std::span<const Override> children_overrides()
{
  return children_table;
}

}  // namespace ranklet::loader
