#include "base/sleeping_threads.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include <linux/futex.h>
#include <sys/syscall.h>

namespace ranklet {
namespace {

// Whether the word lies in memory of this process alone.
bool is_private(unsigned long word)
{
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    unsigned long begin = 0, end = 0;
    char sharing = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*c%*c%*c%c", &begin, &end, &sharing) != 3) return false;
    if (word >= begin && word < end) return sharing == 'p';
  }
  return false;
}

// "202 0x55… 0x189 …": the number of the system call that the thread sleeps in, and its arguments; "running".
bool sleeps_till_woken(pid_t thread, const std::vector<pid_t>& known, bool by_anybody)
{
  std::ifstream file(file_of_thread(thread, "syscall"));
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
  // Others than the known ones may wake it, unless it waits for the end of a thread: then the word holds that
  // one's number.
  if (std::ranges::find(known, static_cast<pid_t>(value)) != known.end()) return true;
  // Threads that wait for a std::future are here.
  return by_anybody && is_private(word);
}

// -1: not known.
std::int64_t voluntary_switches(pid_t thread)
{
  std::ifstream file(file_of_thread(thread, "status"));
  for (std::string line; std::getline(file, line);) {
    long long count = 0;
    if (std::sscanf(line.c_str(), "voluntary_ctxt_switches: %lld", &count) == 1) return count;
  }
  return -1;
}

}  // namespace

std::string file_of_thread(pid_t thread, const char* name)
{
  return "/proc/self/task/" + std::to_string(thread) + "/" + name;
}

int SleepingThreads::count(int rank, const std::vector<pid_t>& threads, const std::vector<pid_t>& known,
                           bool by_anybody)
{
  const Holder guard(mutex_);
  auto& sleeps = ranks_[static_cast<std::size_t>(rank)];
  std::map<pid_t, Sleep> now;
  int long_asleep = 0;
  for (const pid_t thread : threads) {
    // In this order: if it has gone to sleep as often as before, what was seen is the same sleep.
    if (!sleeps_till_woken(thread, known, by_anybody)) continue;
    const std::int64_t switches = voluntary_switches(thread);
    if (switches < 0) continue;
    const auto time = std::chrono::steady_clock::now();
    const auto before = sleeps.find(thread);
    const bool sleeps_on = before != sleeps.end() && before->second.switches == switches;
    const Sleep& sleep = now[thread] = sleeps_on ? before->second : Sleep{switches, time};
    if (sleeps_on && time - sleep.seen >= long_enough_) ++long_asleep;
  }
  sleeps = std::move(now);
  return long_asleep;
}

}  // namespace ranklet
