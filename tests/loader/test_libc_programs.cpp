// Real programs as ranks: what libc keeps per process, seen from outside. The programs are in
// programs/libc_*.

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "run_program.hpp"
#include "support/text.hpp"

using ranklet::test::contains;

namespace {

std::vector<std::string> lines_of(const std::string& text)
{
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// libc_host with this program; `input` is its stdin.
Outcome run(const std::vector<std::string>& arguments, const std::string& input = "")
{
  std::string command = "printf '" + input + "' | timeout 60 " + program("libc_host");
  for (const std::string& argument : arguments) command += " " + argument;
  return run_command({"/bin/sh", "-c", command});
}

}  // namespace

TEST_CASE("a C program sees no other rank's state, and its lines stay whole")
{
  for (const char* variant : {"libc_c", "libc_c_fortified", "libc_c_pic"}) {
    CAPTURE(variant);
    const Outcome outcome = run({"8", program(variant)});
    CHECK(outcome.code == 0);
    CHECK(outcome.errors == "");
    std::map<int, int> next;
    int ends = 0;
    for (const std::string& line : lines_of(outcome.output)) {
      int rank = -1, number = -1;
      if (std::sscanf(line.c_str(), "%d line %d", &rank, &number) == 2) {
        CHECK(line == std::to_string(rank) + " line " + std::to_string(number));
        CHECK(number == next[rank]++);
      } else {
        CHECK(contains(line, " end"));
        ++ends;
      }
    }
    for (int rank = 0; rank < 8; ++rank) CHECK(next[rank] == 100);
    CHECK(ends == 7);  // rank 1 has sent its stdout elsewhere
    CHECK_FALSE(contains(outcome.output, "not to be seen"));
  }
}

TEST_CASE("C++ streams: format flags and buffers are the rank's")
{
  for (const char* how : {"", "alone"}) {
    CAPTURE(how);
    const Outcome outcome = run({"8", program("libc_streams"), how}, "one two three\\n");
    CHECK(outcome.code == 0);
    std::map<int, int> next;
    int words = 0;
    int wide = 0;
    for (const std::string& line : lines_of(outcome.output)) {
      const int rank = std::atoi(line.c_str() + (line.compare(0, 3, "r0x") == 0 ? 3 : 1));
      if (contains(line, " wide")) {
        CHECK(line == "w" + std::to_string(rank) + " wide");
        ++wide;
      } else if (contains(line, "words")) {
        CHECK(line == "r" + std::to_string(rank) + " words " + (rank == 0 ? "3" : "0"));
        ++words;
      } else {
        char expected[64];
        const int i = next[rank]++;
        std::string number(64, '\0');
        if (rank % 2 == 1)
          std::snprintf(expected, sizeof expected, i == 0 ? "0" : "0x%x", static_cast<unsigned>(i * 16));
        else
          std::snprintf(expected, sizeof expected, "%d", i * 16);
        number = expected;
        number.insert(0, number.size() < 6 ? 6 - number.size() : 0, rank % 2 == 1 ? '*' : '.');
        std::string whole = (rank % 2 == 1 ? "r0x" : "r") + std::to_string(rank) + ' ' + number + ' ';
        if (*how == '\0') whole += "p" + std::to_string(rank);
        CHECK(line == whole);
      }
    }
    for (int rank = 0; rank < 8; ++rank) CHECK(next[rank] == 200);
    CHECK(words == 8);
    CHECK(wide == 8);
    int errors = 0;
    for (const std::string& line : lines_of(outcome.errors)) {
      int rank = -1, number = -1;
      char kind = ' ';
      CHECK(std::sscanf(line.c_str(), "%c%d %d", &kind, &rank, &number) == 3);
      CHECK(line == kind + std::to_string(rank) + ' ' + std::to_string(number));
      ++errors;
    }
    CHECK(errors == 8 * 8);
  }
}

// The programs check themselves.
TEST_CASE("children are waited for by the rank that made them, and by no other")
{
  const Outcome outcome = run({"8", program("libc_children")});
  CHECK(outcome.errors == "");
  CHECK(outcome.code == 0);
}

TEST_CASE("calls on descriptors 0 to 2 and signals to oneself are as in a process")
{
  const Outcome outcome = run({"8", program("libc_calls")}, "one two three\\n");
  CHECK(outcome.errors == "");
  CHECK(outcome.code == 0);
  CHECK(lines_of(outcome.output).size() == 8);
}

TEST_CASE("each rank has a time zone of its own")
{
  const Outcome outcome = run({"8", program("libc_zone")});
  CHECK(outcome.errors == "");
  CHECK(outcome.code == 0);
}

TEST_CASE("a fork runs the handlers of the rank that forks")
{
  const Outcome outcome = run({"4", program("libc_fork_handlers"), PROGRAM_DIRECTORY});
  CHECK(outcome.errors == "");
  CHECK(outcome.code == 0);
}

#if HAS_FORTRAN
TEST_CASE("Fortran: units 0, 5 and 6")
{
  const Outcome outcome = run({"-tag", "4", program("libc_fortran")}, "1 2\\n3\\n");
  CHECK(outcome.code == 0);
  std::map<int, int> next;
  int totals = 0;
  int ends = 0;
  for (const std::string& line : lines_of(outcome.output)) {
    int tag = -1, rank = -1, number = -1;
    if (std::sscanf(line.c_str(), "[%d] r%d line %d", &tag, &rank, &number) == 3) {
      CHECK(tag == rank);
      CHECK(number == ++next[rank]);
    } else if (std::sscanf(line.c_str(), "[%d] r%d total %d", &tag, &rank, &number) == 3) {
      CHECK(number == (rank == 0 ? 4 : 0));
      ++totals;
    } else {
      CHECK(contains(line, " end"));
      ++ends;
    }
  }
  for (int rank = 0; rank < 4; ++rank) CHECK(next[rank] == 100);
  CHECK(totals == 4);
  CHECK(ends == 4);
  CHECK(lines_of(outcome.errors).size() == 8);
}

TEST_CASE("a crash in Fortran is reported with its line, not by libgfortran")
{
  const Outcome outcome = run({"1", program("libc_crash_fortran")});
  INFO(outcome.errors);
  CHECK(outcome.code == 128 + 11);
  CHECK(contains(outcome.output, "before\n"));
  CHECK(contains(outcome.errors, "rank 0 got signal 11"));
  CHECK(contains(outcome.errors, "libc_crash_fortran.f90:9"));
  CHECK_FALSE(contains(outcome.errors, "Program received signal"));
}
#endif

TEST_CASE("standard input reaches whom it should")
{
  const Outcome all = run({"-stdin=all", "3", program("libc_streams")}, "one two three\\n");
  for (const char* line : {"r0 words 3", "r1 words 3", "r2 words 3"}) CHECK(contains(all.output, line));
  const Outcome none = run({"-stdin=none", "2", program("libc_streams")}, "one two three\\n");
  for (const char* line : {"r0 words 0", "r1 words 0"}) CHECK(contains(none.output, line));
}

TEST_CASE("crashes name rank, functions and lines, and lose no output")
{
  Outcome outcome = run({"3", program("libc_crash"), "null"});
  INFO(outcome.errors);
  CHECK(outcome.code == 128 + 11);
  CHECK(contains(outcome.errors,
                 "rank 1 got signal 11 (SIGSEGV, Segmentation fault): null pointer (address 0x8)\n"));
  CHECK(contains(outcome.errors, "#0  (anonymous namespace)::Grid::cell(int) const at libc_crash.cpp:22\n"));
  CHECK(contains(outcome.errors, "#1  (anonymous namespace)::step("));
  CHECK(contains(outcome.errors, "at libc_crash.cpp:27\n"));
  CHECK(contains(outcome.errors, "#2  main() at libc_crash.cpp:"));
  CHECK_FALSE(contains(outcome.errors, "#3"));
  CHECK(contains(outcome.output, "rank 1 was here\n"));
  CHECK(contains(outcome.output, "and left this"));

  outcome = run({"2", program("libc_crash"), "divide"});
  CHECK(outcome.code == 128 + 8);
  CHECK(contains(outcome.errors, "#0  main() at libc_crash.cpp:"));
  outcome = run({"2", program("libc_crash"), "abort"});
  CHECK(outcome.code == 128 + 6);
  CHECK(contains(outcome.errors, "#0  main() at libc_crash.cpp:"));
  outcome = run({"2", program("libc_crash"), "throw"});
  CHECK(outcome.code == 128 + 6);
  CHECK(contains(outcome.errors, "std::runtime_error"));
  CHECK(contains(outcome.errors, "what():  too bad"));
  CHECK(contains(outcome.errors, "rank 1 got signal 6"));
  outcome = run({"2", program("libc_crash"), "thread"});
  CHECK(outcome.code == 128 + 11);
  CHECK(contains(outcome.errors, "rank 1 got signal 11"));
  outcome = run({"2", program("libc_crash"), "immediate"});
  CHECK(outcome.code == 7);
  CHECK(contains(outcome.output, "rank 1 was here\n"));
}
