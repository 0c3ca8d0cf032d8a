// Subjects of the model on the real machine: a thread on a core for each rank.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "memmodel/native.hpp"

namespace ranklet::model {

inline double now_ns()
{
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

// Those of the process when it began; threads pin themselves later.
inline const std::vector<int>& allowed_cores()
{
  static const std::vector<int> all = [] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) cores.push_back(core);
    return cores;
  }();
  return all;
}

inline void pin(int core)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

// Nanoseconds from when both threads are there until the slower one has run body(me).
inline double time_of_two(const std::function<void(int)>& body)
{
  const auto& cores = allowed_cores();
  std::atomic<int> here{0};
  double times[2] = {};
  const auto run = [&](int me) {
    pin(cores[static_cast<std::size_t>(me)]);
    // The start is ordered for both: acq_rel, and acquire.
    here.fetch_add(1, std::memory_order_acq_rel);
    while (here.load(std::memory_order_acquire) != 2) memmodel::Native::pause();
    const double start = now_ns();
    body(me);
    times[me] = now_ns() - start;
  };
  std::thread first([&] { run(0); }), second([&] { run(1); });
  first.join();
  second.join();
  return std::max(times[0], times[1]);
}

template <class Value>
double median_of(int repetitions, Value&& value)
{
  std::vector<double> values;
  for (int i = 0; i < repetitions; ++i) values.push_back(value());
  std::nth_element(values.begin(), values.begin() + repetitions / 2, values.end());
  return values[static_cast<std::size_t>(repetitions / 2)];
}

}  // namespace ranklet::model
