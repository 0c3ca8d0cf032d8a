// What asserted calls on windows promise, by members of a window.
#include <doctest/doctest.h>

#include <array>

#include "check/promises.hpp"

using namespace ranklet;
using namespace ranklet::check;
using rma::Access;

namespace {

class PromiseCall final : public RecordedCall {
 public:
  PromiseCall() : RecordedCall("a rank", 0, nullptr) {}
  std::string text() const override { return "a call"; }
};

class PromisingMembers {
 public:
  bool fence(int rank, bool no_put = false)
  {
    const bool broken = promises.fence_starts(origin(rank), no_put, call).has_value();
    promises.fenced(origin(rank));
    return broken;
  }
  bool put(int rank, int target, Access epoch = Access::fenced)
  {
    return promises.updated(origin(rank), target, epoch, call).has_value();
  }
  bool lock(int rank, int target, bool exclusive, bool no_check)
  {
    return promises.locks(origin(rank), target, exclusive, no_check, call).has_value();
  }
  // What the rank's part holds, and whether it is found to have been stored to.
  bool stored(int rank) { return promises.has_stored(origin(rank), part(rank)); }
  void synchronize(int rank) { promises.synchronized(origin(rank), part(rank)); }
  void update(int rank, int target, Access epoch) { promises.updates(origin(rank), target, target, epoch); }
  Origin origin(int rank) const { return {this, 3, rank}; }
  Promises::Bytes part(int rank) const { return memory[static_cast<std::size_t>(rank)]; }

  std::array<std::array<char, 64>, 3> memory{};

  Promises promises;
  const Promises::CallRef call = Promises::CallRef::adopt(new PromiseCall);
};

}  // namespace

TEST_CASE("nobody may put between fences to whom has said so")
{
  PromisingMembers window;
  for (int rank = 0; rank < 3; ++rank) window.fence(rank, rank == 0);
  CHECK(window.put(1, 0));
  CHECK_FALSE(window.put(0, 1));
  CHECK_FALSE(window.put(1, 0, Access::exclusive));
  // Rank 2 has not left the next fence when rank 0 begins its phase.
  CHECK_FALSE(window.fence(0));
  CHECK(window.put(2, 0));
  for (int rank = 1; rank < 3; ++rank) window.fence(rank);
  CHECK_FALSE(window.put(2, 0));
}

TEST_CASE("a put may come before the fence that promises that there is none")
{
  PromisingMembers window;
  window.fence(1);
  CHECK_FALSE(window.put(1, 0));
  CHECK(window.fence(0, true));
}

TEST_CASE("an exposure without puts ends")
{
  PromisingMembers window;
  window.promises.posted(window.origin(0), true, window.call);
  CHECK(window.put(1, 0, Access::started));
  window.promises.waited(window.origin(0));
  CHECK_FALSE(window.put(1, 0, Access::started));
}

TEST_CASE("locks that are asserted to be alone are, if one of two is exclusive")
{
  PromisingMembers window;
  CHECK_FALSE(window.lock(0, 1, false, true));
  CHECK_FALSE(window.lock(2, -1, false, false));
  CHECK(window.lock(1, 1, true, false));
  CHECK_FALSE(window.lock(1, 0, true, false));  // rank 2 waits or holds, and neither has promised
  window.promises.unlocks(window.origin(0), 1);
  CHECK_FALSE(window.lock(0, 1, true, false));
  CHECK(window.lock(0, 2, true, true));  // while rank 2 has them all
}

TEST_CASE("nothing is said of a window where a call has failed, and nothing known of one that is new")
{
  PromisingMembers window;
  window.lock(0, 1, true, true);
  window.promises.give_up(&window);
  CHECK_FALSE(window.lock(2, 1, true, true));
  window.promises.forget(&window);
  CHECK_FALSE(window.lock(2, 1, true, true));
  CHECK(window.lock(0, 1, true, true));
}

TEST_CASE("a part that has changed was stored to, if no other rank can have changed it")
{
  PromisingMembers window;
  CHECK_FALSE(window.stored(0));  // nothing is known of it
  for (int rank = 0; rank < 3; ++rank) window.fence(rank);
  window.synchronize(0);
  CHECK_FALSE(window.stored(0));
  window.memory[0][5] = 1;
  CHECK(window.stored(0));
  SUBCASE("others have put")
  {
    window.update(1, 0, Access::fenced);
    CHECK_FALSE(window.stored(0));
    // In the phase before.
    window.fence(0);
    window.synchronize(0);
    window.memory[0][5] = 2;
    CHECK(window.stored(0));
    // Rank 1 is in the next phase before this rank has read its part.
    window.fence(1);
    window.fence(1);
    window.update(1, 0, Access::fenced);
    window.fence(0);
    window.synchronize(0);
    window.memory[0][5] = 3;
    CHECK_FALSE(window.stored(0));
  }
  SUBCASE("by a lock")
  {
    window.update(1, 0, Access::shared);
    CHECK_FALSE(window.stored(0));
    window.synchronize(0);
    window.memory[0][6] = 1;
    CHECK(window.stored(0));
  }
  SUBCASE("between the fences of another window over the same memory")
  {
    window.promises.updates({&window.promises, 3, 1}, 0, 0, Access::fenced);
    CHECK_FALSE(window.stored(0));
    window.synchronize(0);
    window.memory[0][6] = 1;
    CHECK(window.stored(0));
  }
  SUBCASE("another synchronization came between")
  {
    window.promises.may_store(window.origin(0));
    CHECK_FALSE(window.stored(0));
  }
  SUBCASE("others see it")
  {
    window.promises.share(&window);
    CHECK_FALSE(window.stored(0));
  }
  SUBCASE("a call has failed")
  {
    window.promises.give_up(&window);
    CHECK_FALSE(window.stored(0));
  }
}

TEST_CASE("large parts are kept once somebody asks")
{
  PromisingMembers window;
  std::vector<char> large(100000);
  const auto is_found = [&] {
    window.promises.synchronized(window.origin(1), large);
    ++large[99999];
    return window.promises.has_stored(window.origin(1), large);
  };
  CHECK_FALSE(is_found());
  CHECK(is_found());
}
