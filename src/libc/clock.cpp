// CPU time: a process's is that of its threads, so a rank's is that of the rank's threads.

#include <pthread.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "libc/libc_state.hpp"
#include "process/thread_record.hpp"

namespace ranklet::loader {

namespace {

constexpr std::int64_t second = 1'000'000'000;

std::int64_t nanoseconds(clockid_t clock)
{
  timespec time{};
  return ::clock_gettime(clock, &time) == 0 ? time.tv_sec * second + time.tv_nsec : 0;
}

std::int64_t cpu_time_of(LibcState& state)
{
  const Holder guard(state.process.threads_mutex);
  std::int64_t sum = state.cpu_time_of_ended_threads;
  for (const ThreadRecord* thread : state.process.threads) {
    // On x86-64 a pthread_t is the thread pointer.
    clockid_t clock;
    if (::pthread_getcpuclockid(reinterpret_cast<pthread_t>(thread->pointer), &clock) == 0)
      sum += nanoseconds(clock);
  }
  return sum;
}

std::clock_t rank_clock()
{
  LibcState* const state = current_libc();
  return state != nullptr ? cpu_time_of(*state) / (second / CLOCKS_PER_SEC) : std::clock();
}

int rank_clock_gettime(clockid_t clock, timespec* time)
{
  LibcState* const state = clock == CLOCK_PROCESS_CPUTIME_ID ? current_libc() : nullptr;
  if (state == nullptr) return ::clock_gettime(clock, time);
  const std::int64_t sum = cpu_time_of(*state);
  *time = {sum / second, sum % second};
  return 0;
}

// Memory, page faults and switches are those of the whole job. How user and system time share the sum is
// known for the calling thread only; the other threads' is taken for user time.
int rank_getrusage(__rusage_who_t who, rusage* usage)
{
  LibcState* const state = who == RUSAGE_SELF ? current_libc() : nullptr;
  const int result = ::getrusage(who, usage);
  rusage mine;
  if (state == nullptr || result != 0 || ::getrusage(RUSAGE_THREAD, &mine) != 0) return result;
  usage->ru_stime = mine.ru_stime;
  const std::int64_t system = mine.ru_stime.tv_sec * second + mine.ru_stime.tv_usec * 1000;
  const std::int64_t user = std::max<std::int64_t>(cpu_time_of(*state) - system, 0);
  usage->ru_utime = {user / second, user % second / 1000};
  return 0;
}

std::clock_t rank_times(tms* result)
{
  const std::clock_t now = ::times(result);
  rusage usage;
  if (current_libc() == nullptr || now == static_cast<std::clock_t>(-1) || result == nullptr ||
      rank_getrusage(RUSAGE_SELF, &usage) != 0)
    return now;
  const long ticks = ::sysconf(_SC_CLK_TCK);
  const auto in_ticks = [ticks](const timeval& time) {
    return time.tv_sec * ticks + time.tv_usec * ticks / 1000000;
  };
  result->tms_utime = in_ticks(usage.ru_utime);
  result->tms_stime = in_ticks(usage.ru_stime);
  return now;
}

const Override clock_table[] = {
    override_with("clock", &rank_clock),
    override_with("clock_gettime", &rank_clock_gettime),
    override_with("getrusage", &rank_getrusage),
    override_with("times", &rank_times),
};

}  // namespace

std::span<const Override> clock_overrides()
{
  return clock_table;
}

}  // namespace ranklet::loader
