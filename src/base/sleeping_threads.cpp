#include "base/sleeping_threads.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include <linux/futex.h>
#include <sys/syscall.h>

namespace ranklet {
namespace {

std::string path_of(pid_t thread, const char* file)
{
  return "/proc/self/task/" + std::to_string(thread) + "/" + file;
}

// "202 0x55… 0x189 …": the number of the system call that the thread sleeps in, and its arguments; "running".
bool sleeps_till_woken(pid_t thread, const std::vector<pid_t>& threads)
{
  std::ifstream file(path_of(thread, "syscall"));
  // The thread may end meanwhile, and the read fails: an iterator over the stream would throw that.
  std::string text;
  std::getline(file, text);
  long number = -1;
  unsigned long word = 0, operation = 0, value = 0, limit = 0;
  if (std::sscanf(text.c_str(), "%ld %lx %lx %lx %lx", &number, &word, &operation, &value, &limit) != 5)
    return false;
  if (number != SYS_futex || limit != 0) return false;
  const auto command = static_cast<int>(operation) & FUTEX_CMD_MASK;
  if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET && command != FUTEX_LOCK_PI) return false;
  if ((operation & FUTEX_PRIVATE_FLAG) != 0) return true;
  // Other ranks may wake it, unless it waits for the end of a thread: then the word holds that one's number.
  return std::ranges::find(threads, static_cast<pid_t>(value)) != threads.end();
}

// -1: not known.
std::int64_t voluntary_switches(pid_t thread)
{
  std::ifstream file(path_of(thread, "status"));
  for (std::string line; std::getline(file, line);) {
    long long count = 0;
    if (std::sscanf(line.c_str(), "voluntary_ctxt_switches: %lld", &count) == 1) return count;
  }
  return -1;
}

}  // namespace

int SleepingThreads::count(int rank, const std::vector<pid_t>& threads)
{
  const Holder guard(mutex_);
  auto& known = ranks_[static_cast<std::size_t>(rank)];
  std::map<pid_t, Sleep> now;
  int long_asleep = 0;
  for (const pid_t thread : threads) {
    // In this order: if it has gone to sleep as often as before, what was seen is the same sleep.
    if (!sleeps_till_woken(thread, threads)) continue;
    const std::int64_t switches = voluntary_switches(thread);
    if (switches < 0) continue;
    const auto time = std::chrono::steady_clock::now();
    const auto before = known.find(thread);
    const bool sleeps_on = before != known.end() && before->second.switches == switches;
    const Sleep& sleep = now[thread] = sleeps_on ? before->second : Sleep{switches, time};
    if (sleeps_on && time - sleep.seen >= long_enough_) ++long_asleep;
  }
  known = std::move(now);
  return long_asleep;
}

}  // namespace ranklet
