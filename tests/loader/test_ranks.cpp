// Programs run as ranks of one process, by loader_host. The programs check themselves; see programs/.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "loader/link_lists.hpp"
#include "run_program.hpp"
#include "support/text.hpp"

using ranklet::test::contains;

namespace {

// Runs `ranks` ranks; all must return 0. The library in which they meet is shared, all else is private.
void check_ranks(const std::string& name, const std::vector<std::string>& before = {}, int ranks = 8)
{
  std::vector<std::string> arguments{"-q", "-share=libmeeting", std::to_string(ranks), program(name)};
  arguments.insert(arguments.end(), before.begin(), before.end());
  arguments.push_back(std::to_string(ranks));
  const Outcome outcome = run_ranks(arguments);
  INFO(name << ": " << outcome.errors << outcome.output);
  CHECK(outcome.code == 0);
  CHECK(outcome.errors.empty());
}

const char* const variants[] = {"O0", "O2", "O3lto", "stripped", "lazy", "relr"};

}  // namespace

TEST_CASE("C variables are private")
{
  for (const char* variant : variants)
    if (exists(program(std::string("globals_") + variant))) check_ranks(std::string("globals_") + variant);
}

TEST_CASE("C++ variables of all storage kinds are private")
{
  for (const char* variant : variants)
    if (exists(program(std::string("storage_") + variant))) check_ranks(std::string("storage_") + variant);
}

TEST_CASE("libraries are private, with data that the program uses directly")
{
  for (const char* variant : variants)
    if (exists(program(std::string("uses_library_") + variant)))
      check_ranks(std::string("uses_library_") + variant);
  if (exists(program("uses_library_gnu2"))) check_ranks("uses_library_gnu2");
}

TEST_CASE("there may be more copies than the dynamic loader's first list takes")
{
  check_ranks("uses_library_O2", {}, ranklet::loader::copies_in_base / 2);
}

TEST_CASE("thread-local storage may be larger than the host's reserve")
{
  check_ranks("thread_local_large", {}, 4);
}

TEST_CASE("Fortran: module variables, COMMON and units are private")
{
  if (!HAS_FORTRAN) return;
  const Outcome outcome =
      run_ranks({"-q", "-share=libmeeting", "4", program("fortran"), PROGRAM_DIRECTORY, "4"});
  INFO(outcome.errors);
  CHECK(outcome.code == 17);
  CHECK(contains(outcome.errors, "STOP 17"));
}

TEST_CASE("OpenMP threads belong to their rank")
{
  if (!HAS_OPENMP) return;
  setenv("KMP_DUPLICATE_LIB_OK", "TRUE", 1);  // the test host's ranks share the environment
  check_ranks("openmp", {}, 4);
}

TEST_CASE("functions chosen by resolvers work")
{
  check_ranks("indirect");
}

TEST_CASE("programs can open libraries")
{
  check_ranks("opens_plugin", {PROGRAM_DIRECTORY}, 4);
}

TEST_CASE("opened libraries have as much thread-local storage as they want")
{
  constexpr int copies = 79;  // odd strides reach all
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("ranklet-tls-" + std::to_string(getpid()));
  std::filesystem::create_directory(directory);
  for (int i = 0; i < copies; ++i)
    std::filesystem::copy_file(program("libtls_small.so"), directory / ("copy" + std::to_string(i) + ".so"));
  check_ranks("opens_tls", {PROGRAM_DIRECTORY, directory.string(), std::to_string(copies)}, 8);
  std::filesystem::remove_all(directory);
}

TEST_CASE("a library that cannot be opened is no matter for ranks that begin meanwhile")
{
  check_ranks("opens_too_large", {PROGRAM_DIRECTORY}, 24);
}

TEST_CASE("a constructor may wait for a thread that opens a library")
{
  check_ranks("constructor_opens", {}, 2);
}

TEST_CASE("handlers and destructors run as in a process")
{
  for (const char* way : {"return", "exit", "again", "quick", "throw"}) {
    CAPTURE(way);
    const Outcome process = run_command({program("exit_order"), way});
    const Outcome rank = run_ranks({"-q", "1", program("exit_order"), way});
    CHECK(rank.output == process.output);
    CHECK(rank.code == process.code);
    CHECK(contains(rank.output, "construct first global"));
  }
}

TEST_CASE("every rank runs its own handlers")
{
  const Outcome process = run_command({program("exit_order"), "exit"});
  const Outcome ranks = run_ranks({"-q", "5", program("exit_order"), "exit"});
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  CHECK(lines(process.output) > 10);
  CHECK(lines(ranks.output) == 5 * lines(process.output));
  CHECK(ranks.code == 5);
}

TEST_CASE("a rank's end is not the job's")
{
  struct Way {
    const char* name;
    int code;
  };
  for (const Way way : {Way{"exit", 3}, Way{"large", 4}, Way{"errx", 7}, Way{"thread", 21},
                        Way{"pthread_exit", 0}, Way{"fork", 10}}) {
    CAPTURE(way.name);
    const Outcome outcome = run_ranks({"3", program("endings"), way.name});
    INFO(outcome.errors);
    CHECK(outcome.code == way.code);
    CHECK(contains(outcome.errors, "rank 0 exited with " + std::to_string(way.code) + "\n"));
    CHECK(contains(outcome.errors, "rank 1 exited with 0\n"));
    CHECK(contains(outcome.errors, "rank 2 exited with 0\n"));
  }
}

TEST_CASE("_exit ends the job")
{
  CHECK(run_ranks({"3", program("endings"), "_exit"}).code == 5);
  CHECK(run_ranks({"3", program("endings"), "_Exit"}).code == 6);
}

TEST_CASE("hundreds of ranks")
{
  check_ranks("globals_O2", {}, 300);
  check_ranks("storage_O2", {}, 100);
}

TEST_CASE("gdb shows source lines and variables of a rank")
{
  if (!exists("/usr/bin/gdb")) return;
  const Outcome outcome = run_command({"gdb",
                                       "-q",
                                       "-nx",
                                       "-batch",
                                       "-ex",
                                       "set breakpoint pending on",
                                       "-ex",
                                       "set debuginfod enabled off",
                                       "-ex",
                                       "break stop_here",
                                       "-ex",
                                       "run",
                                       "-ex",
                                       "print the_rank",
                                       "-ex",
                                       "backtrace",
                                       "--args",
                                       program("loader_host"),
                                       "-q",
                                       "1",
                                       program("debugged")});
  if (contains(outcome.output + outcome.errors, "ptrace: Operation not permitted")) return;
  INFO(outcome.output << outcome.errors);
  CHECK(contains(outcome.output, "the line to stop at"));
  CHECK(contains(outcome.output, "$1 = 40"));
  CHECK(contains(outcome.output, "main (argc=2"));
}
