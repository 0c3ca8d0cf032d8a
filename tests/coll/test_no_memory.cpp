// Starting a nonblocking collective where memory ends: an error of that member, after which the communicator
// is as it was (MPI 5.0 §6.12, §9.4). This file's operator new is that of the whole test program.
#include <cstdlib>
#include <new>

#include "base/error.hpp"
#include "coll/random_case.hpp"

using namespace ranklet;
using test::int_type;
using test::sum_op;

namespace {

constinit thread_local int allocations_left = -1;  // of this thread; -1: as many as there are

void* allocate(std::size_t bytes, std::size_t alignment)
{
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(bytes)
                           : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

// Not inlined: what is freed would seem to come from another operator new.
[[gnu::noinline]] void release(void* memory) noexcept
{
  std::free(memory);
}

using coll::Life;

// Calls start() with so few allocations that it fails, with one more each time, until it does not; the number
// of times that it has failed.
template <class Start>
int start_with_little(const Start& start)
{
  for (int failures = 0;; ++failures) {
    allocations_left = failures;
    try {
      start();
      allocations_left = -1;
      return failures;
    } catch (const std::bad_alloc&) {
      allocations_left = -1;
    }
  }
}

}  // namespace

void* operator new(std::size_t bytes)
{
  return allocate(bytes, 0);
}

void* operator new(std::size_t bytes, std::align_val_t alignment)
{
  return allocate(bytes, static_cast<std::size_t>(alignment));
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept
{
  try {
    return allocate(bytes, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* memory) noexcept
{
  release(memory);
}

void operator delete(void* memory, std::size_t) noexcept
{
  release(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept
{
  release(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
  release(memory);
}

TEST_CASE("a start that finds no memory takes no number: the next one meets the other members")
{
  // Those by cache lines spill over after some that are outstanding; large ones make schedules, in place with
  // a scratch.
  for (const Count count : {1, 3000}) {
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
            failures[life == Life::persistent] += start_with_little(make) + start_with_little(start);
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
