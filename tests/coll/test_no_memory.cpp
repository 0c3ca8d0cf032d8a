// Starting a nonblocking collective where memory ends: an error of that member, after which the communicator
// is as it was (MPI 5.0 §6.12, §9.4).
#include "coll/random_case.hpp"
#include "support/allocations.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using test::int_type;
using test::sum_op;

using coll::Life;

TEST_CASE("a start that finds no memory takes no number: the next one meets the other members")
{
  // Those by cache lines spill over after some that are outstanding; others make schedules, with a copy or,
  // in place, with a scratch.
  for (const Count count : {1, 200, 3000}) {
    for (const Life life : {Life::once, Life::persistent}) {
      int failures[2] = {};
      test::run(2, [&](Rank& rank, Communicator& world) {
        constexpr int outstanding = 40;
        const int me = world.rank();
        std::vector<std::vector<int>> sums(outstanding,
                                           std::vector<int>(static_cast<std::size_t>(count), me + 1));
        std::vector<Request*> requests(outstanding);
        for (int i = 0; i < outstanding; ++i) {
          const auto make = [&] {
            requests[i] =
                &coll::iallreduce(world, coll::in_place, sums[i].data(), count, int_type, sum_op, life);
          };
          const auto start = [&] {
            if (life == Life::persistent) requests[i]->start();
          };
          if (me == 1) {
            failures[life == Life::persistent] +=
                test::with_little_memory(make) + test::with_little_memory(start);
          } else {
            make();
            start();
          }
        }
        for (int i = 0; i < outstanding; ++i) {
          test::complete(rank, *requests[i]);
          CHECK(sums[i] == std::vector<int>(static_cast<std::size_t>(count), 3));
          requests[i]->release();
        }
      });
      CHECK(failures[life == Life::persistent] > 0);
    }
  }
}

TEST_CASE("a communicator on which starts have failed for want of memory ends with its last use")
{
  constexpr int outstanding = 40, rounds = 4;
  std::int64_t living[rounds] = {};
  test::run(2, [&](Rank& rank, Communicator& world) {
    for (std::int64_t& now : living) {
      CommRef comm = comm::dup(world);
      int one = 1;
      std::vector<int> sums(outstanding);
      std::vector<Request*> requests(outstanding);
      for (int i = 0; i < outstanding; ++i)
        test::with_little_memory(
            [&] { requests[i] = &coll::iallreduce(*comm, &one, &sums[i], 1, int_type, sum_op, Life::once); });
      for (Request* const request : requests) {
        test::complete(rank, *request);
        request->release();
      }
      // What was kept for the other member goes when this one starts more.
      for (int i = 0; i < outstanding; ++i) {
        Request& request = coll::ibarrier(*comm, Life::once);
        test::complete(rank, request);
        request.release();
      }
      test::free(comm);
      coll::barrier(world);
      if (world.rank() == 0) now = test::living_allocations();
      coll::barrier(world);
    }
  });
  CHECK(living[rounds - 1] == living[rounds - 2]);
}
