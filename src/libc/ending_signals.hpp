// Signals that end a process by default and are no faults: SIGINT, SIGTERM, SIGPIPE, SIGUSR2 and the like.
// For faults see crash_report.hpp.
//
// A process would be gone at once. Here the ranks' output is to go out first, and who was killed is to be
// said; little of that may be done in a signal handler. So the handler tells a thread, which calls the host.
// A rank's thread that has sent the signal to itself, or got it for what it does (SIGPIPE, its timer), never
// goes on; others run until the process ends.
//
// A signal that is ignored from the start (nohup) stays so. Handlers that programs install come first. What comes
// to the whole process from outside (ctrl-C, SIGTERM, …) goes to every rank, as it would to processes; it ends the
// job if one of them has the default action.
#pragma once

#include <csignal>
#include <functional>
#include <memory>

#include <sys/types.h>

namespace ranklet::loader {

struct ProcessState;

struct SignalCause {
  int signal;
  const ProcessState* process;  // of the rank that it was meant for; null: the whole process is
  pid_t sender;  // another process; 0: none, or the terminal
};

// Installs the handlers, for the life of the process: one per process.
class EndingSignals {
 public:
  // `end` is called once, on a thread of its own, to write what there is to be written. Then the process ends
  // as if by this signal; also when that takes too long. Before, on the same thread, `deliver` gives a signal from
  // outside to the ranks; false: one of them does nothing about it, so the job ends.
  explicit EndingSignals(std::function<void(const SignalCause&)> end,
                         std::function<bool(int signal)> deliver = nullptr);
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

 private:
  friend void end_by_signal(int, const siginfo_t*) noexcept;
  struct Installed;
  std::unique_ptr<Installed> installed_;
};

// What the handler does, for those who find that a program has no handler of its own. Returns only if the
// process will end soon.
void end_by_signal(int signal, const siginfo_t* info) noexcept;

// Whether it came to the whole process, from the terminal or another process, and is one of those that ask a
// program to end.
bool is_from_outside(int signal, const siginfo_t* info) noexcept;

// Whether the calling thread sent the signal itself.
bool sent_by_this_process(const siginfo_t& info) noexcept;

// Ends the process as the signal does by default, with a core file where that belongs to it and the limits
// allow one.
[[noreturn]] void die_by(int signal) noexcept;

// Ends the process with this code if it is still there after some seconds. In a signal handler.
void end_soon(int code) noexcept;

}  // namespace ranklet::loader
