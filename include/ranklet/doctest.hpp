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
// to ranklet::out() is shown when the case fails. With SUBCASEs the body runs once for each path through
// them; all ranks are to come to the same ones. In any other test, ranks are made by RANKLET_RUN:
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
#include <deque>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ranklet {
namespace doctest_support {

// Counts failed assertions, of any thread, and knows the case: doctest tells nobody else. relaxed: the end of
// a run orders what its ranks have counted before the look.
struct FailureCounter : doctest::IReporter {
  static inline std::atomic<int> failures{0};
  static inline std::string test_case;

  explicit FailureCounter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData& data) override { test_case = data.m_name; }
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

// The SUBCASEs of one run of a body on ranks: as in doctest, the body is run again until each path was taken
// once. doctest's own record is one for the process, so each rank has this one, and what ranks have done is
// put together between two runs, as a rank that was stopped early knows less.
class Subcases {
 public:
  using Signature = std::tuple<std::string, std::string, int>;  // name, file, line
  using Path = std::vector<Signature>;

  explicit Subcases(const std::set<Path>& done) : done_(done) {}

  bool enter(const Signature& signature)
  {
    if (path_.size() < deepest_) {  // a sibling of one that was entered in this run
      again_ = true;
      return false;
    }
    path_.push_back(signature);
    if (done_.count(path_) != 0) {
      path_.pop_back();
      return false;
    }
    deepest_ = path_.size();
    return true;
  }
  void leave(bool by_exception)
  {
    if (!again_) finished_.insert(path_);
    if (by_exception) again_ = true;  // there may be siblings
    path_.pop_back();
  }

  std::string text() const
  {
    std::string text;
    for (const Signature& signature : path_)
      text += (text.empty() ? ", in " : " / ") + std::get<0>(signature);
    return text;
  }
  const std::set<Path>& finished() const { return finished_; }
  bool again() const { return again_; }

  // The calling rank's; nullptr in other threads.
  static Subcases*& current()
  {
    static thread_local Subcases* subcases = nullptr;
    return subcases;
  }

 private:
  const std::set<Path>& done_;
  std::set<Path> finished_;
  Path path_;
  std::size_t deepest_ = 0;
  bool again_ = false;
};

// What SUBCASE makes: doctest's own, but on ranks.
class Subcase {
 public:
  Subcase(const doctest::String& name, const char* file, int line) : exceptions_(std::uncaught_exceptions())
  {
    if (Subcases* const subcases = Subcases::current())
      entered_ = subcases->enter({name.c_str(), file, line});
    else if (detail::thread_rank() != nullptr)
      throw std::logic_error("SUBCASE in a further thread of a rank: only its main thread can enter one");
    else
      entered_ = static_cast<bool>(own_.emplace(name.c_str(), file, line));
  }
  ~Subcase()
  {
    if (entered_ && !own_) Subcases::current()->leave(std::uncaught_exceptions() > exceptions_);
  }
  Subcase(const Subcase&) = delete;
  Subcase& operator=(const Subcase&) = delete;
  explicit operator bool() const noexcept { return entered_; }

 private:
  int exceptions_;
  bool entered_ = false;
  std::optional<doctest::detail::Subcase> own_;
};

struct Case {
  int ranks;
  const char* file;
  int line;
  Options options;

  // With the assertions of each rank named by it; the case fails when the run does.
  template <class Body>
  void operator+(Body&& body) const
  {
    std::set<Subcases::Path> done;
    for (bool again = true; again;) {
      std::deque<Subcases> subcases;
      for (int rank = 0; rank < ranks; ++rank) subcases.emplace_back(done);
      run_once(body, subcases);
      again = false;
      for (const Subcases& each : subcases) again = again || each.again();
      const std::size_t before = done.size();
      for (const Subcases& each : subcases) {
        const std::set<Subcases::Path> finished = each.finished();
        done.insert(finished.begin(), finished.end());
      }
      // Without progress it would go on for ever: ranks that come to different ones, and stop each other.
      again = again && done.size() > before;
    }
  }

 private:
  template <class Body>
  void run_once(Body& body, std::deque<Subcases>& subcases) const
  {
    const int failures_before = FailureCounter::failures.load(std::memory_order_relaxed);
    const Report report = run(
        ranks,
        [&](int rank, int size) {
          Subcases& mine = subcases[static_cast<std::size_t>(rank)];
          const struct Bound {
            explicit Bound(Subcases& of_rank) { Subcases::current() = &of_rank; }
            ~Bound() { Subcases::current() = nullptr; }
          } bound(mine);
          DOCTEST_INFO("on rank " << rank << " of " << size << mine.text());
          body(rank, size, MPI_COMM_WORLD);
        },
        options);
    if (!report && !test_support::only_threw<doctest::detail::TestFailureException>(report))
      fail(report);
    else if (FailureCounter::failures.load(std::memory_order_relaxed) != failures_before)
      show_output(report);
  }

  // As an assertion, not as a message: that is what all of doctest's reporters take for a failure.
  void fail(const Report& report) const
  {
    const std::string text = test_support::with_test_name(
        report.text(), {"RANKLET_RANKS_", "DOCTEST_ANON_FUNC_", "_DOCTEST_ANON_FUNC_", "DOCTEST_MPI_FUNC"},
        '"' + FailureCounter::test_case + '"');
    const std::string what =
        ranks == 1 ? "the rank succeeds" : "all " + std::to_string(ranks) + " ranks succeed";
    doctest::detail::decomp_assert(doctest::assertType::DT_CHECK, file, line, what.c_str(),
                                   doctest::detail::Result(false, text.c_str()));
  }

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

#undef DOCTEST_SUBCASE
#define DOCTEST_SUBCASE(name) \
  if (const ::ranklet::doctest_support::Subcase DOCTEST_ANONYMOUS(RANKLET_SUBCASE_){name, __FILE__, __LINE__})

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
