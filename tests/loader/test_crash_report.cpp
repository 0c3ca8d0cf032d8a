// Each crash happens in a child process.

#include "libc/crash_report.hpp"

#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <barrier>
#include <cfenv>
#include <cstring>

#include "libc/alternate_stack.hpp"
#include "libc/fake_job.hpp"
#include "support/text.hpp"

using namespace ranklet::loader;
using ranklet::test::contains;

namespace crashing {

// Faults, not to be found by UBSan first.
int* volatile nowhere = nullptr;
volatile int zero = 0;

[[gnu::noinline]] __attribute__((no_sanitize("undefined"))) int store_through_null()
{
  *nowhere = 1;  // this line is reported
  return 2;
}
constexpr int store_line = __LINE__ - 3;

[[gnu::noinline]] int caller()
{
  return store_through_null() + 1;
}

[[gnu::noinline]] __attribute__((no_sanitize("undefined"))) int divide()
{
  return 7 / zero;
}

[[gnu::noinline]] int recurse(volatile char* before)
{
  if (before == nullptr) return 0;  // never
  volatile char room[4096];
  room[0] = before[0];
  return recurse(room) + room[1];
}

[[gnu::noinline]] __attribute__((no_sanitize("undefined"))) int call_nothing()
{
  int (*volatile function)() = nullptr;
  return function() + 1;
}

}  // namespace crashing

namespace {

struct CrashOutcome {
  int status = 0;  // exit code, or -signal
  std::string out, err;
};

// What is left of a job whose ranks run the program in a process of their own.
CrashOutcome outcome_of(int ranks, const std::function<void(FakeRank&)>& program)
{
  Capture out, err;
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    JobOutput output(std::vector<RankOutputSettings>(static_cast<std::size_t>(ranks)), out.descriptor(),
                     err.descriptor());
    JobInput input(ranks, JobInput::nobody);
    CrashReports reports(output);
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; ++r)
      threads.emplace_back([&, r] {
        FakeRank rank(r, output, input);
        use_alternate_stack();
        reports.add(rank.process.libc);
        program(rank);
        drop_alternate_stack();
      });
    for (std::thread& thread : threads) thread.join();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), out.text(), err.text()};
}

}  // namespace

TEST_CASE("a segmentation fault: rank, address, functions, lines, and everybody's output")
{
  std::barrier<> together(3);
  const CrashOutcome outcome = outcome_of(3, [&](FakeRank& rank) {
    rank_printf("line of %d\npartial of %d", rank.rank(), rank.rank());
    std::fprintf(rank.err, "unfinished %d", rank.rank());
    together.arrive_and_wait();
    if (rank.rank() == 1) crashing::caller();
    for (;;) ::pause();
  });
  CHECK(outcome.status == -SIGSEGV);
  INFO(outcome.err);
  CHECK(
      contains(outcome.err,
               "ranklet: rank 1 got signal 11 (SIGSEGV, Segmentation fault): null pointer (address 0x0)\n"));
  CHECK(contains(outcome.err, "#0  crashing::store_through_null() at test_crash_report.cpp:" +
                                  std::to_string(crashing::store_line) + "\n"));
  CHECK(contains(outcome.err, "#1  crashing::caller() at test_crash_report.cpp:"));
  for (int rank = 0; rank < 3; ++rank) {
    CHECK(contains(outcome.out, "line of " + std::to_string(rank) + "\n"));
    CHECK(contains(outcome.out, "partial of " + std::to_string(rank)));
    CHECK(contains(outcome.err, "unfinished " + std::to_string(rank)));
  }
}

TEST_CASE("a division by zero, an abort, a full stack, a call of nothing")
{
  CrashOutcome outcome = outcome_of(2, [](FakeRank& rank) {
    if (rank.rank() == 0) crashing::divide();
  });
  CHECK(outcome.status == -SIGFPE);
  CHECK(contains(outcome.err,
                 "rank 0 got signal 8 (SIGFPE, Floating point exception): integer division by zero\n"));
  CHECK(contains(outcome.err, "#0  crashing::divide() at test_crash_report.cpp:"));

  outcome = outcome_of(1, [](FakeRank&) { std::abort(); });
  CHECK(outcome.status == -SIGABRT);
  CHECK(contains(outcome.err, "rank 0 got signal 6 (SIGABRT, Aborted)\n"));
  CHECK_FALSE(contains(outcome.err, "libc"));

  outcome = outcome_of(1, [](FakeRank&) {
    volatile char first = 0;
    crashing::recurse(&first);
  });
  CHECK(outcome.status == -SIGSEGV);
  CHECK(contains(outcome.err, "the stack is full"));
  CHECK(contains(outcome.err, "crashing::recurse("));

  outcome = outcome_of(1, [](FakeRank&) { crashing::call_nothing(); });
  CHECK(outcome.status == -SIGSEGV);
  CHECK(contains(outcome.err, "#0  0x0\n  #1  crashing::call_nothing() at test_crash_report.cpp:"));
  CHECK(contains(outcome.err, "#2  "));
}

TEST_CASE("all ranks crash at once: one reports")
{
  std::barrier<> together(6);
  const CrashOutcome outcome = outcome_of(6, [&](FakeRank&) {
    together.arrive_and_wait();
    crashing::caller();
  });
  CHECK(outcome.status == -SIGSEGV);
  std::size_t reports = 0;
  for (std::size_t place = 0; (place = outcome.err.find("got signal", place)) != std::string::npos; ++place)
    ++reports;
  CHECK(reports == 1);
}

TEST_CASE("a crash inside malloc does not hang the report")
{
  const CrashOutcome outcome = outcome_of(1, [](FakeRank&) {
    // Larger than what the thread's cache takes: the error is found while malloc's lock is held.
    char* volatile block = static_cast<char*>(std::malloc(200000 / 2));
    char* volatile next = static_cast<char*>(std::malloc(2000));
    std::free(block);
    std::free(block);
    std::free(next);
  });
  CHECK(outcome.status == -SIGABRT);
  CHECK(contains(outcome.err, "rank 0 got signal 6"));
}

TEST_CASE("a program's own handler comes first; the default that it restores is the report")
{
  CrashOutcome outcome = outcome_of(2, [](FakeRank& rank) {
    rank_signal(SIGSEGV, [](int) { ::_exit(current_process()->rank == 1 ? 42 : 43); });
    if (rank.rank() == 1) crashing::caller();
    for (;;) ::pause();
  });
  CHECK(outcome.status == 42);
  CHECK(outcome.err == "");

  outcome = outcome_of(1, [](FakeRank& rank) {
    static FakeRank* self;
    self = &rank;
    rank_signal(SIGSEGV, [](int signal) {
      std::fputs("own handler\n", self->err);
      rank_signal(signal, SIG_DFL);
      ::raise(signal);
    });
    crashing::caller();
  });
  CHECK(outcome.status == -SIGSEGV);
  CHECK(contains(outcome.err, "own handler\n"));
  CHECK(contains(outcome.err, "rank 0 got signal 11"));
}

TEST_CASE("a child process that a rank forked dies of its own signal")
{
  const CrashOutcome outcome = outcome_of(1, [](FakeRank& rank) {
    const pid_t child = rank.libc().children.fork();
    if (child == 0) crashing::caller();
    int status = 0;
    ::waitpid(child, &status, 0);
    ::_exit(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  });
  CHECK(outcome.status == SIGSEGV);
  CHECK(outcome.err == "");
}
