#include <doctest/doctest.h>

#include "launch/problems.hpp"

using namespace ranklet;
using namespace ranklet::launch;

namespace {

check::Finding finding(const char* what, const char* place, int rank,
                       check::Finding::Weight weight = check::Finding::Weight::error)
{
  check::Finding made;
  made.weight = weight;
  made.what = what;
  made.place = place;
  made.rank = rank;
  made.call = "MPI_Send(buf=0x" + std::to_string(rank) + ")";
  return made;
}

}  // namespace

TEST_CASE("one thing is told once, with its ranks and ways")
{
  Problems problems;
  problems.add(finding("wrong", "main() at x.c:3", 2), "--check");
  problems.add(finding("wrong", "main() at x.c:3", 0), "--check");
  problems.add(finding("wrong", "main() at x.c:3", 2), "--check --explore");
  problems.add(finding("wrong", "main() at x.c:4", 2), "--check --explore");
  CHECK(problems.count() == 2);
  CHECK(problems.errors() == 2);
  CHECK(problems.count("--check") == 1);
  CHECK(problems.count("--check --explore") == 2);
  CHECK(problems.findings().size() == 3);
  CHECK(problems.text() ==
        "1. usage error: wrong\n"
        "  rank          2\n"
        "  call          MPI_Send(buf=0x2)\n"
        "  place         main() at x.c:3\n"
        "  also on rank 0\n"
        "  seen with     --check, --check --explore\n"
        "2. usage error: wrong\n"
        "  rank          2\n"
        "  call          MPI_Send(buf=0x2)\n"
        "  place         main() at x.c:4\n"
        "  seen with     --check --explore\n");
}

TEST_CASE("failures are one where they name the same places, and come between errors and leaks")
{
  Problems problems;
  problems.add(finding("kind", "", 0, check::Finding::Weight::advice), "--check");
  problems.add(finding("left", "", 0, check::Finding::Weight::leak), "--check");
  problems.add_failure("deadlock", "deadlock: all\n  rank 0 at main() at x.c:7\n", "--check", "", true);
  problems.add_failure("deadlock", "[0] text\n  rank 1 at main() at x.c:7\n", "--check --explore",
                       "--replay 1", false);
  problems.add_failure("deadlock", "  rank 1 at main() at x.c:8\n", "--check --explore", "--replay 2", false);
  problems.add(finding("wrong", "", 0), "--check");
  CHECK(problems.count() == 5);
  CHECK(problems.errors() == 4);
  const std::string text = problems.text();
  CHECK(text.starts_with("1. usage error: wrong\n"));
  CHECK(text.find("2. the job fails: deadlock, as above\n  seen with     --check, --check --explore\n3. ") !=
        text.npos);
  CHECK(text.find(
            "3. the job fails: deadlock\n    rank 1 at main() at x.c:8\n  seen with     --check --explore\n"
            "  again with    --replay 2\n4. leak: left\n") != text.npos);
  CHECK(text.find("5. advice: kind\n") != text.npos);
}
