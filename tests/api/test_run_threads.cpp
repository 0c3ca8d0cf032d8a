// Deadlocks of ranklet::run in a process with threads that are no ranks', or of which it is not known whether
// they are. Uses what users have: mpi.h, ranklet/run.hpp, the library.
#include <doctest/doctest.h>

#include <ranklet/run.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api/messages.hpp"
#include "support/text.hpp"

using ranklet::test::contains;
using ranklet::test::receive_from;
using ranklet::test::send_to;

namespace {

using Clock = std::chrono::steady_clock;

// So long threads must have slept before they count as waiting.
constexpr std::chrono::milliseconds patience(3000);
// When a thread wakes that a wrong report would not have waited for.
constexpr std::chrono::milliseconds beyond_patience = patience + std::chrono::milliseconds(700);
// A report that waits for no thread comes within some tens of milliseconds.
constexpr std::chrono::milliseconds at_once(2500);

ranklet::Options options(int thread_level = MPI_THREAD_MULTIPLE)
{
  ranklet::Options options;
  options.thread_level = thread_level;
  options.timeout = std::chrono::seconds(40);
  return options;
}

// Opened once, for all who wait.
class Gate {
 public:
  void wait()
  {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }
  // Wakes again and again, too.
  void wait_in_steps()
  {
    std::unique_lock lock(mutex_);
    while (!open_) opened_.wait_for(lock, std::chrono::milliseconds(20));
  }
  bool is_open()
  {
    const std::lock_guard guard(mutex_);
    return open_;
  }
  void open()
  {
    const std::lock_guard guard(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

// Threads that nobody has announced, joined when the gate was opened, also where the run is stopped.
class Others {
 public:
  explicit Others(Gate& gate) : gate_(gate) {}
  ~Others() { end(); }
  Others(const Others&) = delete;
  Others& operator=(const Others&) = delete;

  template <class Function>
  void add(Function function)
  {
    threads_.emplace_back(std::move(function));
  }
  void end()
  {
    gate_.open();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  Gate& gate_;
  std::vector<std::thread> threads_;
};

// A thread of a rank leaves quietly when its run is stopped.
template <class Function>
auto as_member(ranklet::ThisRank rank, Function function)
{
  return [rank, function] {
    const ranklet::Member member(rank);
    try {
      function();
    } catch (...) {
    }
  };
}

void check_suspected(const ranklet::Report& report)
{
  CHECK_MESSAGE(report.deadlock(), report.text());
  CHECK(contains(report.text(), "suspected deadlock: every rank waits for another one"));
  CHECK(contains(report.text(), "rank 0  MPI_Recv"));
  CHECK(contains(report.text(), "rank 1  MPI_Recv"));
  CHECK(contains(report.text(), "all others of the process have slept"));
  CHECK(report.time() >= patience);
}

void check_certain(const ranklet::Report& report)
{
  CHECK_MESSAGE(report.deadlock(), report.text());
  CHECK(report.text().find("suspected") == std::string::npos);
  CHECK(report.time() < at_once);
}

}  // namespace

TEST_CASE("threads that belong to no rank end no wait, whatever they do")
{
  // They cannot call MPI for a rank, so there is nothing to wait for.
  Gate gate;
  Others others(gate);
  others.add([&] { gate.wait(); });
  others.add([&] { gate.wait_in_steps(); });
  others.add([&] {
    while (!gate.is_open()) std::this_thread::yield();
  });
  for (const int level : {MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE})
    check_certain(ranklet::run(
        2, [](int rank) { receive_from(1 - rank); }, options(level)));
}

TEST_CASE("below MPI_THREAD_MULTIPLE no other thread of a rank ends its wait")
{
  check_certain(ranklet::run(
      2,
      [](int rank) {
        Gate gate;
        Others others(gate);
        others.add(as_member(ranklet::ThisRank(), [&] { gate.wait_in_steps(); }));
        receive_from(1 - rank);
      },
      options(MPI_THREAD_SERIALIZED)));
}

TEST_CASE("two runs at once have their deadlocks told, each its own")
{
  std::optional<ranklet::Report> other;
  std::thread caller([&] {
    other = ranklet::run(
        3, [](int rank) { receive_from((rank + 1) % 3, 5); }, options());
  });
  check_certain(ranklet::run(
      2, [](int rank) { receive_from(1 - rank, 6); }, options()));
  caller.join();
  check_certain(*other);
  CHECK(contains(other->text(), "tag=5"));
}

TEST_CASE("a rank is in a deadlock when the threads that it may have sleep")
{
  Gate outside;
  Others pool(outside);
  for (int i = 0; i < 3; ++i) pool.add([&] { outside.wait(); });
  const auto report = ranklet::run(
      2,
      [](int rank) {
        Gate gate;
        Others others(gate);
        std::promise<void> promise;  // its end wakes who waits for it
        others.add(as_member(ranklet::ThisRank(), [&] { gate.wait(); }));
        others.add([future = promise.get_future().share()] { future.wait(); });
        receive_from(1 - rank);
      },
      options());
  check_suspected(report);
}

TEST_CASE("a rank is in a deadlock when some of its announced threads wait in MPI, and the others sleep")
{
  const auto report = ranklet::run(
      2,
      [](int rank) {
        Gate gate;
        const ranklet::Thread sleeping([&] { gate.wait(); });
        ranklet::Thread receiving([&] { receive_from(1 - rank, 1); });
        struct Opening {
          Gate& gate;
          ~Opening() { gate.open(); }
        } const opening{gate};
        // A thread that waits for another one's end sleeps, too.
        if (rank == 1) return receiving.join();
        receive_from(1, 2);
      },
      options());
  check_suspected(report);
  CHECK(contains(report.text(), "tag=1"));
  CHECK(contains(report.text(), "tag=2"));
}

#ifdef _OPENMP
TEST_CASE("OpenMP's workers sleep between parallel regions")
{
  const auto report = ranklet::run(
      2,
      [](int rank) {
        const ranklet::ThisRank here;
        std::atomic<int> asked{0};
#pragma omp parallel num_threads(3)
        {
          const ranklet::Member member(here);
          int flag = 0;
          MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
          asked.fetch_add(1);
        }
        CHECK(asked == 3);
        receive_from(1 - rank);
      },
      options());
  check_suspected(report);
}
#endif

TEST_CASE("threads that go on by themselves may end a wait, until they sleep for ever")
{
  // Each rank is sent two messages by such threads of the other one, the second late. It waits for a third.
  std::atomic<int> received{0};
  const auto report = ranklet::run(
      2,
      [&](int rank) {
        Gate gate;
        Others others(gate);
        others.add(as_member(ranklet::ThisRank(), [&gate, rank] {
          send_to(1 - rank);
          if (rank == 0) {
            std::this_thread::sleep_for(beyond_patience);
          } else {
            std::mutex mutex;
            std::condition_variable never;
            std::unique_lock lock(mutex);
            const auto end = Clock::now() + beyond_patience;
            never.wait_until(lock, end, [&] { return Clock::now() >= end; });
          }
          send_to(1 - rank);
          gate.wait();
        }));
        for (int i = 0; i < 3; ++i) {
          receive_from(1 - rank);
          received.fetch_add(1);
        }
      },
      options());
  check_suspected(report);
  CHECK(received == 4);
  CHECK(report.time() >= beyond_patience + patience);
}

TEST_CASE("a thread that belongs to no rank may wake one that does")
{
  Gate gate;
  std::thread outside([&] {
    for (const auto begin = Clock::now(); Clock::now() - begin < beyond_patience;) std::this_thread::yield();
    gate.open();
  });
  const auto report = ranklet::run(
      2,
      [&](int rank) {
        const ranklet::Thread sending([&] {
          gate.wait();
          send_to(1 - rank);
        });
        receive_from(1 - rank);
      },
      options());
  outside.join();
  CHECK_MESSAGE(report, report.text());
}

TEST_CASE("a rank of another run may wake a thread of this one")
{
  Gate gate;
  std::optional<ranklet::Report> other;
  std::thread caller([&] {
    other = ranklet::run(
        2,
        [&](int rank) {
          if (rank == 0) return receive_from(1);
          std::this_thread::sleep_for(beyond_patience);
          send_to(0);
          gate.open();
        },
        options());
  });
  const auto report = ranklet::run(
      1,
      [&](int) {
        const ranklet::Thread sending([&] {
          gate.wait();
          send_to(0);
        });
        receive_from(0);
      },
      options());
  caller.join();
  CHECK_MESSAGE(report, report.text());
  CHECK_MESSAGE(*other, other->text());
}
