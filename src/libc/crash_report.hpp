// What happens when a rank gets a fatal signal: one readable report, then the end of the job.
//
//     ranklet: rank 3 got signal 11 (SIGSEGV, Segmentation fault): null pointer (address 0x10)
//       #0 Grid::cell(int) at grid.cpp:42
//       #1 step() at main.cpp:17
//
// Signals: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS. A handler that the program installed
// itself (sigaction, signal) goes first; what it does not end comes here when it restores the default and
// raises the signal again. Before all that comes whoever knows the fault (Recovery). The first rank that
// crashes reports; others that crash meanwhile wait for the end. All ranks' output goes out before the
// process ends by the signal, with a core file where the limits allow one (ulimit -c). A second fault inside
// the report, or one that takes longer than some seconds, ends the process at once with the code 128 + signal
// and what is known.
#pragma once

#include <csignal>
#include <memory>

namespace ranklet::loader {

class JobOutput;
struct LibcState;

// Told of SIGBUS with its context; true: the thread goes on, elsewhere. In the signal handler.
using Recovery = bool (*)(void* context) noexcept;

// Whether the thread that got this signal goes on. In the signal handler, first.
bool recovers(int signal, void* context) noexcept;

// The signal handler. Does not return.
[[noreturn]] void report_crash(int signal, siginfo_t* info, void* context);

// Installs the handlers while it lives: one per process, made by the host before ranks start.
class CrashReports {
 public:
  explicit CrashReports(JobOutput& output, Recovery recovery = nullptr);
  ~CrashReports();
  CrashReports(const CrashReports&) = delete;
  CrashReports& operator=(const CrashReports&) = delete;

  // The rank's stdio buffers are then written out as well. The state is kept alive.
  void add(std::shared_ptr<LibcState> state);
  void remove(const LibcState& state);
  // Before the process ends in peace: returns at once unless a report is being made, which ends it then.
  void await_report() const noexcept;

 private:
  friend void report_crash(int, siginfo_t*, void*);
  friend bool recovers(int, void*) noexcept;
  struct Installed;
  std::unique_ptr<Installed> installed_;
};

}  // namespace ranklet::loader
