#include "libc/signals.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "base/source_line.hpp"
#include "libc/crash_report.hpp"
#include "libc/ending_signals.hpp"
#include "libc/libc_state.hpp"
#include "process/thread_record.hpp"

namespace ranklet::loader {

namespace {

bool is_ignored_by_default(int signal) noexcept
{
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

bool stops_by_default(int signal) noexcept
{
  return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

// libgfortran sets handlers for faults that print a backtrace of /proc/self/exe: the host's. Ours is better.
bool is_of_libgfortran(void (*handler)(int))
{
  const auto location = source_location(reinterpret_cast<const void*>(handler));
  return location && location->module.find("libgfortran") != std::string::npos;
}

void dispatch(int signal, siginfo_t* info, void* context)
{
  if (recovers(signal, context)) return;
  const int error = errno;
  LibcState* const state = current_libc();
  if (is_from_outside(signal, info)) {
    // For all ranks, whichever thread it has come to.
    end_by_signal(signal, info);
  } else if (state == nullptr || !state->signals.handle(signal, info, context)) {
    if (is_fault(signal)) {
      report_crash(signal, info, context);
    } else if (stops_by_default(signal)) {
      ::raise(SIGSTOP);
    } else if (!is_ignored_by_default(signal)) {
      end_by_signal(signal, info);
    }
  }
  errno = error;
}

}  // namespace

bool is_fault(int signal) noexcept
{
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGABRT ||
         signal == SIGTRAP || signal == SIGSYS;
}

Signals::Signals() : main_thread_(static_cast<pid_t>(::syscall(SYS_gettid)))
{
  // What the process was started with: SIG_IGN survives exec (nohup).
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action;
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
      actions_[static_cast<std::size_t>(signal)].sa_handler = SIG_IGN;
  }
}

Signals::~Signals()
{
  if (has_timer_) ::timer_delete(timer_);
}

int Signals::set(int signal, const struct sigaction* action, struct sigaction* previous)
{
  if (signal <= 0 || signal >= NSIG || (action != nullptr && (signal == SIGKILL || signal == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  const Holder guard(mutex_);
  struct sigaction& mine = actions_[static_cast<std::size_t>(signal)];
  if (previous != nullptr) *previous = mine;
  if (action == nullptr) return 0;
  if (is_fault(signal) && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN &&
      is_of_libgfortran(action->sa_handler))
    return 0;
  mine = *action;
  if (is_fault(signal) && action->sa_handler == SIG_DFL)
    return 0;  // crash_report's handler or ours is installed
  struct sigaction real = *action;
  real.sa_sigaction = &dispatch;
  // What the kernel does about children and stops would concern those of all ranks.
  real.sa_flags = (action->sa_flags & ~(SA_RESETHAND | SA_NOCLDWAIT | SA_NOCLDSTOP)) | SA_SIGINFO;
  if (is_fault(signal)) real.sa_flags |= SA_ONSTACK;
  return ::sigaction(signal, &real, nullptr);
}

bool Signals::handles(int signal) const noexcept
{
  const auto handler = actions_[static_cast<std::size_t>(signal)].sa_handler;
  return handler != SIG_DFL && handler != SIG_IGN;
}

bool Signals::takes(ProcessState& process, int signal)
{
  // Not in a signal handler, unlike most who look.
  const auto handler = [&] {
    const Holder guard(mutex_);
    return actions_[static_cast<std::size_t>(signal)].sa_handler;
  }();
  if (handler == SIG_DFL) return false;
  if (handler != SIG_IGN) send(process, signal, nullptr);
  return true;
}

bool Signals::drops_children() const noexcept
{
  const struct sigaction& action = actions_[SIGCHLD];
  return action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT) != 0;
}

// Takes no lock, being called from a signal handler: a program that changes an action while the signal may
// come cannot know which one is used.
bool Signals::handle(int signal, siginfo_t* info, void* context)
{
  struct sigaction& mine = actions_[static_cast<std::size_t>(signal)];
  const struct sigaction action = mine;
  if (action.sa_handler == SIG_DFL) return false;
  if (action.sa_handler == SIG_IGN) {
    // The kernel would not let a fault be ignored either; abort() and raise() can be.
    return !is_fault(signal) || info->si_code <= 0;
  }
  const bool of_stop = signal == SIGCHLD && (info->si_code == CLD_STOPPED || info->si_code == CLD_CONTINUED);
  if (of_stop && (action.sa_flags & SA_NOCLDSTOP) != 0) return true;
  // relaxed: see interruptions().
  if ((action.sa_flags & SA_RESTART) == 0) interruptions_.fetch_add(1, std::memory_order_relaxed);
  if ((action.sa_flags & SA_RESETHAND) != 0) mine.sa_handler = SIG_DFL;
  ThreadRecord* const record = host_thread().record;
  const void* const outer = record == nullptr ? nullptr : record->handler_frame;
  if (record != nullptr) record->handler_frame = __builtin_frame_address(0);
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
  if (record != nullptr) record->handler_frame = outer;
  return true;
}

int Signals::set_timer(const itimerval* value, itimerval* previous)
{
  const Holder guard(mutex_);
  if (!has_timer_) {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event._sigev_un._tid = main_thread_;
    if (::timer_create(CLOCK_REALTIME, &event, &timer_) != 0) return -1;
    has_timer_ = true;
  }
  const auto to_timespec = [](const timeval& time) { return timespec{time.tv_sec, time.tv_usec * 1000}; };
  const auto to_timeval = [](const timespec& time) { return timeval{time.tv_sec, time.tv_nsec / 1000}; };
  itimerspec before{};
  if (value != nullptr) {
    const itimerspec wanted{to_timespec(value->it_interval), to_timespec(value->it_value)};
    if (::timer_settime(timer_, 0, &wanted, &before) != 0) return -1;
  } else if (::timer_gettime(timer_, &before) != 0) {
    return -1;
  }
  if (previous != nullptr) *previous = {to_timeval(before.it_interval), to_timeval(before.it_value)};
  return 0;
}

namespace {

int rank_sigaction(int signal, const struct sigaction* action, struct sigaction* previous)
{
  LibcState* const state = current_libc();
  return state != nullptr ? state->signals.set(signal, action, previous)
                          : ::sigaction(signal, action, previous);
}

sighandler_t set_handler(int signal, sighandler_t handler, int flags)
{
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  struct sigaction previous {};
  return rank_sigaction(signal, &action, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}

sighandler_t rank_signal(int signal, sighandler_t handler)
{
  return set_handler(signal, handler, SA_RESTART);
}

sighandler_t rank_sysv_signal(int signal, sighandler_t handler)
{
  return set_handler(signal, handler, SA_RESETHAND | SA_NODEFER);
}

int rank_setitimer(__itimer_which_t which, const itimerval* value, itimerval* previous)
{
  LibcState* const state = current_libc();
  if (state == nullptr || which != ITIMER_REAL) return ::setitimer(which, value, previous);
  return state->signals.set_timer(value, previous);
}

int rank_getitimer(__itimer_which_t which, itimerval* value)
{
  LibcState* const state = current_libc();
  if (state == nullptr || which != ITIMER_REAL) return ::getitimer(which, value);
  return state->signals.set_timer(nullptr, value);
}

unsigned rank_alarm(unsigned seconds)
{
  LibcState* const state = current_libc();
  if (state == nullptr) return ::alarm(seconds);
  const itimerval value{{0, 0}, {static_cast<time_t>(seconds), 0}};
  itimerval previous{};
  if (state->signals.set_timer(&value, &previous) != 0) return 0;
  // Rounded, but never to 0 while the clock was running (alarm(2)).
  const time_t rest = previous.it_value.tv_sec;
  const bool more = previous.it_value.tv_usec >= 500000 || (rest == 0 && previous.it_value.tv_usec > 0);
  return static_cast<unsigned>(rest + (more ? 1 : 0));
}

const Override signal_table[] = {
    override_with("sigaction", &rank_sigaction),
    override_with("__sigaction", &rank_sigaction),
    override_with("signal", &rank_signal),
    override_with("bsd_signal", &rank_signal),
    override_with("ssignal", &rank_signal),
    override_with("sysv_signal", &rank_sysv_signal),
    override_with("__sysv_signal", &rank_sysv_signal),
    override_with("setitimer", &rank_setitimer),
    override_with("getitimer", &rank_getitimer),
    override_with("alarm", &rank_alarm),
};

}  // namespace

std::span<const Override> signal_overrides()
{
  return signal_table;
}

}  // namespace ranklet::loader
