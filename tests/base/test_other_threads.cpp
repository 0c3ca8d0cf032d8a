// Whether nothing in the process moves but those of which it is known.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <fstream>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/other_threads.hpp"

using namespace ranklet;
using namespace std::chrono_literals;

namespace {

// What threads of a case wait for, until its end.
struct Gate {
  std::mutex mutex;
  std::condition_variable condition;
  bool open = false;

  void wait()
  {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return open; });
  }
  void release()
  {
    const std::lock_guard guard(mutex);
    open = true;
    condition.notify_all();
  }
};

// A thread that runs `work`, after it has told its number.
class Numbered {
 public:
  explicit Numbered(std::function<void()> work)
      : thread_([this, run = std::move(work)] {
          told_.set_value(::gettid());
          run();
        })
  {
    number_ = told_.get_future().get();
  }
  ~Numbered()
  {
    if (thread_.joinable()) thread_.join();
  }
  Numbered(const Numbered&) = delete;
  Numbered& operator=(const Numbered&) = delete;

  pid_t number() const { return number_; }
  std::thread& thread() { return thread_; }

 private:
  std::promise<pid_t> told_;
  pid_t number_ = 0;
  std::thread thread_;  // the last member, as it uses the others
};

struct Releasing {
  Gate& gate;
  ~Releasing() { gate.release(); }
};

bool kernel_says()
{
  return std::ifstream("/proc/self/syscall").good();
}

// "No" may be said again without a look.
void look_until_they_sleep(OtherThreads& others, const std::vector<pid_t>& known)
{
  while (!others.all_sleep(known)) std::this_thread::yield();
}

// Many looks, each after a pause in which the threads are watched by none.
bool found_asleep(OtherThreads& others, const std::vector<pid_t>& known)
{
  bool found = false;
  for (int i = 0; i < 200; ++i) {
    found = found || others.all_sleep(known);
    std::this_thread::yield();
  }
  return found;
}

}  // namespace

TEST_CASE("the threads of the process are known by number, the first one first")
{
  Gate gate;
  const Numbered waiting([&] { gate.wait(); });
  const Releasing end{gate};
  const std::vector<pid_t> threads = threads_of_process();
  REQUIRE(threads.size() >= 2);
  CHECK(threads[0] == ::getpid());
  CHECK(std::ranges::count(threads, waiting.number()) == 1);
  CHECK(std::ranges::count(threads, ::gettid()) == 1);
}

TEST_CASE("without other threads all sleep, at once")
{
  if (!kernel_says()) return;
  OtherThreads patient(1h);
  look_until_they_sleep(patient, {::gettid()});
}

TEST_CASE("who looks is awake")
{
  OtherThreads others(0ms);
  CHECK_FALSE(found_asleep(others, {}));
}

TEST_CASE("threads that only others wake sleep, also in a future, and where they wait for the end of others")
{
  if (!kernel_says()) return;
  Gate gate;
  std::promise<void> promise;
  Numbered in_condition([&] { gate.wait(); });
  const Numbered in_future([&] { promise.get_future().wait(); });
  const Numbered joining([&] { in_condition.thread().join(); });
  {
    OtherThreads others(0ms), patient(1h);
    look_until_they_sleep(others, {::gettid()});
    CHECK(others.all_sleep({::gettid()}));
    // Also where the one whose end is awaited is one of those that are known to wait.
    CHECK(others.all_sleep({::gettid(), in_condition.number()}));
    CHECK_FALSE(found_asleep(patient, {::gettid()}));
  }
  promise.set_value();
  gate.release();
}

TEST_CASE("one thread that may go on by itself is enough")
{
  Gate gate;
  const Numbered asleep([&] { gate.wait(); });
  std::atomic<bool> over = false;
  const int events = ::eventfd(0, EFD_CLOEXEC);
  std::function<void()> work;
  SUBCASE("it computes")
  {
    work = [&] {
      while (!over.load(std::memory_order_relaxed)) continue;
    };
  }
  SUBCASE("it sleeps for a time")
  {
    work = [&] {
      while (!over.load(std::memory_order_relaxed)) std::this_thread::sleep_for(1ms);
    };
  }
  SUBCASE("it waits for a condition, for a time")
  {
    work = [&] {
      std::unique_lock lock(gate.mutex);
      while (!gate.open) gate.condition.wait_for(lock, 1h);
    };
  }
  SUBCASE("it polls")
  {
    work = [&] {
      pollfd event = {events, POLLIN, 0};
      ::poll(&event, 1, -1);
    };
  }
  SUBCASE("it reads")
  {
    work = [&] {
      std::uint64_t count = 0;
      CHECK(::read(events, &count, sizeof count) == sizeof count);
    };
  }
  {
    const Numbered awake(work);
    OtherThreads others(0ms);
    CHECK_FALSE(found_asleep(others, {::gettid()}));
    CHECK((!kernel_says() || [&] {
      OtherThreads those_left(0ms);
      look_until_they_sleep(those_left, {::gettid(), awake.number()});
      return true;
    }()));
    over.store(true, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    CHECK(::write(events, &one, sizeof one) == sizeof one);
    gate.release();
  }
  ::close(events);
}

TEST_CASE("a thread that wakes another one and sleeps again is not found asleep between")
{
  // They take turns, so at each moment all but one sleep.
  constexpr int threads = 3;
  std::mutex mutex;
  std::condition_variable condition;
  int turn = 0;
  bool over = false;
  std::vector<std::thread> ring;
  for (int me = 0; me < threads; ++me)
    ring.emplace_back([&, me] {
      std::unique_lock lock(mutex);
      for (;;) {
        condition.wait(lock, [&] { return over || turn == me; });
        if (over) return;
        turn = (me + 1) % threads;
        condition.notify_all();
      }
    });
  OtherThreads others(0ms);
  CHECK_FALSE(found_asleep(others, {::gettid()}));
  {
    const std::lock_guard guard(mutex);
    over = true;
  }
  condition.notify_all();
  for (std::thread& each : ring) each.join();
}

TEST_CASE("a timer may wake somebody by its signal, if that has a handler")
{
  if (!kernel_says()) return;
  OtherThreads others(0ms);
  const itimerval late = {.it_interval = {}, .it_value = {.tv_sec = 3600, .tv_usec = 0}};
  const itimerval none = {};
  ::setitimer(ITIMER_REAL, &late, nullptr);
  // The default action ends the process.
  look_until_they_sleep(others, {::gettid()});
  const auto before = std::signal(SIGALRM, [](int) {});
  CHECK_FALSE(found_asleep(others, {::gettid()}));
  ::setitimer(ITIMER_REAL, &none, nullptr);
  std::signal(SIGALRM, before);
  look_until_they_sleep(others, {::gettid()});

  if (!std::ifstream("/proc/self/timers")) return;
  timer_t timer = {};
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  REQUIRE(::timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  CHECK_FALSE(found_asleep(others, {::gettid()}));
  ::timer_delete(timer);
  look_until_they_sleep(others, {::gettid()});
}
