#include <doctest/doctest.h>

#include <thread>

#include "launch/rank_ends.hpp"
#include "launch/rank_stack.hpp"

using namespace ranklet::launch;

TEST_CASE("the job's code is that of the first failure")
{
  RankEnds ends(5);
  CHECK(ends.ended(0, 0));
  CHECK(ends.ended(2, 7));
  CHECK(ends.ended(1, 3));
  CHECK(ends.ended(3, 3));
  CHECK_FALSE(ends.ended(0, 9));  // a second end of the same rank
  CHECK(ends.job_code() == 7);
  CHECK(ends.lines(false) ==
        std::vector<std::string>{"ranks 1,3 exited with code 3", "rank 2 exited with code 7"});
  std::thread last([&] { ends.ended(4, 256 + 1); });
  ends.wait_for_all();
  last.join();
  CHECK(ends.lines(true).front() == "rank 0 exited with code 0");
  CHECK(ends.lines(true)[1] == "rank 4 exited with code 1");
}

TEST_CASE("ranges of ranks")
{
  CHECK(ranges_text({3}) == "3");
  CHECK(ranges_text({0, 1, 2, 5, 7, 8}) == "0-2,5,7-8");
}

TEST_CASE("stacks")
{
  CHECK(stack_size(1) == 256 * 1024);
  CHECK(stack_size((64 << 20) + 1) == (64 << 20) + 4096);
  CHECK(stack_size(0) >= 8 << 20);
  char* const stack = static_cast<char*>(map_stack(1 << 20));
  stack[0] = 1;
  stack[(1 << 20) - 1] = 1;
}
