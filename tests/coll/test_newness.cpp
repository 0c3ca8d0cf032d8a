// Collectives of two members who learn whether what they give is new to the other one.
#include <atomic>
#include <random>
#include <string>
#include <vector>

#include "coll/newness.hpp"
#include "coll/random_case.hpp"
#include "coll/round.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using coll::Found;
using test::int_type;
using test::sum_op;

namespace {

constexpr Count long_count = 8000;  // ints, between coll_copied and CollState::longest_swapped

// As if the last collectives had found that. Of all members.
void pretend(Communicator& world, Found found)
{
  coll::Round round(world, coll::Collective::barrier, 0);
  round.newness().note(found);
  round.mutual_newness().note(found, true);
  round.post_nothing();
  round.finish();
}

std::vector<int> made(unsigned round, int member, Count count)
{
  std::vector<int> data(static_cast<std::size_t>(count));
  for (Count i = 0; i < count; ++i) data[static_cast<std::size_t>(i)] = test::value(round, member, i) / 2;
  return data;
}

std::vector<int> sum_of(const std::vector<int>& a, const std::vector<int>& b)
{
  std::vector<int> sum(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] = a[i] + b[i];
  return sum;
}

}  // namespace

TEST_CASE("newness: after data that was new twice as many times are left out, after some that was not none")
{
  coll::Newness newness;
  CHECK_FALSE(newness.is_expected());
  CHECK(newness.is_asked());
  for (const int pause : {1, 3, 7, 15, 31, 63, 63}) {
    newness.note(Found::fresh);
    for (int i = 0; i < pause; ++i) CHECK(newness.is_expected());
    // It has to come into the reader's caches again.
    CHECK_FALSE(newness.is_expected());
    CHECK_FALSE(newness.is_asked());
    newness.note(Found::nothing);
    CHECK_FALSE(newness.is_expected());
    CHECK(newness.is_asked());
  }
  newness.note(Found::same);
  int asked = 0;
  for (int i = 0; i < 80; ++i) {
    CHECK_FALSE(newness.is_expected());
    asked += newness.is_asked();
  }
  CHECK(asked == 10);
}

TEST_CASE("newness: two members expect the same, and again after one of them has missed some")
{
  const unsigned seed = std::random_device()();
  MESSAGE("seed ", seed);
  std::mt19937 random(seed);
  for (int run = 0; run < 300; ++run) {
    coll::MutualNewness members[2];
    bool may_differ = false;
    for (int call = 0; call < 300; ++call) {
      bool expected[2];
      Found found[2];
      for (int i = 0; i < 2; ++i) {
        expected[i] = members[i].is_expected();
        found[i] = members[i].found();
      }
      const bool agreed = expected[0] == expected[1];
      if (!may_differ) REQUIRE(agreed);
      if (!agreed) may_differ = false;
      for (int i = 0; i < 2; ++i) {
        // It has found something wrong before it came so far.
        if (random() % 50 == 0) {
          may_differ = true;
          continue;
        }
        members[i].note(found[1 - i], agreed);
        if (!expected[i] && random() % 4 == 0) members[i].look_at(nullptr, 0);
      }
    }
  }
}

TEST_CASE("newness: what two members give each other is looked at in the second call after a pause")
{
  // All of it is new: how each call goes, and whether it is looked at, which is known from the next one on.
  coll::MutualNewness members[2];
  std::vector<unsigned char> data(4096);
  std::string calls;
  for (int call = 0; call < 24; ++call) {
    const bool swapped = members[0].is_expected();
    CHECK(members[1].is_expected() == swapped);
    const Found said = members[0].found();
    for (coll::MutualNewness& member : members)
      member.note(said == Found::nothing ? said : Found::fresh, true);
    if (!swapped)
      for (coll::MutualNewness& member : members) member.look_at(data.data(), 4096);
    calls += swapped ? 's' : members[0].found() == Found::nothing ? 'r' : 'l';
  }
  CHECK(calls == "lrsrlrsssrlrsssssssrlrss");
}

TEST_CASE("newness: who gives new data goes on at once, and what it gave is received")
{
  std::atomic<int> gone_on = 0;
  test::run(2, [&](Rank&, Communicator& world) {
    for (int step = 0; step < 20; ++step) {
      pretend(world, Found::fresh);
      const unsigned round = static_cast<unsigned>(step);
      const bool gives = world.rank() == step % 2;
      std::vector<int> data = made(round, 0, long_count), out = made(round, 1, long_count);
      const auto wait_for = [&](int step_done) {
        for (int now = gone_on; now < step_done; now = gone_on) gone_on.wait(now);
      };
      if (!gives) wait_for(2 * step + 1);
      coll::bcast(world, {gives ? data.data() : out.data(), long_count, &int_type}, step % 2);
      if (gives) {
        std::fill(data.begin(), data.end(), -1);
        gone_on = 2 * step + 1;
        gone_on.notify_all();
      } else {
        CHECK(out == made(round, 0, long_count));
      }
      // The bcast's copy was the one that was expected: the next one is too, for a reduce.
      pretend(world, Found::same);
      pretend(world, Found::fresh);
      data = made(round, world.rank(), long_count);
      if (!gives) wait_for(2 * step + 2);
      coll::reduce(world, data.data(), out.data(), long_count, int_type, sum_op, 1 - step % 2);
      if (gives) {
        std::fill(data.begin(), data.end(), -1);
        gone_on = 2 * step + 2;
        gone_on.notify_all();
      } else {
        CHECK(out == sum_of(made(round, 0, long_count), made(round, 1, long_count)));
      }
    }
  });
}

TEST_CASE("newness: copies follow each other while the other member is late")
{
  test::run(2, [&](Rank&, Communicator& world) {
    for (unsigned run = 0; run < 20; ++run) {
      for (int i = 0; i < 4; ++i) pretend(world, Found::fresh);
      for (unsigned round = 0; round < 15; ++round) {
        std::vector<int> data = made(round, world.rank(), long_count);
        if (world.rank() == 1)
          for (unsigned i = 0; i < round * 500; ++i) memmodel::Native::pause();
        coll::bcast(world, {data.data(), long_count, &int_type}, 0);
        CHECK(data == made(round, 0, long_count));
      }
    }
  });
}

TEST_CASE("newness: random collectives of data that is new, or is not, some of them with an error")
{
  const unsigned seed = std::random_device()();
  MESSAGE("seed ", seed);
  constexpr int steps = 800;
  for (const int ranks : {2, 3}) {
    std::atomic<int> wrong = 0;
    std::vector<std::atomic<int>> errors(steps);
    std::vector<char> is_error(steps);
    test::run(ranks, [&](Rank&, Communicator& world) {
      std::mt19937 plan(seed + static_cast<unsigned>(ranks));
      std::mt19937 own(seed * 31 + static_cast<unsigned>(world.rank()));
      const int me = world.rank(), n = ranks;
      unsigned round = 0;
      for (int step = 0; step < steps; ++step) {
        const unsigned operation = plan() % 4;
        const int root = static_cast<int>(plan() % static_cast<unsigned>(n));
        const bool is_gapped = plan() % 8 == 0;
        const bool in_place = plan() % 4 == 0;
        Count count = 2 * (100 + static_cast<Count>(plan() % 9000));
        if (plan() % 2 == 0) ++round;  // else the data is the same again
        const bool is_wrong = plan() % 10 == 0;
        // What one of them believes may differ from what the others do, as behind an error.
        if (plan() % 3 == 0) pretend(world, own() % 2 == 0 ? Found::fresh : Found::same);
        for (auto spin = own() % 8 == 0 ? own() % 2000 : 0; spin > 0; --spin) memmodel::Native::pause();
        if (me == 0) is_error[static_cast<std::size_t>(step)] = is_wrong;
        const Count expected = count;
        if (is_wrong && me == n - 1)
          count += plan() % 2 == 0 ? 2 : 9000;
        else
          plan();
        const test::Shape& shape = test::shapes()[is_gapped ? 2 : 0];
        const auto filled = [&](int blocks, bool with_data) {
          test::Ints ints(shape, count * blocks);
          for (Count i = 0; with_data && i < count * blocks; ++i) ints[i] = test::value(round, me, i) / 4;
          return ints;
        };
        const auto given = [&](int member, Count i) { return test::value(round, member, i) / 4; };
        const Count elements = count / shape.ints;
        try {
          bool ok = true;
          const auto compare = [&](test::Ints& ints, Count at, auto&& what) {
            for (Count i = 0; i < expected; ++i) ok = ok && ints[at + i] == what(i);
          };
          if (operation == 0) {
            test::Ints data = filled(1, me == root);
            coll::bcast(world, {data.data(), elements, shape.type}, root);
            compare(data, 0, [&](Count i) { return given(root, i); });
          } else if (operation == 1) {
            std::vector<int> in(static_cast<std::size_t>(count)), out(in.size());
            for (Count i = 0; i < count; ++i) in[static_cast<std::size_t>(i)] = given(me, i);
            const bool here = in_place && me == root;
            if (here) out = in;
            coll::reduce(world, here ? coll::in_place : in.data(), out.data(), count, int_type, sum_op, root);
            for (Count i = 0; me == root && i < expected; ++i) {
              int sum = 0;
              for (int member = 0; member < n; ++member) sum += given(member, i);
              ok = ok && out[static_cast<std::size_t>(i)] == sum;
            }
          } else if (operation == 2) {
            test::Ints in = filled(1, true), out = filled(n, false);
            for (Count i = 0; in_place && i < count; ++i) out[me * count + i] = in[i];
            coll::allgather(world, {in_place ? coll::in_place : in.data(), elements, shape.type},
                            {out.data(), elements, shape.type});
            for (int member = 0; member < n; ++member)
              compare(out, member * count, [&](Count i) { return given(member, i); });
          } else {
            test::Ints in = filled(n, true), out = filled(n, false);
            coll::alltoall(world, {in.data(), elements, shape.type}, {out.data(), elements, shape.type});
            for (int member = 0; member < n; ++member)
              compare(out, member * count, [&](Count i) { return given(member, me * count + i); });
          }
          if (!is_wrong && !ok) ++wrong;
        } catch (const Error& error) {
          ++errors[static_cast<std::size_t>(step)];
          if (error.error_class() != ErrorClass::truncate) ++wrong;
        }
      }
    });
    CHECK(wrong == 0);
    for (std::size_t step = 0; step < steps; ++step) {
      CAPTURE(step);
      if (is_error[step])
        CHECK(errors[step] > 0);
      else
        CHECK(errors[step] == 0);
    }
  }
}
