// Neighbourhood collectives, and collectives between two groups.
#include <algorithm>
#include <numeric>

#include "coll/random_case.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using test::int_type;

namespace {

using List = std::vector<int>;
using test::Form;

std::vector<std::pair<Count, Form>> sizes_and_forms(Count large)
{
  std::vector<std::pair<Count, Form>> all;
  for (const Form form : test::all_forms)
    for (const Count each : {Count{1}, large}) all.emplace_back(each, form);
  return all;
}

coll::Part whole(List& data)
{
  return {data.data(), static_cast<Count>(data.size()), &int_type};
}

coll::Blocks blocks(List& data, Count each)
{
  return {data.data(), each, &int_type};
}

}  // namespace

TEST_CASE("in grids what goes one way comes in from the other side, also between two ranks and to oneself")
{
  for (int length : {1, 2, 3}) {
    for (const auto& size_and_form : sizes_and_forms(1000)) {
      const Count each = size_and_form.first;
      const Form form = size_and_form.second;
      test::run(2 * length, [&](Rank&, Communicator& world) {
        const CommRef grid = comm::cart_create(world, List{length, 2}, List{1, 0});
        const auto count = static_cast<std::size_t>(each);
        List out(4 * count), in(4 * count, -1);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = world.rank() * 10 + static_cast<int>(i / count);
        test::call(form, coll::neighbor_alltoall, coll::ineighbor_alltoall, *grid, blocks(out, each),
                   blocks(in, each));
        const List& from = grid->topology->sources;
        for (std::size_t i = 0; i < in.size(); ++i) {
          const std::size_t k = i / count;
          CHECK(in[i] == (from[k] == proc_null ? -1 : from[k] * 10 + static_cast<int>(k ^ 1)));
        }
        List mine(count, world.rank());
        std::fill(in.begin(), in.end(), -1);
        test::call(form, coll::neighbor_allgather, coll::ineighbor_allgather, *grid, whole(mine),
                   blocks(in, each));
        std::fill(mine.begin(), mine.end(), -9);  // ours again
        for (std::size_t i = 0; i < in.size(); ++i)
          CHECK(in[i] == (from[i / count] == proc_null ? -1 : from[i / count]));
      });
    }
  }
}

TEST_CASE("in graphs the k-th edge to a rank is the k-th from there")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  for (int n : {1, 3, 6}) {
    // edges[i][j]: how often i sends to j
    std::mt19937 random(seed);
    std::vector<List> edges(n, List(n));
    for (List& row : edges)
      for (int& times : row) times = static_cast<int>(random() % 3);
    test::run(n, [&](Rank&, Communicator& world) {
      const int me = world.rank();
      List sources, destinations, out, wanted;
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < edges[i][me]; ++k) {
          sources.push_back(i);
          wanted.push_back(i * 100 + me * 10 + k);
        }
        for (int k = 0; k < edges[me][i]; ++k) {
          destinations.push_back(i);
          out.push_back(me * 100 + i * 10 + k);
        }
      }
      const CommRef graph = comm::dist_graph_create_adjacent(world, sources, {}, destinations, {}, false);
      for (const Form form : test::all_forms) {
        List in(sources.size(), -1);
        test::call(form, coll::neighbor_alltoall, coll::ineighbor_alltoall, *graph, blocks(out, 1),
                   blocks(in, 1));
        CHECK(in == wanted);
        List number = {me};
        test::call(form, coll::neighbor_allgather, coll::ineighbor_allgather, *graph, whole(number),
                   blocks(in, 1));
        CHECK(in == sources);
      }
    });
  }
}

TEST_CASE(
    "blocks along edges in cells, copied, or read where they are; members without edges name no buffers")
{
  // A ring of all but the last member, which has no edge.
  constexpr int n = 5;
  test::run(n, [](Rank&, Communicator& world) {
    const int me = world.rank(), right = (me + 1) % (n - 1), left = (me + n - 2) % (n - 1);
    const bool alone = me == n - 1;
    const List both = alone ? List{} : List{left, right};
    for (const int ints : {1, 30, 100, 128, 129, 3000}) {
      CAPTURE(ints);
      for (const Form form : test::all_forms) {
        // Its last call's data is still read by others when the communicator is gone here.
        const CommRef ring = comm::dist_graph_create_adjacent(world, both, {}, both, {}, false);
        for (int turn = 0; turn < 10; ++turn) {
          const bool apart = turn % 2 == 1;
          List out(static_cast<std::size_t>(2 * ints), 10 * turn + me), in(out.size(), -1);
          const List counts = {ints, ints}, places = {ints, 0};
          const auto described = [&](List& data) {
            if (alone) return coll::Blocks(nullptr, {}, {}, static_cast<const Datatype* const*>(nullptr));
            if (apart) return coll::Blocks(data.data(), counts.data(), places.data(), &int_type);
            return coll::Blocks(data.data(), ints, &int_type);
          };
          test::call(form, coll::neighbor_alltoall, coll::ineighbor_alltoall, *ring, described(out),
                     described(in));
          std::fill(out.begin(), out.end(), -2);
          if (alone) continue;
          List wanted(out.size(), 10 * turn + (apart ? right : left));
          std::fill(wanted.begin() + ints, wanted.end(), 10 * turn + (apart ? left : right));
          CHECK(in == wanted);
        }
      }
    }
  });
}

TEST_CASE("without a topology there are no neighbours")
{
  test::run(1, [](Rank&, Communicator& world) {
    List data(1);
    CHECK_THROWS_AS(coll::neighbor_allgather(world, whole(data), blocks(data, 1)), Error);
  });
}

TEST_CASE("collectives between two groups")
{
  for (int n : {2, 5, 9}) {
    for (const auto& size_and_form : sizes_and_forms(2000)) {
      const Count each = size_and_form.first;
      const Form form = size_and_form.second;
      test::run(n, [&](Rank&, Communicator& world) {
        const int cut = n / 2, me = world.rank();
        const bool low = me < cut;
        const CommRef local = comm::split(world, low, 0);
        const CommRef inter = comm::intercomm_create(*local, 0, &world, low ? cut : 0, 1);
        const int first = low ? cut : 0, theirs = inter->peer_count();
        const auto count = static_cast<std::size_t>(each), all = count * static_cast<std::size_t>(theirs);

        test::call(form, coll::barrier, coll::ibarrier, *inter);
        List mine(count, me), in(all, -1);
        test::call(form, coll::allgather, coll::iallgather, *inter, whole(mine), blocks(in, each));
        for (std::size_t i = 0; i < all; ++i) CHECK(in[i] == first + static_cast<int>(i / count));

        List out(all);
        for (std::size_t i = 0; i < all; ++i) out[i] = me * 100 + static_cast<int>(i / count);
        test::call(form, coll::alltoall, coll::ialltoall, *inter, blocks(out, each), blocks(in, each));
        for (std::size_t i = 0; i < all; ++i)
          CHECK(in[i] == (first + static_cast<int>(i / count)) * 100 + inter->rank());

        List sum(count, -1);
        test::call(form, coll::allreduce, coll::iallreduce, *inter, mine.data(), sum.data(), each, int_type,
                   predefined(OpKind::sum));
        int wanted = 0;
        for (int i = 0; i < theirs; ++i) wanted += first + i;
        CHECK(sum == List(count, wanted));

        // The last of the low group is the root.
        const int root = !low ? cut - 1 : me == cut - 1 ? intercomm_root : proc_null;
        List data(count, me);
        test::call(form, coll::bcast, coll::ibcast, *inter, whole(data), root);
        CHECK(data == List(count, low ? me : cut - 1));
        test::call(form, coll::reduce, coll::ireduce, *inter, mine.data(), sum.data(), each, int_type,
                   predefined(OpKind::max), root);
        if (root == intercomm_root) CHECK(sum == List(count, n - 1));
        std::fill(in.begin(), in.end(), -1);
        test::call(form, coll::gather, test::igather<>, *inter, whole(mine), blocks(in, each), root);
        for (std::size_t i = 0; i < all && root == intercomm_root; ++i)
          CHECK(in[i] == cut + static_cast<int>(i / count));
        test::call(form, coll::scatter, test::iscatter<>, *inter, blocks(out, each), whole(data), root);
        if (!low) CHECK(data == List(count, (cut - 1) * 100 + inter->rank()));

        // Both groups' vectors have one length, which each group divides among the other's results.
        const Count total = each * cut * (n - cut);
        List vector(static_cast<std::size_t>(total), me),
            piece(static_cast<std::size_t>(total / inter->size()));
        test::call(form, coll::reduce_scatter_block, coll::ireduce_scatter_block, *inter, vector.data(),
                   piece.data(), total / inter->size(), int_type, predefined(OpKind::sum));
        CHECK(piece == List(piece.size(), wanted));
      });
    }
  }
}
