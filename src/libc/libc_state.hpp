// The C library's state of one rank: what libc keeps once per process and a rank must have for itself.
//
// Programs reach it through overrides (override.hpp): calls from private images come here, those of the host
// and of shared libraries go to libc as ever. A thread that belongs to no rank gets libc's own behaviour.
//
// What is a rank's own and what all ranks share: docs/how-ranks-differ-from-processes.md.
//
// The working directory and umask are the kernel's, by unshare(CLONE_FS) on the rank's main thread, which its
// later threads share. Where a container forbids that, a rank that changes them is told that it does so for
// all.
#pragma once

#include <cstdint>
#include <vector>

#include "libc/children.hpp"
#include "libc/descriptors.hpp"
#include "libc/environment.hpp"
#include "libc/fork_handlers.hpp"
#include "libc/getopt.hpp"
#include "libc/locale.hpp"
#include "libc/random.hpp"
#include "libc/signals.hpp"
#include "libc/static.hpp"
#include "libc/stdio.hpp"
#include "libc/time_zone.hpp"
#include "process/override.hpp"
#include "process/process.hpp"

namespace ranklet::loader {

struct LibcState {
  // On the rank's main thread, when the process's variables have their places: sets stdin, stdout, stderr and
  // environ. output and input must outlive the state.
  LibcState(ProcessState& process, JobOutput& output, JobInput& input);
  ~LibcState();
  LibcState(const LibcState&) = delete;
  LibcState& operator=(const LibcState&) = delete;

  // On each further thread of the rank, first.
  void enter_thread();

  // On such a thread, last.
  void leave_thread();

  // At the end of the rank, after its exit handlers: everything it printed goes out.
  void finish();

  ProcessState& process;
  JobOutput& output;
  bool own_directory;                          // unshare(CLONE_FS) was allowed
  std::int64_t cpu_time_of_ended_threads = 0;  // nanoseconds; guarded by process.threads_mutex

  Descriptors descriptors;
  Stdio stdio;
  Environment environment;
  TimeZone zone;
  Getopt getopt;
  RandomNumbers random;
  StaticResults results;
  Locale locale;
  Signals signals;
  ForkHandlers fork_handlers;
  Children children;
};

// The state of the calling thread's rank; nullptr in threads of the host.
inline LibcState* current_libc() noexcept
{
  ProcessState* const process = current_process();
  return process == nullptr ? nullptr : process->libc.get();
}

// After a crash or before the job is ended by force, from any thread, also in a signal handler: writes out
// what is in the rank's stdout and stderr, unless another thread has them in its hands for too long.
void flush_stdio_after_crash(LibcState& state, Patience& patience) noexcept;

// All of this folder's overrides of libc functions that keep state.
std::vector<Override> libc_overrides();

// The tables they come from, one per file.
std::span<const Override> stdio_overrides();
std::span<const Override> open_overrides();
std::span<const Override> printing_overrides();
std::span<const Override> complaint_overrides();
std::span<const Override> descriptor_overrides();
std::span<const Override> environment_overrides();
std::span<const Override> getopt_overrides();
std::span<const Override> random_overrides();
std::span<const Override> static_overrides();
std::span<const Override> locale_overrides();
std::span<const Override> directory_overrides();
std::span<const Override> signal_overrides();
std::span<const Override> signal_waiting_overrides();
std::span<const Override> descriptor_control_overrides();
std::span<const Override> descriptor_waiting_overrides();
std::span<const Override> zone_overrides();
std::span<const Override> fork_handler_overrides();
std::span<const Override> children_overrides();
std::span<const Override> wait_overrides();
std::span<const Override> exec_overrides();
std::span<const Override> clock_overrides();
std::span<const Override> shared_memory_overrides();

}  // namespace ranklet::loader
