// wait and its family: a rank waits for its own children only.

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "libc/libc_state.hpp"

namespace ranklet::loader {

namespace {

int wait_in_kernel(idtype_t kind, id_t id, siginfo_t* info, int options, rusage* usage)
{
  return static_cast<int>(::syscall(SYS_waitid, kind, id, info, options, usage));
}

bool has_ended(const siginfo_t& info)
{
  return info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
}
}  // namespace

int Children::status_of(const siginfo_t& info)
{
  switch (info.si_code) {
    case CLD_EXITED:
      return (info.si_status & 0xff) << 8;
    case CLD_KILLED:
      return info.si_status;
    case CLD_DUMPED:
      return info.si_status | WCOREFLAG;
    case CLD_CONTINUED:
      return 0xffff;
    default:  // stopped, or trapped by a tracer
      return info.si_status << 8 | 0x7f;
  }
}

// Sleeps until one of the children it was made for ends, or until the rank's children are not the same any
// more. Lives in the list while it is looked at, under the lock.
class Children::Waiter {
 public:
  Waiter() : changed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Waiter()
  {
    if (changed_ >= 0) ::close(changed_);
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void note_change() const
  {
    if (changed_ >= 0) ::eventfd_write(changed_, 1);
  }

  // Under the lock: the numbers are still those of our children.
  void watch(const std::vector<pid_t>& children)
  {
    // Descriptors of processes tell of their ends only.
    for (const pid_t child : children) {
      const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
      if (descriptor < 0) all_watched_ = false;  // an old kernel, or too many descriptors
      ends_.push_back({descriptor, POLLIN, 0});
    }
    if (changed_ < 0) all_watched_ = false;
    ends_.push_back({changed_, POLLIN, 0});
  }

  // 0, or -1 with errno.
  int sleep(bool for_stops)
  {
    constexpr int milliseconds_between_looks = 20;
    const int result =
        ::poll(ends_.data(), ends_.size(), all_watched_ && !for_stops ? -1 : milliseconds_between_looks);
    const int error = errno;
    for (const pollfd& end : ends_)
      if (end.fd >= 0 && end.fd != changed_) ::close(end.fd);
    errno = error;
    return result < 0 ? -1 : 0;
  }

 private:
  int changed_;
  bool all_watched_ = true;
  std::vector<pollfd> ends_;
};

void Children::add(pid_t child)
{
  const Holder guard(mutex_);
  insert(child);
}

void Children::insert(pid_t child)
{
  drop_ignored();
  children_.insert(child);
  for (const Waiter* waiter : waiters_) waiter->note_change();
}

std::vector<pid_t> Children::matching(idtype_t kind, id_t id) const
{
  std::vector<pid_t> result;
  const pid_t number = static_cast<pid_t>(id);
  const pid_t group = kind == P_PGID && number == 0 ? ::getpgrp() : number;
  for (const pid_t child : children_)
    if (kind == P_ALL || (kind == P_PID && child == number) || (kind == P_PGID && ::getpgid(child) == group))
      result.push_back(child);
  return result;
}

// Reports what the child has to report, if anything.
bool Children::take(pid_t child, siginfo_t& info, int options, rusage* usage)
{
  info = {};
  if (wait_in_kernel(P_PID, static_cast<id_t>(child), &info, options | WNOHANG, usage) != 0) {
    if (errno == ECHILD) children_.erase(child);
    return false;
  }
  if (info.si_pid == 0) return false;
  if ((options & WNOWAIT) == 0 && has_ended(info)) {
    children_.erase(child);
    for (const Waiter* waiter : waiters_) waiter->note_change();
  }
  return true;
}

// A rank that ignores SIGCHLD leaves nothing behind of its children (sigaction(2), SA_NOCLDWAIT).
void Children::drop_ignored()
{
  if (!state_.signals.drops_children()) return;
  siginfo_t info;
  for (const pid_t child : matching(P_ALL, 0)) take(child, info, WEXITED, nullptr);
}

int Children::wait(idtype_t kind, id_t id, siginfo_t* info, int options, rusage* usage)
{
  siginfo_t found{};
  if (kind == P_PIDFD) {  // the kernel knows whose it is
    if (wait_in_kernel(kind, id, &found, options | WNOWAIT, usage) != 0) return -1;
    if (found.si_pid != 0 && (options & WNOWAIT) == 0)
      return wait(P_PID, static_cast<id_t>(found.si_pid), info, options, usage);
    if (info != nullptr) *info = found;
    return 0;
  }
  for (;;) {
    Waiter waiter;
    const unsigned interruptions = state_.signals.interruptions();
    {
      const Holder guard(mutex_);
      drop_ignored();
      for (const pid_t child : matching(kind, id))
        if (take(child, found, options, usage)) {
          if (info != nullptr) *info = found;
          return 0;
        }
      const std::vector<pid_t> children = matching(kind, id);
      if (children.empty()) break;
      if ((options & WNOHANG) != 0) {
        if (info != nullptr) *info = {};
        return 0;
      }
      waiters_.push_back(&waiter);
      waiter.watch(children);
    }
    const int result = waiter.sleep((options & (WSTOPPED | WCONTINUED)) != 0);
    const int error = errno;
    const Holder guard(mutex_);
    std::erase(waiters_, &waiter);
    // poll(2) is interrupted by every handler, wait(2) not by those that restart calls.
    if (result != 0 && (error != EINTR || state_.signals.interruptions() != interruptions)) {
      errno = error;
      return -1;
    }
  }
  // Not one that came here; perhaps this thread's own all the same.
  if (kind == P_PID) return wait_in_kernel(kind, id, info, options | __WNOTHREAD, usage);
  errno = ECHILD;
  return -1;
}

namespace {

pid_t rank_wait4(pid_t which, int* status, int options, rusage* usage)
{
  LibcState* const state = current_libc();
  if (state == nullptr || state->children.in_child()) return ::wait4(which, status, options, usage);
  constexpr int known_options = WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL;
  if ((options & ~known_options) != 0) {
    errno = EINVAL;
    return -1;
  }
  const idtype_t kind = which == -1 ? P_ALL : which > 0 ? P_PID : P_PGID;
  siginfo_t info{};
  const id_t id = kind == P_ALL ? 0 : static_cast<id_t>(which > 0 ? which : -which);
  if (state->children.wait(kind, id, &info, options | WEXITED, usage) != 0) return -1;
  if (info.si_pid != 0 && status != nullptr) *status = Children::status_of(info);
  return info.si_pid;
}

pid_t rank_waitpid(pid_t which, int* status, int options)
{
  return rank_wait4(which, status, options, nullptr);
}

pid_t rank_wait(int* status)
{
  return rank_wait4(-1, status, 0, nullptr);
}

pid_t rank_wait3(int* status, int options, rusage* usage)
{
  return rank_wait4(-1, status, options, usage);
}

int rank_waitid(idtype_t kind, id_t id, siginfo_t* info, int options)
{
  LibcState* const state = current_libc();
  if (state == nullptr || state->children.in_child()) return ::waitid(kind, id, info, options);
  if ((options & (WEXITED | WSTOPPED | WCONTINUED)) == 0 ||
      (kind != P_ALL && kind != P_PID && kind != P_PGID && kind != P_PIDFD)) {
    errno = EINVAL;
    return -1;
  }
  return state->children.wait(kind, id, info, options, nullptr);
}

const Override wait_table[] = {
    override_with("wait", &rank_wait),       override_with("__wait", &rank_wait),
    override_with("waitpid", &rank_waitpid), override_with("__waitpid", &rank_waitpid),
    override_with("wait3", &rank_wait3),     override_with("wait4", &rank_wait4),
    override_with("waitid", &rank_waitid),
};

}  // namespace

std::span<const Override> wait_overrides()
{
  return wait_table;
}

}  // namespace ranklet::loader
