// Collectives between the ranks of several worlds, which may have been told to wait in different ways.
#include <numeric>

#include "coll/random_case.hpp"
#include "comm/children.hpp"
#include "support/ranks.hpp"

using namespace ranklet;
using test::int_type;
using test::sum_op;

namespace {

constexpr int parents = 7, spawned = 2, members = parents + spawned;  // more than a flat barrier has

// Small and large, from each root, so that both worlds decide how it is done.
void use(Communicator& all)
{
  for (int turn = 0; turn < 3 * members; ++turn) {
    coll::barrier(all);
    const int root = turn % members;
    std::vector<int> data(turn % 2 ? 10 : 40000);
    if (all.rank() == root) std::iota(data.begin(), data.end(), turn);
    coll::bcast(all, {data.data(), static_cast<Count>(data.size()), &int_type}, root);
    CHECK(data.front() == turn);
    CHECK(data.back() == turn + static_cast<int>(data.size()) - 1);
    int sum = 0;
    const int mine = all.rank() + turn;
    coll::allreduce(all, &mine, &sum, 1, int_type, sum_op);
    CHECK(sum == members * (members - 1) / 2 + members * turn);
  }
}

void run(const WaitPolicy& ours, const WaitPolicy& theirs)
{
  JobOptions options;
  options.extensions = {comm::extension()};
  JobOptions childrens = options;
  options.wait = ours;
  childrens.wait = theirs;
  test::Children children;
  options.start_programs = children.starter(childrens, [](Rank& rank) {
    CommRef all = comm::merge(*rank.comm->parent, true);
    use(*all);
    test::free(all);
  });
  Job job(parents, options);
  test::run_ranks(job, [&](Rank& rank) {
    comm::Spawned result = comm::spawn(
        comm::world(rank), 0, [] { return test::request(spawned, spawned); }, [](Rank&, std::size_t) {});
    REQUIRE(!result.error);
    CommRef all = comm::merge(*result.comm, false);
    use(*all);
    test::free(all);
    test::free(result.comm);
  });
  children.end();
}

}  // namespace

TEST_CASE("worlds with and without cores of their own take the same algorithms")
{
  const WaitPolicy with = WaitPolicy::automatic(1, 2);
  const WaitPolicy without = WaitPolicy::automatic(3, 2);
  REQUIRE(with.spins != without.spins);
  run(without, with);
  run(with, without);
}
