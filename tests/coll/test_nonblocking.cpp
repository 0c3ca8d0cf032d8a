// What nonblocking and persistent collectives promise beyond the results of the blocking ones.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <thread>

#include "coll/random_case.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using test::int_type;
using test::sum_op;

namespace {

using List = std::vector<int>;
using coll::Life;

int sum_of_ranks(int n)
{
  return n * (n - 1) / 2;
}

void end(Request& request)
{
  test::complete(request.owner(), request);
  // A place in the operation's memory is only of use, and safe, while it is active.
  CHECK(&request.place() == &request.owner().parking);
  request.release();
}

// Its error's; empty if there is none.
std::string message_of(Request& request)
{
  try {
    end(request);
  } catch (const Error& error) {
    request.release();
    return error.message();
  }
  return {};
}

}  // namespace

TEST_CASE("a collective goes on though a member never enters MPI again (MPI 5.0 §3.7.4, §6.12)")
{
  struct Size {
    int members;
    std::size_t count;
  };
  for (const auto [members, count] : {Size{3, 1}, Size{3, 50000}, Size{17, 1}, Size{17, 10000}}) {
    memmodel::Counter<> finished;
    const int n = members;  // clang 14 cannot capture bindings
    const std::size_t each = count;
    test::run(n, [&](Rank& rank, Communicator& world) {
      const int me = world.rank();
      const Count c = static_cast<Count>(each);
      List data(each, me), result(each), all(static_cast<std::size_t>(n) * each);
      Request& reduced = coll::iallreduce(world, data.data(), result.data(), c, int_type, sum_op, Life::once);
      Request& gathered =
          coll::iallgather(world, {data.data(), c, &int_type}, {all.data(), c, &int_type}, Life::once);
      // Not a call of MPI: the others do what is left of this member's part.
      while (me == 1 && finished.value() < n - 1) std::this_thread::yield();
      test::complete(rank, gathered);
      test::complete(rank, reduced);
      finished.add(1);
      CHECK(result == List(each, sum_of_ranks(n)));
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] != static_cast<int>(i / each)) CHECK(all[i] == static_cast<int>(i / each));
      gathered.release();
      reduced.release();
    });
  }
}

TEST_CASE("a start waits for nobody, and barriers complete when all have come")
{
  memmodel::Flag<> looked;
  test::run(2, [&](Rank&, Communicator& world) {
    if (world.rank() == 0) {
      Request& barrier = coll::ibarrier(world, Life::once);
      CHECK(!barrier.advance());
      looked.set();
      end(barrier);
    } else {
      while (!looked.is_set()) std::this_thread::yield();
      end(coll::ibarrier(world, Life::once));
    }
  });
}

TEST_CASE("who gives what is short is done before the others come, in one root's calls after the other's")
{
  // In a line, in a slot, and beside it.
  for (const int count : {6, 24, 256}) {
    constexpr int calls = 40;
    memmodel::Counter<> given;
    test::run(2, [&](Rank&, Communicator& world) {
      const int me = world.rank();
      const std::size_t each = static_cast<std::size_t>(count);
      for (int call = 0; call < calls; ++call) {
        const bool is_root = call / 4 % 2 == me;
        while (!is_root && given.value() <= call) std::this_thread::yield();
        // Also of other lengths, which leave the slots of later calls with too little memory, or too much.
        const Count c = call % 3 == 2 ? count / 2 : count;
        List data(each, is_root ? call : -1), parts(2 * each, is_root ? 100 + call : -1), part(each, -1);
        Request& cast = coll::ibcast(world, {data.data(), c, &int_type}, call / 4 % 2, Life::once);
        Request& scattered =
            coll::iscatter(world, {parts.data(), c / 2, &int_type}, {part.data(), c / 2, &int_type},
                           coll::Sizes::equal, call / 4 % 2, Life::once);
        if (is_root) {
          CHECK(cast.advance());
          CHECK(scattered.advance());
          given.add(1);
        }
        end(cast);
        end(scattered);
        data.resize(static_cast<std::size_t>(c));
        part.resize(static_cast<std::size_t>(c / 2));
        CHECK(data == List(data.size(), call));
        CHECK(part == List(part.size(), 100 + call));
      }
    });
  }
}

TEST_CASE("who waits for many is ready when the last one has come, not before")
{
  constexpr int n = 20;
  memmodel::Counter<> come;
  memmodel::Flag<> looked;
  test::run(n, [&](Rank&, Communicator& world) {
    const int me = world.rank();
    if (me == n - 1)
      while (!looked.is_set()) std::this_thread::yield();
    Request& barrier = coll::ibarrier(world, Life::once);
    come.add(1);
    if (me == 0) {
      // Whichever it has found missing first has come since, and has woken nobody.
      barrier.advance();
      while (come.value() < n - 1) std::this_thread::yield();
      CHECK(!barrier.ready_to_advance());
      looked.set();
      while (come.value() < n) std::this_thread::yield();
      CHECK(barrier.ready_to_advance());
    }
    end(barrier);
  });
}

TEST_CASE("on overlapping communicators collectives may start in any order")
{
  test::run(3, [](Rank&, Communicator& world) {
    // Each pair of ranks has a communicator; blocking, the cycle would never end.
    const int me = world.rank();
    const CommRef first = comm::split(world, me < 2 ? 0 : undefined, 0);
    const CommRef second = comm::split(world, me > 0 ? 0 : undefined, 0);
    const CommRef third = comm::split(world, me != 1 ? 0 : undefined, 0);
    Communicator* const mine[3][2] = {
        {first.get(), third.get()}, {second.get(), first.get()}, {third.get(), second.get()}};
    List data(1000, me), results[2] = {List(1000), List(1000)};
    Request* requests[2];
    for (int i = 0; i < 2; ++i)
      requests[i] =
          &coll::iallreduce(*mine[me][i], data.data(), results[i].data(), 1000, int_type, sum_op, Life::once);
    for (int i = 1; i >= 0; --i) end(*requests[i]);
    const int other[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    for (int i = 0; i < 2; ++i) CHECK(results[i] == List(1000, me + other[me][i]));
  });
}

TEST_CASE("many at once, completed in another order than started")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  constexpr std::size_t many = 50000;
  test::run(2, [&](Rank& rank, Communicator& world) {
    std::vector<Request*> requests;
    List in(many), out(many);
    for (std::size_t i = 0; i < many; ++i) {
      in[i] = static_cast<int>(i) + world.rank();
      requests.push_back(&coll::iallreduce(world, &in[i], &out[i], 1, int_type, sum_op, Life::once));
    }
    std::shuffle(requests.begin(), requests.end(),
                 std::mt19937(seed + static_cast<unsigned>(rank.world_rank)));
    for (Request* request : requests) end(*request);
    for (std::size_t i = 0; i < many; ++i) CHECK_MESSAGE(out[i] == 2 * static_cast<int>(i) + 1, i);
  });
}

TEST_CASE("persistent ones start again and again, in orders that differ between the members")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  for (const int n : {1, 2, 5}) {
    test::run(n, [&](Rank& rank, Communicator& world) {
      const int me = world.rank();
      int small = 0, small_sum = 0;
      List large(3000), large_sum(3000), everybody(static_cast<std::size_t>(n)), token(1);
      std::vector<Request*> requests = {
          &coll::iallreduce(world, &small, &small_sum, 1, int_type, sum_op, Life::persistent),
          &coll::iallreduce(world, large.data(), large_sum.data(), 3000, int_type, sum_op, Life::persistent),
          &coll::iallgather(world, {&small, 1, &int_type}, {everybody.data(), 1, &int_type},
                            Life::persistent),
          &coll::ibcast(world, {token.data(), 1, &int_type}, n - 1, Life::persistent),
          &coll::ibarrier(world, Life::persistent)};
      std::mt19937 random(seed + static_cast<unsigned>(me));
      for (int round = 0; round < 200; ++round) {
        small = me + round;
        std::fill(large.begin(), large.end(), me * round);
        token[0] = me == n - 1 ? round : -1;
        std::shuffle(requests.begin(), requests.end(), random);
        for (Request* request : requests) request->start();
        std::shuffle(requests.begin(), requests.end(), random);
        for (Request* request : requests) test::complete(rank, *request);
        CHECK(small_sum == sum_of_ranks(n) + n * round);
        CHECK(large_sum == List(3000, sum_of_ranks(n) * round));
        for (int i = 0; i < n; ++i) CHECK(everybody[static_cast<std::size_t>(i)] == i + round);
        CHECK(token[0] == round);
      }
      for (Request* request : requests) request->release();
    });
  }
}

TEST_CASE("a user's operator runs on its own rank's threads only")
{
  struct Watch {
    static void add(void* rank, const void* in, void* inout, Count n, const Datatype&)
    {
      CHECK(current_rank() == rank);
      for (Count i = 0; i < n; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
    }
  };
  test::run(4, [](Rank& rank, Communicator& world) {
    const Ref<Op> op = Op::create(&Watch::add, &rank, true);
    for (const std::size_t count : {1, 5000}) {
      List data(count, world.rank()), result(count);
      for (int round = 0; round < 50; ++round)
        end(coll::iallreduce(world, data.data(), result.data(), static_cast<Count>(count), int_type, *op,
                             Life::once));
      CHECK(result == List(count, 6));
    }
  });
}

TEST_CASE("types and operators may be freed while the collective is under way")
{
  test::run(2, [](Rank&, Communicator& world) {
    for (const std::size_t count : {1, 1000}) {
      Ref<Datatype> pair = create_contiguous(2, int_type);
      List data(2 * count, world.rank()), all(4 * count);
      const Count pairs = static_cast<Count>(count);
      Request& request = coll::iallgather(world, {data.data(), pairs, pair.get()},
                                          {all.data(), pairs, pair.get()}, Life::once);
      pair = {};
      end(request);
      CHECK(all.front() == 0);
      CHECK(all.back() == 1);
    }
  });
}

TEST_CASE("who waits for a member that is complete in another call is told")
{
  test::run(3, [](Rank&, Communicator& world) {
    const int me = world.rank();
    List data(9000, me);
    // Copies, of which nobody waits for the end; and buffers, with which the root must be done.
    Request& request =
        me == 1 ? coll::igather(world, {data.data(), 3000, &int_type}, {}, coll::Sizes::equal, 0, Life::once)
                : coll::ibcast(world, {data.data(), 20, &int_type}, 2, Life::once);
    const std::string text = message_of(request);
    CHECK((text.find("MPI_Bcast") != text.npos) == (me == 1));
  });
}

TEST_CASE("a root that has gone on from another call is told, and nobody takes what it gave in a later one")
{
  struct Size {
    int calls, wrong;
    const char* text;
  };
  // More lines than a member has, and fewer.
  for (const Size size : {Size{120, 40, "in place of"}, Size{14, 10, "with root 1"}}) {
    CAPTURE(size.calls);
    std::atomic<bool> has_gone_on = false;
    test::run(3, [&](Rank&, Communicator& world) {
      const int me = world.rank();
      // acquire pairs with the release below: nothing of the others begins before.
      while (me != 0 && !has_gone_on.load(std::memory_order_acquire)) std::this_thread::yield();
      List data(static_cast<std::size_t>(size.calls), -1);
      std::vector<Request*> requests;
      for (int i = 0; i < size.calls; ++i) {
        int& own = data[static_cast<std::size_t>(i)];
        if (me == 0) own = i;
        requests.push_back(
            &coll::ibcast(world, {&own, 1, &int_type}, me == 0 && i == size.wrong ? 1 : 0, Life::once));
      }
      if (me == 0) has_gone_on.store(true, std::memory_order_release);
      for (int i = 0; i < size.calls; ++i) {
        Request& request = *requests[static_cast<std::size_t>(i)];
        const std::string text = message_of(request);
        CHECK(text.empty() == (i != size.wrong));
        if (i != size.wrong)
          CHECK(data[static_cast<std::size_t>(i)] == i);
        else if (me != 0)
          CHECK(text.find(size.text) != text.npos);
      }
    });
  }
}

TEST_CASE("what does not fit together is an error of the operation, and nobody hangs")
{
  test::run(2, [](Rank&, Communicator& world) {
    const int me = world.rank();
    List data(3000, me), result(100);
    const auto outcome = [](Request& request) {
      try {
        end(request);
      } catch (const Error& error) {
        request.release();
        return error.error_class();
      }
      return ErrorClass::success;
    };
    const ErrorClass different_calls = outcome(
        me == 0 ? coll::ibarrier(world, Life::once)
                : coll::iallreduce(world, data.data(), result.data(), 100, int_type, sum_op, Life::once));
    CHECK(different_calls == ErrorClass::other);
    // A root that shows a copy would not wait for anybody.
    CHECK(outcome(coll::ibcast(world, {data.data(), 3000, &int_type}, me, Life::once)) == ErrorClass::root);
    CHECK(outcome(coll::ibcast(world, {data.data(), me == 0 ? 100 : 99, &int_type}, 0, Life::once)) ==
          (me == 0 ? ErrorClass::success : ErrorClass::truncate));
    CHECK(outcome(coll::iallreduce(world, data.data(), result.data(), 100 - me, int_type, sum_op,
                                   Life::once)) == ErrorClass::truncate);
    // Blocks of a few bytes, of which members give more.
    CHECK(outcome(coll::iallgather(world, {data.data(), 1000, &int_type}, {result.data(), 1, &int_type},
                                   Life::once)) == ErrorClass::truncate);
    // And a root that is to take, or to give, another amount than the others.
    for (const Count more : {Count{1}, Count{100}}) {
      const Count count = me == 0 ? 2 + more : 2;
      CHECK(outcome(coll::igather(world, {data.data(), 2, &int_type}, {result.data(), count, &int_type},
                                  coll::Sizes::equal, 0, Life::once)) ==
            (me == 0 ? ErrorClass::truncate : ErrorClass::success));
      CHECK(outcome(coll::iscatter(world, {data.data(), count, &int_type}, {result.data(), 2, &int_type},
                                   coll::Sizes::equal, 0, Life::once)) == ErrorClass::truncate);
    }
    // An active one may not be freed, a complete one may.
    Request& barrier = coll::ibarrier(world, Life::once);
    if (!barrier.complete()) CHECK_THROWS_AS(barrier.check_may_be_let_go(), Error);
    wait(world.self(), barrier);
    CHECK_NOTHROW(barrier.check_may_be_let_go());
    end(barrier);
  });
}
