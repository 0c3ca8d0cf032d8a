// Tests on ranks, for GoogleTest: no mpiexec, a rank's failure named by the rank.
//
//     #include <ranklet/gtest.hpp>
//
//     RANKLET_TEST(Halo, Ring, 4)
//     {
//       int left = -1;
//       MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &left, 1, MPI_INT, (rank + size - 1) % size, 0,
//       comm,
//                    MPI_STATUS_IGNORE);
//       ASSERT_EQ(left, (rank + size - 1) % size);
//     }
//
// The body runs on each rank, a thread of the test program, with rank, size and comm (MPI_COMM_WORLD).
// EXPECT_* and ASSERT_* may be used by every rank; a failing ASSERT_*, GTEST_SKIP, and any exception end the
// test on all ranks. A deadlock, an MPI error or a leaked handle fails the test, with the report. What ranks
// write to ranklet::out() is shown when the test fails. In fixtures and parameterized tests use RANKLET_RUN,
// a statement that ends with a semicolon:
//
//     TEST_P(Halo, Sizes) { RANKLET_RUN(GetParam()) { … rank, size, comm … }; }
//
// A test has two minutes (RANKLET_TEST_TIMEOUT, in milliseconds, defined before the inclusion, changes that).
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <ranklet/detail/test_support.hpp>

#include <cstddef>
#include <deque>
#include <string>

namespace ranklet {
namespace gtest_support {

// Thrown on a rank after an ASSERT_* has failed there, or GTEST_SKIP was called.
struct Ended {};

inline bool ends_test(const ::testing::TestPartResult& result)
{
  return result.fatally_failed() || result.skipped();
}

// Collects the assertions of the thread that makes it. An ASSERT_* that fails, or GTEST_SKIP, returns from
// its function, whose variables may be buffers of operations that are under way: before that the ranks are
// stopped, as they are before an exception unwinds the stack.
class Collector : public ::testing::ScopedFakeTestPartResultReporter {
 public:
  explicit Collector(::testing::TestPartResultArray& results)
      : ScopedFakeTestPartResultReporter(INTERCEPT_ONLY_CURRENT_THREAD, &results)
  {
  }
  void ReportTestPartResult(const ::testing::TestPartResult& result) override
  {
    ScopedFakeTestPartResultReporter::ReportTestPartResult(result);
    if (ends_test(result)) detail::stop_run();
  }
};

inline bool has_end(const ::testing::TestPartResultArray& results)
{
  for (int i = 0; i < results.size(); ++i)
    if (ends_test(results.GetTestPartResult(i))) return true;
  return false;
}

struct Case {
  int ranks;
  const char* file;
  int line;
  Options options;

  // Assertions are collected by rank, and told by the test's own thread afterwards.
  template <class Body>
  void operator+(Body&& body) const
  {
    std::deque<::testing::TestPartResultArray> results(static_cast<std::size_t>(ranks < 1 ? 0 : ranks));
    const Report report = run(
        ranks,
        [&](int rank, int size) {
          ::testing::TestPartResultArray& mine = results[static_cast<std::size_t>(rank)];
          const Collector collector(mine);
          body(rank, size, MPI_COMM_WORLD);
          if (has_end(mine)) throw Ended();
        },
        options);
    bool told = false;
    for (std::size_t rank = 0; rank < results.size(); ++rank) {
      told = told || has_end(results[rank]);
      for (int i = 0; i < results[rank].size(); ++i)
        tell(results[rank].GetTestPartResult(i), static_cast<int>(rank));
    }
    if (!report && !test_support::only_threw<Ended>(report, told))
      ADD_FAILURE_AT(file, line) << named(report.text());
    else if (::testing::Test::HasFailure())
      show_output(report);
  }

 private:
  void tell(const ::testing::TestPartResult& result, int rank) const
  {
    const std::string text =
        "on rank " + std::to_string(rank) + " of " + std::to_string(ranks) + "\n" + result.message();
    GTEST_MESSAGE_AT_(result.file_name(), result.line_number(), text.c_str(), result.type());
  }

  // Of RANKLET_TEST and of TEST, TEST_F, TEST_P.
  static std::string named(const std::string& text)
  {
    const ::testing::TestInfo* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    if (test == nullptr) return text;
    return test_support::with_test_name(text, {"_on_a_rank(", "_Test::TestBody("},
                                        std::string(test->test_suite_name()) + "." + test->name());
  }

  void show_output(const Report& report) const
  {
    for (std::size_t i = 0; i < report.ranks().size(); ++i)
      if (!report.ranks()[i].output.empty())
        ::testing::internal::GTestLog(::testing::internal::GTEST_INFO, file, line).GetStream()
            << "output of rank " << i << ":\n"
            << report.ranks()[i].output;
  }
};

inline Case test_case(int ranks, const char* file, int line, int timeout)
{
  return {ranks, file, line, test_support::case_options(timeout)};
}

}  // namespace gtest_support
}  // namespace ranklet

// A block of code that runs on n ranks, inside any test; ends with a semicolon.
#define RANKLET_RUN(n)                                                               \
  ::ranklet::gtest_support::test_case(n, __FILE__, __LINE__, RANKLET_TEST_TIMEOUT) + \
      [&]([[maybe_unused]] int rank, [[maybe_unused]] int size, [[maybe_unused]] MPI_Comm comm)

// A test on n ranks.
#define RANKLET_TEST(suite, name, n)                                                           \
  static void suite##_##name##_on_a_rank([[maybe_unused]] int rank, [[maybe_unused]] int size, \
                                         [[maybe_unused]] MPI_Comm comm);                      \
  TEST(suite, name)                                                                            \
  {                                                                                            \
    ::ranklet::gtest_support::test_case(n, __FILE__, __LINE__, RANKLET_TEST_TIMEOUT) +         \
        suite##_##name##_on_a_rank;                                                            \
  }                                                                                            \
  static void suite##_##name##_on_a_rank([[maybe_unused]] int rank, [[maybe_unused]] int size, \
                                         [[maybe_unused]] MPI_Comm comm)
