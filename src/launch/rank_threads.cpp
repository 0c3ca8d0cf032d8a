#include "launch/rank_threads.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

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

}  // namespace

[[noreturn]] void sleep_for_ever()
{
  while (true) ::pause();
}

void RankThreads::started(int rank)
{
  const Holder guard(mutex_);
  threads_[static_cast<std::size_t>(rank)] = ::gettid();
}

bool RankThreads::at_rest(int except) const
{
  const Holder guard(mutex_);
  for (std::size_t rank = 0; rank < threads_.size(); ++rank) {
    const pid_t thread = threads_[rank];
    if (static_cast<int>(rank) == except) continue;
    if (thread == not_started || !is_asleep(thread)) return false;
  }
  return true;
}

void RankThreads::await_rest(int except, std::chrono::milliseconds longest) const
{
  // A thread may sleep for a short while, for a lock or a page: two looks in a row must agree.
  const auto end = std::chrono::steady_clock::now() + longest;
  for (int agreed = 0; agreed < 2 && std::chrono::steady_clock::now() < end;) {
    agreed = at_rest(except) ? agreed + 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace ranklet::launch
