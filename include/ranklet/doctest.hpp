// Test cases on ranks, for doctest: no mpiexec, no main of its own, a rank's failure named by the rank.
//
//     #include <doctest/doctest.h>
//     #include <ranklet/doctest.hpp>
//
//     RANKLET_TEST_CASE("halo", 4)
//     {
//       int left = -1;
//       MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &left, 1, MPI_INT, (rank + size - 1) % size, 0,
//       comm,
//                    MPI_STATUS_IGNORE);
//       CHECK(left == (rank + size - 1) % size);
//     }
//
// The body runs on each rank, a thread of the test program, with rank, size and comm (MPI_COMM_WORLD). All of
// doctest's assertions may be used by every rank; a failing REQUIRE, and any other exception, ends the case
// on all ranks. A deadlock, an MPI error or a leaked handle fails the case, with the report. What ranks write
// to ranklet::out() is shown when the case fails. Not for ranks: SUBCASE, which doctest keeps per process;
// make ranks inside one by RANKLET_RUN instead:
//
//     TEST_CASE("sizes")
//     {
//       SUBCASE("two") { RANKLET_RUN(2) { … rank, size, comm … }; }
//     }
//
// A case has two minutes (RANKLET_TEST_TIMEOUT, in milliseconds, defined before the inclusion, changes that).
#pragma once

#ifndef DOCTEST_LIBRARY_INCLUDED
#include <doctest/doctest.h>
#endif

#include <ranklet/detail/test_support.hpp>

#include <atomic>
#include <string>
#include <utility>

namespace ranklet {
namespace doctest_support {

// Counts failed assertions, of any thread: doctest tells nobody else. relaxed: the end of a run orders what
// its ranks have counted before the look.
struct FailureCounter : doctest::IReporter {
  static inline std::atomic<int> failures{0};

  explicit FailureCounter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& data) override
  {
    if (data.m_failed && (data.m_at & doctest::assertType::is_warn) == 0)
      failures.fetch_add(1, std::memory_order_relaxed);
  }
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
inline const int counter_registered =
    doctest::registerReporter<FailureCounter>("ranklet counts failures", 0, false);

struct Case {
  int ranks;
  const char* file;
  int line;
  Options options;

  // With the assertions of each rank named by it; the case fails when the run does.
  template <class Body>
  void operator+(Body&& body) const
  {
    const int failures_before = FailureCounter::failures.load(std::memory_order_relaxed);
    const Report report = run(
        ranks,
        [&](int rank, int size) {
          DOCTEST_INFO("on rank " << rank << " of " << size);
          body(rank, size, MPI_COMM_WORLD);
        },
        options);
    if (!report && !test_support::only_threw<doctest::detail::TestFailureException>(report))
      DOCTEST_ADD_FAIL_CHECK_AT(file, line, report.text());
    else if (FailureCounter::failures.load(std::memory_order_relaxed) != failures_before)
      show_output(report);
  }

 private:
  void show_output(const Report& report) const
  {
    for (std::size_t i = 0; i < report.ranks().size(); ++i)
      if (!report.ranks()[i].output.empty())
        DOCTEST_ADD_MESSAGE_AT(file, line, "output of rank " << i << ":\n" << report.ranks()[i].output);
  }
};

inline Case test_case(int ranks, const char* file, int line, int timeout)
{
  return {ranks, file, line, test_support::case_options(timeout)};
}

}  // namespace doctest_support
}  // namespace ranklet

// A block of code that runs on n ranks, inside a TEST_CASE or SUBCASE; ends with a semicolon.
#define RANKLET_RUN(n)                                                                 \
  ::ranklet::doctest_support::test_case(n, __FILE__, __LINE__, RANKLET_TEST_TIMEOUT) + \
      [&]([[maybe_unused]] int rank, [[maybe_unused]] int size, [[maybe_unused]] MPI_Comm comm)

#define RANKLET_DETAIL_TEST_CASE(function, name, n)                                                \
  static void function([[maybe_unused]] int rank, [[maybe_unused]] int size,                       \
                       [[maybe_unused]] MPI_Comm comm);                                            \
  DOCTEST_TEST_CASE(name)                                                                          \
  {                                                                                                \
    ::ranklet::doctest_support::test_case(n, __FILE__, __LINE__, RANKLET_TEST_TIMEOUT) + function; \
  }                                                                                                \
  static void function([[maybe_unused]] int rank, [[maybe_unused]] int size, [[maybe_unused]] MPI_Comm comm)

// A test case on n ranks. name: as of TEST_CASE, with decorators if need be.
#define RANKLET_TEST_CASE(name, n) RANKLET_DETAIL_TEST_CASE(DOCTEST_ANONYMOUS(RANKLET_RANKS_), name, n)
