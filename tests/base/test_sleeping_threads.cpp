// Which threads only another one wakes.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>

#include <sys/syscall.h>
#include <unistd.h>

#include "base/sleeping_threads.hpp"

using namespace ranklet;
using namespace std::chrono_literals;

namespace {

pid_t own_number()
{
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

// A thread that waits in its way for `over`.
struct Waiter {
  explicit Waiter(const std::function<void(Waiter&)>& way)
      : thread([this, way] {
          {
            const std::lock_guard guard(mutex);
            number = own_number();
          }
          condition.notify_all();
          way(*this);
        })
  {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return number != 0; });
  }
  ~Waiter()
  {
    {
      const std::lock_guard guard(mutex);
      over = true;
    }
    condition.notify_all();
    thread.join();
  }

  std::mutex mutex;
  std::condition_variable condition;
  pid_t number = 0;
  bool over = false;
  std::thread thread;  // the last member, as it uses the others
};

// Kernels can be built without.
bool kernel_tells()
{
  return std::ifstream("/proc/self/syscall").good();
}

void wait_till_woken(Waiter& self)
{
  std::unique_lock lock(self.mutex);
  self.condition.wait(lock, [&] { return self.over; });
}

}  // namespace

TEST_CASE("a thread that waits for a condition sleeps until it is woken")
{
  if (!kernel_tells()) return;
  Waiter waiter(wait_till_woken);
  SleepingThreads threads(2, 0ms);
  while (threads.count(1, {waiter.number, own_number()}) != 1) std::this_thread::yield();
  CHECK(threads.count(1, {waiter.number, own_number()}) == 1);
  CHECK(threads.count(0, {waiter.number}) == 0);  // was not seen there before
}

TEST_CASE("a thread that waits for another one's end sleeps, if that is one of the rank")
{
  if (!kernel_tells()) return;
  Waiter awaited(wait_till_woken);
  Waiter joiner([&](Waiter&) { awaited.thread.join(); });
  SleepingThreads threads(1, 0ms);
  while (threads.count(0, {awaited.number, joiner.number}) != 2) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) CHECK(threads.count(0, {joiner.number}) == 0);
  {
    const std::lock_guard guard(awaited.mutex);
    awaited.over = true;
  }
  awaited.condition.notify_all();
  joiner.thread.join();
  joiner.thread = std::thread([] {});
  awaited.thread = std::thread([] {});
}

TEST_CASE("nobody sleeps who has slept for a short time, has a time limit or computes")
{
  if (!kernel_tells()) return;
  Waiter waiter(wait_till_woken);
  Waiter limited([](Waiter& self) {
    std::unique_lock lock(self.mutex);
    while (!self.over) self.condition.wait_for(lock, 1h);
  });
  Waiter busy([](Waiter& self) {
    for (;;) {
      const std::lock_guard guard(self.mutex);
      if (self.over) return;
    }
  });
  SleepingThreads patient(1, 1h), threads(1, 0ms);
  while (threads.count(0, {waiter.number}) != 1) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {
    CHECK(patient.count(0, {waiter.number}) == 0);
    CHECK(threads.count(0, {limited.number, busy.number, own_number()}) == 0);
  }
}

TEST_CASE("threads may end while they are looked at")
{
  SleepingThreads threads(1, 0ms);
  for (int i = 0; i < 2000; ++i) {
    std::atomic<pid_t> number = 0;
    std::atomic<bool> over = false;
    std::thread ending([&] {
      number.store(own_number(), std::memory_order_relaxed);
      while (!over.load(std::memory_order_relaxed)) std::this_thread::yield();
    });
    while (number.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    over.store(true, std::memory_order_relaxed);
    // Spread over the time that its end takes.
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < i % 100 * 300ns) continue;
    CHECK(threads.count(0, {number.load(std::memory_order_relaxed)}) == 0);
    ending.join();
  }
}
