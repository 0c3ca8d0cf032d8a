#include "base/other_threads.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include <dirent.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "base/sanitized.hpp"
#include "base/sanitizer_runtime.hpp"

namespace ranklet {
namespace {

// Also where a look has taken very long, as a debugger stopped the process.
constexpr std::chrono::milliseconds longest_pause(100);

// ThreadSanitizer's thread sleeps for a time, again and again, with all signals blocked that can be.
bool naps_without_signals(pid_t thread)
{
  long call = -1;
  std::ifstream(file_of_thread(thread, "syscall")) >> call;
  if (call != SYS_nanosleep && call != SYS_clock_nanosleep) return false;
  // SIGKILL, SIGSTOP, and the two that the C library has for itself.
  constexpr unsigned long long never_blocked = 1ULL << 8 | 1ULL << 18 | 1ULL << 31 | 1ULL << 32;
  std::ifstream status(file_of_thread(thread, "status"));
  for (std::string line; std::getline(status, line);) {
    unsigned long long blocked = 0;
    if (std::sscanf(line.c_str(), "SigBlk: %llx", &blocked) == 1) return (blocked | never_blocked) == ~0ULL;
  }
  return false;
}

// Whether a timer may send a signal, whose handler may wake somebody.
bool timers_run()
{
  if (std::string first; std::getline(std::ifstream("/proc/self/timers"), first)) return true;
  itimerval timer = {};
  if (::getitimer(ITIMER_REAL, &timer) != 0) return true;
  if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) return false;
  struct sigaction action = {};
  return ::sigaction(SIGALRM, nullptr, &action) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

}  // namespace

std::vector<pid_t> threads_of_process()
{
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc/self/task"), &::closedir);
  if (!directory) return threads;
  while (const dirent* const entry = ::readdir(directory.get())) {
    pid_t thread = 0;
    std::from_chars(entry->d_name, entry->d_name + std::strlen(entry->d_name), thread);
    if (thread > 0) threads.push_back(thread);
  }
  // It is made before main(), so it comes behind the first one.
  if ((thread_sanitized || threads_are_watched()) && threads.size() > 1 && naps_without_signals(threads[1]))
    threads.erase(threads.begin() + 1);
  return threads;
}

bool OtherThreads::all_sleep(const std::vector<pid_t>& but_these)
{
  const Holder guard(mutex_);
  const auto begin = Clock::now();
  if (begin < next_look_) return false;
  if (all_sleep_now(but_these)) return true;
  const auto end = Clock::now();
  next_look_ = end + std::min<Clock::duration>(9 * (end - begin), longest_pause);
  return false;
}

bool OtherThreads::all_sleep_now(const std::vector<pid_t>& but_these)
{
  const std::vector<pid_t> all = threads_of_process();
  if (all.empty() || timers_run()) return false;
  std::vector<pid_t> others;
  std::ranges::remove_copy_if(all, std::back_inserter(others), [&](pid_t thread) {
    return std::ranges::find(but_these, thread) != but_these.end();
  });
  return sleeping_.count_in_process(others, all) == static_cast<int>(others.size());
}

}  // namespace ranklet
