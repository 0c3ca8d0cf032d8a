// For suites that were written for doctest's own MPI extension: they include
// "doctest/extensions/doctest_mpi.h", and find this file when include/ranklet/compat comes first among the
// include directories. Their MPI_TEST_CASEs then run on ranks of ranklet::run, as many as each asks for, in a
// program that is started without mpiexec.
//
// test_rank, test_nb_procs, test_comm and MPI_CHECK(rank, …) are as there. Of the two reporters,
// MpiConsoleReporter is doctest's console, where each failure says on which rank it was, and MpiFileReporter
// the same in doctest_0.log. Handles that a case does not free are no failure, as they were none there.
#pragma once

#include <mpi.h>

#include <doctest/doctest.h>

#include <ranklet/doctest.hpp>

#include <fstream>
#include <type_traits>

namespace doctest {

// Of the program itself; each test case has ranks of its own.
inline int mpi_comm_world_size()
{
  return 1;
}

inline int mpi_init_thread(int argc, char** argv, int required)
{
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, required, &provided);
  return provided;
}

inline void mpi_finalize()
{
  MPI_Finalize();
}

template <int nb_procs, class Function>
void execute_mpi_test_case(Function function, const char* file = "", int line = 0)
{
  ::ranklet::doctest_support::Case made = ::ranklet::doctest_support::test_case(nb_procs, file, line, RANKLET_TEST_TIMEOUT);
  made.options.leaks = false;
  made.options.thread_level = MPI_THREAD_MULTIPLE;
  made + [&](int rank, int size, MPI_Comm comm) {
    function(rank, size, comm, std::integral_constant<int, nb_procs>());
  };
}

}  // namespace doctest

#define RANKLET_DETAIL_MPI_PARAMETERS(nb_procs)                                                             \
  ([[maybe_unused]] int test_rank, [[maybe_unused]] int test_nb_procs, [[maybe_unused]] MPI_Comm test_comm, \
   [[maybe_unused]] std::integral_constant<int, nb_procs> test_nb_procs_as_int_constant)

#define DOCTEST_CREATE_MPI_TEST_CASE(name, nb_procs, function)              \
  static void function RANKLET_DETAIL_MPI_PARAMETERS(nb_procs);             \
  DOCTEST_TEST_CASE(name* doctest::description("MPI_TEST_CASE"))            \
  {                                                                         \
    doctest::execute_mpi_test_case<nb_procs>(function, __FILE__, __LINE__); \
  }                                                                         \
  static void function RANKLET_DETAIL_MPI_PARAMETERS(nb_procs)

#define DOCTEST_MPI_TEST_CASE(name, nb_procs) \
  DOCTEST_CREATE_MPI_TEST_CASE(name, nb_procs, DOCTEST_ANONYMOUS(DOCTEST_MPI_FUNC))

#define DOCTEST_MPI_GEN_ASSERTION(rank_to_test, assertion, ...)                  \
  static_assert((rank_to_test) < decltype(test_nb_procs_as_int_constant)::value, \
                "the test has not so many ranks");                               \
  if ((rank_to_test) == test_rank) assertion(__VA_ARGS__)

#define DOCTEST_MPI_WARN(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_WARN, __VA_ARGS__)
#define DOCTEST_MPI_CHECK(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_CHECK, __VA_ARGS__)
#define DOCTEST_MPI_REQUIRE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_REQUIRE, __VA_ARGS__)
#define DOCTEST_MPI_WARN_FALSE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_WARN_FALSE, __VA_ARGS__)
#define DOCTEST_MPI_CHECK_FALSE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_CHECK_FALSE, __VA_ARGS__)
#define DOCTEST_MPI_REQUIRE_FALSE(rank, ...) \
  DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_REQUIRE_FALSE, __VA_ARGS__)
#define DOCTEST_MPI_WARN_EQ(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_WARN_EQ, __VA_ARGS__)
#define DOCTEST_MPI_CHECK_EQ(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_CHECK_EQ, __VA_ARGS__)
#define DOCTEST_MPI_REQUIRE_EQ(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_REQUIRE_EQ, __VA_ARGS__)
#define DOCTEST_MPI_WARN_NE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_WARN_NE, __VA_ARGS__)
#define DOCTEST_MPI_CHECK_NE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_CHECK_NE, __VA_ARGS__)
#define DOCTEST_MPI_REQUIRE_NE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_REQUIRE_NE, __VA_ARGS__)
#define DOCTEST_MPI_WARN_GT(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_WARN_GT, __VA_ARGS__)
#define DOCTEST_MPI_CHECK_GT(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_CHECK_GT, __VA_ARGS__)
#define DOCTEST_MPI_REQUIRE_GT(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_REQUIRE_GT, __VA_ARGS__)
#define DOCTEST_MPI_WARN_LT(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_WARN_LT, __VA_ARGS__)
#define DOCTEST_MPI_CHECK_LT(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_CHECK_LT, __VA_ARGS__)
#define DOCTEST_MPI_REQUIRE_LT(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_REQUIRE_LT, __VA_ARGS__)
#define DOCTEST_MPI_WARN_GE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_WARN_GE, __VA_ARGS__)
#define DOCTEST_MPI_CHECK_GE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_CHECK_GE, __VA_ARGS__)
#define DOCTEST_MPI_REQUIRE_GE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_REQUIRE_GE, __VA_ARGS__)
#define DOCTEST_MPI_WARN_LE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_WARN_LE, __VA_ARGS__)
#define DOCTEST_MPI_CHECK_LE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_CHECK_LE, __VA_ARGS__)
#define DOCTEST_MPI_REQUIRE_LE(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_REQUIRE_LE, __VA_ARGS__)
#define DOCTEST_MPI_WARN_UNARY(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_WARN_UNARY, __VA_ARGS__)
#define DOCTEST_MPI_CHECK_UNARY(rank, ...) DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_CHECK_UNARY, __VA_ARGS__)
#define DOCTEST_MPI_REQUIRE_UNARY(rank, ...) \
  DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_REQUIRE_UNARY, __VA_ARGS__)
#define DOCTEST_MPI_WARN_UNARY_FALSE(rank, ...) \
  DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_WARN_UNARY_FALSE, __VA_ARGS__)
#define DOCTEST_MPI_CHECK_UNARY_FALSE(rank, ...) \
  DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_CHECK_UNARY_FALSE, __VA_ARGS__)
#define DOCTEST_MPI_REQUIRE_UNARY_FALSE(rank, ...) \
  DOCTEST_MPI_GEN_ASSERTION(rank, DOCTEST_REQUIRE_UNARY_FALSE, __VA_ARGS__)

#ifndef DOCTEST_CONFIG_NO_SHORT_MACRO_NAMES
#define MPI_TEST_CASE DOCTEST_MPI_TEST_CASE
#define MPI_WARN DOCTEST_MPI_WARN
#define MPI_CHECK DOCTEST_MPI_CHECK
#define MPI_REQUIRE DOCTEST_MPI_REQUIRE
#define MPI_WARN_FALSE DOCTEST_MPI_WARN_FALSE
#define MPI_CHECK_FALSE DOCTEST_MPI_CHECK_FALSE
#define MPI_REQUIRE_FALSE DOCTEST_MPI_REQUIRE_FALSE
#define MPI_WARN_EQ DOCTEST_MPI_WARN_EQ
#define MPI_CHECK_EQ DOCTEST_MPI_CHECK_EQ
#define MPI_REQUIRE_EQ DOCTEST_MPI_REQUIRE_EQ
#define MPI_WARN_NE DOCTEST_MPI_WARN_NE
#define MPI_CHECK_NE DOCTEST_MPI_CHECK_NE
#define MPI_REQUIRE_NE DOCTEST_MPI_REQUIRE_NE
#define MPI_WARN_GT DOCTEST_MPI_WARN_GT
#define MPI_CHECK_GT DOCTEST_MPI_CHECK_GT
#define MPI_REQUIRE_GT DOCTEST_MPI_REQUIRE_GT
#define MPI_WARN_LT DOCTEST_MPI_WARN_LT
#define MPI_CHECK_LT DOCTEST_MPI_CHECK_LT
#define MPI_REQUIRE_LT DOCTEST_MPI_REQUIRE_LT
#define MPI_WARN_GE DOCTEST_MPI_WARN_GE
#define MPI_CHECK_GE DOCTEST_MPI_CHECK_GE
#define MPI_REQUIRE_GE DOCTEST_MPI_REQUIRE_GE
#define MPI_WARN_LE DOCTEST_MPI_WARN_LE
#define MPI_CHECK_LE DOCTEST_MPI_CHECK_LE
#define MPI_REQUIRE_LE DOCTEST_MPI_REQUIRE_LE
#define MPI_WARN_UNARY DOCTEST_MPI_WARN_UNARY
#define MPI_CHECK_UNARY DOCTEST_MPI_CHECK_UNARY
#define MPI_REQUIRE_UNARY DOCTEST_MPI_REQUIRE_UNARY
#define MPI_WARN_UNARY_FALSE DOCTEST_MPI_WARN_UNARY_FALSE
#define MPI_CHECK_UNARY_FALSE DOCTEST_MPI_CHECK_UNARY_FALSE
#define MPI_REQUIRE_UNARY_FALSE DOCTEST_MPI_REQUIRE_UNARY_FALSE
#endif

// The program's own file, where doctest's reporters are defined.
#ifdef DOCTEST_CONFIG_IMPLEMENT
namespace doctest {
namespace {

struct MpiConsoleReporter : ConsoleReporter {
  using ConsoleReporter::ConsoleReporter;
  explicit MpiConsoleReporter(const ContextOptions& options) : ConsoleReporter(options) {}
};

struct MpiLogFile {
  std::ofstream log{"doctest_0.log"};
};

struct MpiFileReporter : private MpiLogFile, public ConsoleReporter {
  explicit MpiFileReporter(const ContextOptions& options) : ConsoleReporter(options, log) {}
};

DOCTEST_REGISTER_REPORTER("MpiConsoleReporter", 1, MpiConsoleReporter);
DOCTEST_REGISTER_REPORTER("MpiFileReporter", 1, MpiFileReporter);

}  // namespace
}  // namespace doctest
#endif
