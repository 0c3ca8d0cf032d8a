#include "launch/rank_threads.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "base/other_threads.hpp"

namespace ranklet::launch {
namespace {

// Whether the kernel waits for something on its behalf; also if nothing is known.
bool is_asleep(pid_t thread)
{
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(thread));
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  char text[256];
  const ssize_t size = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (size <= 0) return true;
  text[size] = '\0';
  // "number (name) S ..."; the name may hold anything but is short.
  const char* const name_end = std::strrchr(text, ')');
  return name_end == nullptr || (name_end[1] == ' ' && name_end[2] == 'S');
}

constexpr std::chrono::milliseconds shortest{300};
constexpr std::chrono::milliseconds longest{1500};  // below the grace that mpiexec gives after a SIGTERM

std::chrono::nanoseconds processor_time() noexcept
{
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace

TimeToRest::TimeToRest() noexcept : begin_(std::chrono::steady_clock::now()), used_(processor_time()) {}

bool TimeToRest::is_over() const noexcept
{
  const auto waited = std::chrono::steady_clock::now() - begin_;
  return waited > longest || (waited > shortest && processor_time() - used_ > shortest);
}

[[noreturn]] void sleep_for_ever()
{
  while (true) ::pause();
}

void RankThreads::started(int rank)
{
  const Holder guard(mutex_);
  threads_[static_cast<std::size_t>(rank)] = ::gettid();
}

// Not only the ranks' main threads: a rank may sleep for what another thread of the process holds.
bool RankThreads::at_rest(int except) const
{
  pid_t spared = not_started;
  {
    const Holder guard(mutex_);
    for (std::size_t rank = 0; rank < threads_.size(); ++rank)
      if (static_cast<int>(rank) == except)
        spared = threads_[rank];
      else if (threads_[rank] == not_started)
        return false;
  }
  const pid_t own = ::gettid();
  return std::ranges::all_of(threads_of_process(), [&](pid_t thread) {
    return thread == own || thread == spared || is_asleep(thread);
  });
}

void RankThreads::await_rest(int except, const TimeToRest& time) const
{
  // A thread may sleep for a short while, for a lock or a page: two looks in a row must agree.
  for (int agreed = 0; agreed < 2 && !time.is_over();) {
    agreed = at_rest(except) ? agreed + 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace ranklet::launch
