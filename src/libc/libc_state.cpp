#include "libc/libc_state.hpp"

#include <sched.h>

#include <ctime>

namespace ranklet::loader {

LibcState::LibcState(ProcessState& process_of_rank, JobOutput& job_output, JobInput& job_input)
    : process(process_of_rank),
      output(job_output),
      own_directory(::unshare(CLONE_FS) == 0),
      descriptors(process.seat, job_output, job_input),
      stdio(descriptors, process.variables),
      environment(process.variables.environ_),
      zone(environment, process.variables),
      getopt(process.variables),
      children(*this)
{
}

LibcState::~LibcState() = default;

void LibcState::enter_thread()
{
  locale.use_on_this_thread();
}

void LibcState::leave_thread()
{
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  const Holder guard(process.threads_mutex);
  cpu_time_of_ended_threads += used.tv_sec * std::int64_t{1'000'000'000} + used.tv_nsec;
}

void LibcState::finish()
{
  stdio.flush();
  descriptors.finish();
}

void flush_stdio_after_crash(LibcState& state, Patience& patience) noexcept
{
  state.stdio.try_flush(patience);
}

std::vector<Override> libc_overrides()
{
  std::vector<Override> all;
  for (const auto table : {stdio_overrides(),
                           printing_overrides(),
                           complaint_overrides(),
                           descriptor_overrides(),
                           environment_overrides(),
                           getopt_overrides(),
                           random_overrides(),
                           static_overrides(),
                           locale_overrides(),
                           directory_overrides(),
                           signal_overrides(),
                           signal_waiting_overrides(),
                           descriptor_control_overrides(),
                           descriptor_waiting_overrides(),
                           zone_overrides(),
                           fork_handler_overrides(),
                           children_overrides(),
                           wait_overrides(),
                           exec_overrides(),
                           clock_overrides(),
                           open_overrides(),
                           shared_memory_overrides()})
    all.insert(all.end(), table.begin(), table.end());
  return all;
}

}  // namespace ranklet::loader
