// Scans in which members come in this order or that, so that some go on from an earlier member's result and
// others from the operands.
#include <cstring>
#include <limits>

#include "coll/random_case.hpp"
#include "memmodel/memmodel.hpp"

using namespace ranklet;
using test::value;

namespace {

enum class Arrival { upwards, downwards, at_will };

// In which order the members of a world enter a collective.
class Entrances {
 public:
  explicit Entrances(int members) : passed_(static_cast<std::size_t>(members)) {}

  // Calls `act` as that member; downwards, the others have just begun to enter and may wait.
  template <class Act>
  void enter(int me, Arrival arrival, Act&& act)
  {
    const int last = static_cast<int>(passed_.size()) - 1;
    const std::uint64_t turn = passed(me).value() + 1;
    const auto await = [&](int other) {
      while (passed(other).value() < turn) memmodel::Native::yield();
    };
    if (arrival == Arrival::upwards && me > 0) await(me - 1);
    if (arrival == Arrival::downwards && me < last) await(me + 1);
    if (arrival == Arrival::upwards) {
      act();
      passed(me).publish(turn);
    } else {
      passed(me).publish(turn);
      act();
    }
  }

 private:
  memmodel::Sequence<>& passed(int member) { return passed_[static_cast<std::size_t>(member)]; }

  std::vector<memmodel::Sequence<>> passed_;  // how often, by member
};

}  // namespace

TEST_CASE("scan and exscan: the same bits in whatever order the members come")
{
  const Datatype& type = predefined(Basic::double_);
  for (const int n : {2, 3, 8, 13, 66}) {
    // In a cell, filling it, and copied beside it.
    for (const Count count : {Count{1}, Count{6}, Count{7}, Count{60}}) {
      // Where many share cores nobody is done before all have come.
      const Arrival first = n <= 64 ? Arrival::upwards : Arrival::at_will;
      CAPTURE(n);
      CAPTURE(count);
      Entrances entrances(n);
      test::run(n, [&](Rank&, Communicator& world) {
        const int me = world.rank();
        const auto size = static_cast<std::size_t>(count);
        std::vector<double> mine(size), got(size), other(size), sum(size);
        unsigned round = 0;
        for (const OpKind kind : {OpKind::sum, OpKind::max, OpKind::min})
          for (const bool inclusive : {true, false})
            for (const bool in_place : {false, true}) {
              ++round;
              for (Count i = 0; i < count; ++i) mine[i] = test::operand(round, me, i);
              const auto scan = [&](Arrival arrival, std::vector<double>& to) {
                to = in_place ? mine : std::vector<double>(size, -1);
                entrances.enter(me, arrival, [&] {
                  (inclusive ? coll::scan : coll::exscan)(world, in_place ? coll::in_place : mine.data(),
                                                          to.data(), count, type, predefined(kind));
                });
              };
              scan(first, got);
              for (const Arrival arrival : {Arrival::downwards, Arrival::at_will}) {
                if (n > 64 && arrival == Arrival::downwards) continue;
                scan(arrival, other);
                CHECK(std::memcmp(got.data(), other.data(), size * sizeof(double)) == 0);
              }
              const int end = me + (inclusive ? 1 : 0);
              if (kind != OpKind::sum || end == 0) continue;
              for (Count i = 0; i < count; ++i) {
                sum[i] = test::operand(round, 0, i);
                for (int member = 1; member < end; ++member) sum[i] += test::operand(round, member, i);
                CHECK((sum[i] == got[i] || (sum[i] != sum[i] && got[i] != got[i])));
              }
            }
      });
    }
  }
}

TEST_CASE("scans of members that run far ahead, and now and then do not")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  for (const int n : {4, 9}) {
    Entrances entrances(n);
    test::run(n, [&](Rank&, Communicator& world) {
      std::mt19937 random(seed);  // the same on all
      const int me = world.rank();
      for (unsigned round = 0; round < 3000; ++round) {
        const bool inclusive = random() % 2, big = random() % 8 == 0;
        if (random() % 400 == 0) entrances.enter(me, Arrival::downwards, [] {});
        const Count count = big ? 30 : 2;
        int mine[30], got[30], wanted[30] = {};
        for (Count i = 0; i < count; ++i) {
          mine[i] = value(round, me, i);
          got[i] = -1;
          for (int member = 0; member < me + (inclusive ? 1 : 0); ++member)
            wanted[i] = static_cast<int>(static_cast<unsigned>(wanted[i]) +
                                         static_cast<unsigned>(value(round, member, i)));
          if (!inclusive && me == 0) wanted[i] = -1;
        }
        (inclusive ? coll::scan : coll::exscan)(world, mine, got, count, test::int_type, test::sum_op);
        REQUIRE(std::memcmp(got, wanted, static_cast<std::size_t>(count) * sizeof(int)) == 0);
        // The operands are the caller's again.
        std::memset(mine, 0, sizeof mine);
      }
    });
  }
}

TEST_CASE("scan: who goes on from another one's result finds a wrong amount, as others do, and all go on")
{
  const Datatype& type = test::int_type;
  // With that no member goes on from a result.
  const Ref<Op> own = Op::create(
      [](void*, const void* in, void* inout, Count n, const Datatype&) {
        for (Count i = 0; i < n; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
      },
      nullptr, true);
  Entrances entrances(4);
  test::run(4, [&](Rank&, Communicator& world) {
    const int me = world.rank();
    int in[3] = {1, 2, 3}, out[3] = {};
    for (int i = 0; i < 4; ++i) {
      const Count wrong = i < 2 ? 3 : 0;
      const Op& op = i % 2 ? *own : test::sum_op;
      ErrorClass error = ErrorClass::success;
      entrances.enter(me, Arrival::upwards, [&] {
        try {
          coll::scan(world, in, out, me == 2 ? wrong : 2, type, op);
        } catch (const Error& e) {
          error = e.error_class();
        }
      });
      // Members 0 and 1 look at earlier ones only; 2 differs from 1, and shows what it has all the same, so
      // that 3 finds the difference, too.
      CHECK(error == (me < 2 ? ErrorClass::success : ErrorClass::truncate));
      coll::barrier(world);
      coll::scan(world, in, out, 2, type, test::sum_op);
      CHECK(out[0] == me + 1);
    }
  });
}
