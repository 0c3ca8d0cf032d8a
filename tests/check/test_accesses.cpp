#include <doctest/doctest.h>

#include "check/accesses.hpp"
#include "datatype/op.hpp"

using namespace ranklet;
using namespace ranklet::check;
using rma::Access;

namespace {

class MadeCall final : public RecordedCall {
 public:
  MadeCall() : RecordedCall("a rank", 0, nullptr) {}
  std::string text() const override { return "a call"; }
};

// A window of three members; all accesses go to member 0's memory of ints.
class Members {
 public:
  // The place is an index there.
  std::size_t put(int rank, Access epoch, Count place = 0, Count count = 1)
  {
    return add(rank, epoch, {AccessKind::put, -1, at(place, count)}).size();
  }
  std::size_t get(int rank, Access epoch, Count place = 0, bool by_request = false)
  {
    return add(rank, epoch, {AccessKind::get, -1, at(place, 1)}, by_request).size();
  }
  std::size_t accumulate(int rank, Access epoch, OpKind op)
  {
    return add(rank, epoch, {AccessKind::accumulate, static_cast<int>(op), at(0, 1)}).size();
  }
  std::size_t compare_and_swap(int rank, Access epoch)
  {
    return add(rank, epoch, {AccessKind::accumulate, -1, at(0, 1)}).size();
  }
  std::vector<Conflict> add(int rank, Access epoch, RemoteAccess access, bool by_request = false)
  {
    return accesses.add(origin(rank), 0, epoch, std::move(access), by_request);
  }
  Origin origin(int rank) const { return {this, 3, rank}; }

  Clocks clocks;
  Accesses accesses{clocks};
  Ref<const RecordedCall> made;  // by which call

 private:
  BufferUse at(Count place, Count count)
  {
    return {&memory_[place], count, Ref<const Datatype>(predefined(Basic::int_)), true, made};
  }

  int memory_[16] = {};
};

}  // namespace

TEST_CASE("what is open at once and overlaps conflicts, if one writes")
{
  Members window;
  CHECK(window.get(1, Access::shared, 2) == 0);
  CHECK(window.get(2, Access::shared, 2) == 0);
  CHECK(window.put(2, Access::shared, 3) == 0);
  CHECK(window.put(2, Access::shared, 1, 3) == 3);
  CHECK(window.get(1, Access::shared, 4) == 0);
}

TEST_CASE("the report names both operations and the target")
{
  Members window;
  window.put(1, Access::shared);
  static int elsewhere;
  BufferUse where{&elsewhere, 1, Ref<const Datatype>(predefined(Basic::int_)), true, {}};
  window.add(1, Access::shared, {AccessKind::accumulate, static_cast<int>(OpKind::sum), where});
  const auto found = window.add(2, Access::shared, {AccessKind::get, -1, where});
  REQUIRE(found.size() == 1);
  CHECK(found[0].what ==
        "a get and an accumulate of the same data of target 0 are not ordered by synchronization; completion "
        "by "
        "a flush or an unlock and then a message or a collective would order them, or exclusive locks");
}

TEST_CASE(
    "a flush or unlock ends all of its origin's accesses to the target, a local one only those that read")
{
  Members window;
  window.put(1, Access::shared, 0);
  window.get(1, Access::shared, 1);
  window.accesses.flushed_locally(window.origin(2), -1);
  window.accesses.flushed(window.origin(1), 1);
  CHECK(window.put(2, Access::shared, 1) == 1);
  for (const int target : {0, -1}) {
    Members own;
    own.put(1, Access::shared, 0);
    own.get(1, Access::shared, 1);
    own.accesses.flushed_locally(own.origin(1), target);
    CHECK(own.put(2, Access::shared, 1) == 0);
    CHECK(own.put(2, Access::shared, 0) == 1);
    own.accesses.flushed(own.origin(1), target);
    own.accesses.flushed(own.origin(2), target);
    CHECK(own.put(0, Access::shared, 0, 2) == 0);
  }
}

TEST_CASE("MPI_Win_complete ends what reads, the target's MPI_Win_wait ends all")
{
  Members window;
  window.get(1, Access::started, 1);
  window.put(1, Access::started, 2);
  window.accesses.completed(window.origin(1));
  CHECK(window.put(2, Access::started, 1) == 0);
  CHECK(window.put(2, Access::started, 2) == 1);
  window.accesses.waited(window.origin(0), {});
  CHECK(window.put(1, Access::started, 1, 2) == 0);
}

TEST_CASE("a fence orders what is before it and what is after, of whatever kind")
{
  Members window;
  for (int rank = 0; rank < 3; ++rank) window.accesses.fenced(window.origin(rank));
  window.put(1, Access::fenced);
  CHECK(window.put(0, Access::fenced) == 1);
  // 2 has left the fence that 0 and 1 are still in.
  window.accesses.fenced(window.origin(2));
  CHECK(window.put(2, Access::shared, 0) == 0);
  CHECK(window.put(2, Access::started, 0) == 1);
  Members other;
  other.put(1, Access::fenced);
  other.accesses.fenced(other.origin(2));
  CHECK(other.put(2, Access::fenced) == 0);
  CHECK(other.put(0, Access::fenced) == 1);
}

TEST_CASE("accumulates go together if their operators do")
{
  Members window;
  CHECK(window.accumulate(1, Access::shared, OpKind::sum) == 0);
  CHECK(window.accumulate(2, Access::shared, OpKind::sum) == 0);
  CHECK(window.accumulate(2, Access::shared, OpKind::no_op) == 0);
  // In order, those of one origin.
  Members own;
  CHECK(own.accumulate(1, Access::shared, OpKind::sum) == 0);
  CHECK(own.accumulate(1, Access::shared, OpKind::replace) == 0);
  CHECK(own.compare_and_swap(2, Access::shared) == 0);
  CHECK(own.accumulate(0, Access::shared, OpKind::replace) == 1);
  CHECK(own.put(0, Access::shared) == 4);
}

TEST_CASE("accumulates go together if their elements are the same where they meet")
{
  static double memory[4];
  const auto sum_to = [](Members& window, int rank, std::size_t byte, Basic basic, Count count) {
    const BufferUse where{
        reinterpret_cast<char*>(memory) + byte, count, Ref<const Datatype>(predefined(basic)), true, {}};
    return window.add(rank, Access::shared, {AccessKind::accumulate, static_cast<int>(OpKind::sum), where})
        .size();
  };
  Members window;
  CHECK(sum_to(window, 1, 0, Basic::int_, 3) == 0);
  CHECK(sum_to(window, 2, 4, Basic::int_, 3) == 0);    // whole elements
  CHECK(sum_to(window, 0, 2, Basic::int_, 1) == 2);    // halves
  CHECK(sum_to(window, 0, 8, Basic::float_, 1) == 2);  // another type
  CHECK(sum_to(window, 0, 24, Basic::float_, 1) == 0);
}

TEST_CASE("a request completes its own get, and no put")
{
  Members window;
  const auto get = [&](Count place) {
    return window.made = Ref<const RecordedCall>::adopt(new MadeCall),
           window.get(1, Access::shared, place, true);
  };
  CHECK(get(0) == 0);
  const auto first = window.made;
  CHECK(get(0) == 0);
  const auto second = window.made;
  CHECK(window.put(2, Access::shared) == 2);
  window.accesses.flushed(window.origin(2), 0);
  window.accesses.request_ended(window.origin(1), 0, *first);
  CHECK(window.put(2, Access::shared) == 1);
  window.accesses.flushed(window.origin(2), 0);
  // One without a request at the same place is open for itself.
  window.made = {};
  CHECK(window.get(1, Access::shared) == 0);
  window.accesses.request_ended(window.origin(1), 0, *second);
  CHECK(window.put(2, Access::shared) == 1);
  window.accesses.flushed(window.origin(2), 0);
  window.accesses.flushed_locally(window.origin(1), 0);
  CHECK(window.put(2, Access::shared) == 0);
  window.accesses.request_ended(window.origin(2), 0, *first);
  CHECK(window.get(0, Access::shared) == 1);
}

TEST_CASE("a request may be complete after its window was freed")
{
  Members window;
  window.made = Ref<const RecordedCall>::adopt(new MadeCall);
  window.get(1, Access::shared, 0, true);
  window.accesses.forget(&window);
  window.accesses.request_ended(window.origin(1), 0, *window.made);
  CHECK(window.put(2, Access::shared) == 0);
}

TEST_CASE("a window that is made where another was starts with nothing")
{
  Members window;
  window.put(1, Access::shared);
  window.accesses.forget(&window);
  CHECK(window.put(2, Access::shared) == 0);
}

TEST_CASE("however often a rank does the same, it is kept once, and conflicts until it is synchronized")
{
  Members window;
  for (int i = 0; i < 1000; ++i) CHECK(window.accumulate(1, Access::shared, OpKind::sum) == 0);
  CHECK(window.accumulate(2, Access::shared, OpKind::sum) == 0);
  CHECK(window.accesses.kept_of(window.origin(0), 0) == 2);
  CHECK(window.accumulate(2, Access::shared, OpKind::prod) == 1);
  window.accesses.flushed(window.origin(1), 0);
  CHECK(window.accesses.kept_of(window.origin(0), 0) == 2);
  CHECK(window.accumulate(1, Access::shared, OpKind::sum) == 1);
}
