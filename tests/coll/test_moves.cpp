// Collectives that move data.
#include <algorithm>
#include <numeric>

#include "coll/random_case.hpp"
#include "support/ranks.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using test::Draw;
using test::Ints;
using test::value;

namespace {

// Counts per member, in ints and even, and places for them in some order with gaps.
struct Division {
  std::vector<Count> counts, begins;
  Count total = 0;
};

Division divide(Draw& draw)
{
  Division out;
  const int n = draw.size();
  out.counts.resize(n);
  out.begins.resize(n);
  for (Count& count : out.counts) count = draw.ints();
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), draw.same);
  for (int i : order) {
    out.total += 2 * static_cast<Count>(draw.same() % 2);
    out.begins[i] = out.total;
    out.total += out.counts[i];
  }
  return out;
}

// The division in elements of a shape, as one of the two kinds of arrays.
struct Arrays {
  Arrays(const Division& division, const test::Shape& shape)
  {
    for (Count x : division.counts) {
      counts.push_back(x / shape.ints);
      short_counts.push_back(static_cast<int>(x / shape.ints));
    }
    for (Count x : division.begins) {
      begins.push_back(x / shape.ints);
      short_begins.push_back(static_cast<int>(x / shape.ints));
    }
  }
  coll::Blocks blocks(void* base, const Datatype* type, bool wide) const
  {
    return wide ? coll::Blocks(base, counts.data(), begins.data(), type)
                : coll::Blocks(base, short_counts.data(), short_begins.data(), type);
  }
  std::vector<Count> counts, begins;
  std::vector<int> short_counts, short_begins;
};

coll::Part part(Ints& ints, Count count)
{
  return {ints.data(), ints.elements(count), ints.type()};
}

// Counts instead of CHECK per int: a failing test stays readable and a passing one fast.
struct Tally {
  int wrong = 0;
  void compare(int got, int wanted) { wrong += got != wanted; }
  ~Tally() { CHECK(wrong == 0); }
};

}  // namespace

TEST_CASE("bcast")
{
  test::random_rounds(60, [](Draw& draw) {
    const Count count = draw.ints();
    const int root = draw.root();
    Ints data(draw.shape(), count);
    if (draw.me() == root)
      for (Count i = 0; i < count; ++i) data[i] = value(draw.round, root, i);
    draw.call(coll::bcast, coll::ibcast, part(data, count), root);
    Tally tally;
    for (Count i = 0; i < count; ++i) tally.compare(data[i], value(draw.round, root, i));
    CHECK(data.touched() == count);
    // The root's buffer is its own again.
    for (Count i = 0; i < count; ++i) data[i] = 0;
  });
}

TEST_CASE("gather")
{
  test::random_rounds(60, [](Draw& draw) {
    const Count count = draw.ints();
    const int root = draw.root(), n = draw.size(), me = draw.me();
    const bool in_place = draw.coin();
    Ints send(draw.shape(), count), recv(draw.shape(), count * n);
    for (Count i = 0; i < count; ++i) send[i] = value(draw.round, me, i);
    if (me == root) {
      if (in_place)
        for (Count i = 0; i < count; ++i) recv[me * count + i] = send[i];
      draw.call(coll::gather, test::igather<>,
                in_place ? coll::Part(coll::in_place, 0, nullptr) : part(send, count),
                coll::Blocks(recv.data(), recv.elements(count), recv.type()), root);
      Tally tally;
      for (int j = 0; j < n; ++j)
        for (Count i = 0; i < count; ++i) tally.compare(recv[j * count + i], value(draw.round, j, i));
      CHECK(recv.touched() == count * n);
    } else {
      draw.call(coll::gather, test::igather<>, part(send, count), coll::Blocks(), root);
    }
    for (Count i = 0; i < count; ++i) send[i] = 0;
  });
}

TEST_CASE("gatherv")
{
  test::random_rounds(60, [](Draw& draw) {
    const Division division = divide(draw);
    const int root = draw.root(), n = draw.size(), me = draw.me();
    const bool wide = draw.coin();
    const Count count = division.counts[me];
    Ints send(draw.shape(), count), recv(draw.shape(), division.total);
    for (Count i = 0; i < count; ++i) send[i] = value(draw.round, me, i);
    const Arrays arrays(division, recv.shape());
    draw.call(coll::gather, test::igather<coll::Sizes::own>, part(send, count),
              me == root ? arrays.blocks(recv.data(), recv.type(), wide) : coll::Blocks(), root);
    for (Count i = 0; i < count; ++i) send[i] = 0;
    if (me != root) return;
    Tally tally;
    for (int j = 0; j < n; ++j)
      for (Count i = 0; i < division.counts[j]; ++i)
        tally.compare(recv[division.begins[j] + i], value(draw.round, j, i));
    CHECK(recv.touched() == std::accumulate(division.counts.begin(), division.counts.end(), Count{0}));
  });
}

TEST_CASE("scatter and scatterv")
{
  test::random_rounds(60, [](Draw& draw) {
    const Division division = divide(draw);
    const bool equal = draw.coin(), wide = draw.coin(), in_place = draw.coin();
    const Count common = draw.ints();
    const int root = draw.root(), n = draw.size(), me = draw.me();
    const Count count = equal ? common : division.counts[me];
    Ints send(draw.shape(), equal ? common * n : division.total), recv(draw.shape(), count);
    const auto begin = [&](int j) { return equal ? common * j : division.begins[j]; };
    if (me == root)
      for (int j = 0; j < n; ++j)
        for (Count i = 0; i < (equal ? common : division.counts[j]); ++i)
          send[begin(j) + i] = value(draw.round, j, i);
    const Arrays arrays(division, send.shape());
    const coll::Blocks blocks = equal ? coll::Blocks(send.data(), send.elements(common), send.type())
                                      : arrays.blocks(send.data(), send.type(), wide);
    const bool keep = me == root && in_place;
    draw.call(coll::scatter, equal ? test::iscatter<coll::Sizes::equal> : test::iscatter<coll::Sizes::own>,
              me == root ? blocks : coll::Blocks(),
              keep ? coll::Part(coll::in_place, 0, nullptr) : part(recv, count), root);
    Tally tally;
    for (Count i = 0; i < count && !keep; ++i) tally.compare(recv[i], value(draw.round, me, i));
    CHECK(recv.touched() == (keep ? 0 : count));
    if (me == root) std::fill_n(send.data(), send.touched() ? 1 : 0, 0);
  });
}

TEST_CASE("allgather and allgatherv")
{
  test::random_rounds(60, [](Draw& draw) {
    const Division division = divide(draw);
    const bool equal = draw.coin(), wide = draw.coin(), in_place = draw.coin();
    const Count common = draw.ints();
    const int n = draw.size(), me = draw.me();
    const auto begin = [&](int j) { return equal ? common * j : division.begins[j]; };
    const auto length = [&](int j) { return equal ? common : division.counts[j]; };
    Ints send(draw.shape(), length(me)), recv(draw.shape(), equal ? common * n : division.total);
    for (Count i = 0; i < length(me); ++i) {
      send[i] = value(draw.round, me, i);
      if (in_place) recv[begin(me) + i] = send[i];
    }
    const Arrays arrays(division, recv.shape());
    const coll::Blocks blocks = equal ? coll::Blocks(recv.data(), recv.elements(common), recv.type())
                                      : arrays.blocks(recv.data(), recv.type(), wide);
    draw.call(coll::allgather, coll::iallgather,
              in_place ? coll::Part(coll::in_place, 0, nullptr) : part(send, length(me)), blocks);
    for (Count i = 0; i < length(me); ++i) send[i] = 0;
    Tally tally;
    Count total = 0;
    for (int j = 0; j < n; ++j) {
      total += length(j);
      for (Count i = 0; i < length(j); ++i) tally.compare(recv[begin(j) + i], value(draw.round, j, i));
    }
    CHECK(recv.touched() == total);
  });
}

TEST_CASE("alltoall")
{
  test::random_rounds(60, [](Draw& draw) {
    const Count count = draw.ints();
    const bool in_place = draw.coin();
    const int n = draw.size(), me = draw.me();
    Ints send(draw.shape(), count * n), recv(draw.shape(), count * n);
    Ints& source = in_place ? recv : send;
    for (int j = 0; j < n; ++j)
      for (Count i = 0; i < count; ++i) source[j * count + i] = value(draw.round, me * n + j, i);
    const coll::Blocks blocks(recv.data(), recv.elements(count), recv.type());
    draw.call(coll::alltoall, coll::ialltoall,
              in_place ? coll::Blocks(coll::in_place, 0, nullptr)
                       : coll::Blocks(send.data(), send.elements(count), send.type()),
              blocks);
    for (Count i = 0; i < count * n; ++i) send[i] = 0;
    Tally tally;
    for (int j = 0; j < n; ++j)
      for (Count i = 0; i < count; ++i) tally.compare(recv[j * count + i], value(draw.round, j * n + me, i));
    CHECK(recv.touched() == count * n);
  });
}

TEST_CASE("alltoallv and alltoallw")
{
  test::random_rounds(40, [](Draw& draw) {
    const int n = draw.size(), me = draw.me();
    // counts[i][j]: from i to j; symmetric where the exchange is in place.
    const bool in_place = draw.coin(), typed = draw.coin();
    std::vector<std::vector<Count>> counts(n, std::vector<Count>(n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) counts[i][j] = in_place && j < i ? counts[j][i] : draw.ints() / 20 * 2;
    // Each block of its own shape, its place in ints.
    struct Side {
      std::vector<Ints> blocks;
      std::vector<Count> counts;
      std::vector<const Datatype*> types;
      std::vector<Count> displacements;  // bytes from the first block's memory
    };
    const test::Shape& shape = draw.shape();
    const auto make = [&](auto count) {
      Side side;
      for (int j = 0; j < n; ++j) side.blocks.emplace_back(typed ? draw.shape() : shape, count(j));
      for (int j = 0; j < n; ++j) {
        side.counts.push_back(side.blocks[j].elements(count(j)));
        side.types.push_back(side.blocks[j].type());
      }
      return side;
    };
    Side send = make([&](int j) { return counts[me][j]; });
    Side recv = make([&](int j) { return counts[j][me]; });
    // Displacements count from address 0, so that each block is memory of its own.
    const auto blocks = [&](Side& side) {
      const Count unit = typed ? 1 : side.types[0]->extent();
      for (Ints& block : side.blocks) {
        const Count address = reinterpret_cast<Count>(block.data());
        side.displacements.push_back(block.data() ? address / unit : 0);
      }
      return typed ? coll::Blocks(nullptr, side.counts.data(), side.displacements.data(), side.types.data())
                   : coll::Blocks(nullptr, side.counts.data(), side.displacements.data(), side.types[0]);
    };
    Side& source = in_place ? recv : send;
    for (int j = 0; j < n; ++j)
      for (Count i = 0; i < counts[me][j]; ++i) source.blocks[j][i] = value(draw.round, me * n + j, i);
    const coll::Blocks from = blocks(send), to = blocks(recv);
    draw.call(coll::alltoall, coll::ialltoall, in_place ? coll::Blocks(coll::in_place, 0, nullptr) : from,
              to);
    Tally tally;
    for (int j = 0; j < n; ++j) {
      for (Count i = 0; i < counts[j][me]; ++i)
        tally.compare(recv.blocks[j][i], value(draw.round, j * n + me, i));
      CHECK(recv.blocks[j].touched() == counts[j][me]);
    }
  });
}

TEST_CASE("barrier: nobody leaves before all have come")
{
  for (int n : {1, 2, 5, 8, 9, 17}) {
    for (bool own_cores : {false, true}) {
      JobOptions options;
      options.wait = WaitPolicy::automatic(n, 2);
      if (own_cores) options.wait.spins = 10;  // another algorithm among many
      options.extensions = {comm::extension()};
      Job job(n, std::move(options));
      memmodel::Counter<> come;
      memmodel::Counter<> wrong;
      test::run_ranks(job, [&](Rank& rank) {
        for (int round = 1; round <= 200; ++round) {
          come.add(1);
          coll::barrier(comm::world(rank));
          if (come.value() < std::int64_t{round} * n) wrong.add(1);
        }
      });
      CHECK(wrong.value() == 0);
      CHECK(come.value() == 200 * n);
    }
  }
}

TEST_CASE("a root may run ahead of those that it does not need")
{
  // Its data is in cells, copied beside them, or read where it is; of it nothing is left in the buffer.
  for (const unsigned limit : {1u, 12u, 13u, 300u, 1024u, 5000u}) {
    CAPTURE(limit);
    test::run(3, [&](Rank&, Communicator& world) {
      std::vector<int> data(limit);
      for (int i = 0; i < 500; ++i) {
        const std::size_t count = 1 + static_cast<unsigned>(i) * 7919 % limit;
        if (world.rank() == 0) std::iota(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(count), i);
        coll::bcast(world, {data.data(), static_cast<Count>(count), &predefined(Basic::int_)}, 0);
        CHECK(data[0] == i);
        CHECK(data[count - 1] == i + static_cast<int>(count) - 1);
        std::fill(data.begin(), data.end(), -1);
      }
    });
  }
}

namespace {

ErrorClass error_of(const std::function<void()>& action)
{
  try {
    action();
  } catch (const Error& error) {
    return error.error_class();
  }
  return ErrorClass::success;
}

}  // namespace

TEST_CASE("errors: wrong sizes are truncation, and the communicator still works")
{
  test::run(4, [](Rank&, Communicator& world) {
    const Datatype* type = &predefined(Basic::int_);
    const int me = world.rank();
    for (Count more : {Count{3}, Count{3000}}) {
      std::vector<int> big(static_cast<std::size_t>(4 * more)), small(static_cast<std::size_t>(4 * more));
      // Rank 2 expects less than the root sends.
      const ErrorClass sent = error_of([&] {
        coll::bcast(world, {big.data(), me == 2 ? more - 1 : more, type}, 0);
      });
      CHECK(sent == (me == 2 ? ErrorClass::truncate : ErrorClass::success));
      // Rank 3 sends more than the root expects.
      const ErrorClass gathered = error_of([&] {
        coll::gather(world, {big.data(), me == 3 ? more : more - 1, type},
                     coll::Blocks(small.data(), more - 1, type), 1);
      });
      CHECK(gathered == (me == 1 ? ErrorClass::truncate : ErrorClass::success));
      const ErrorClass scattered = error_of([&] {
        coll::scatter(world, coll::Blocks(big.data(), more, type),
                      {small.data(), me == 3 ? more - 1 : more, type}, 1);
      });
      CHECK(scattered == (me == 3 ? ErrorClass::truncate : ErrorClass::success));
      int sum = me;
      coll::allreduce(world, coll::in_place, &sum, 1, *type, predefined(OpKind::sum));
      CHECK(sum == 6);
    }
  });
}

TEST_CASE("errors: different collectives at once are reported where they are seen")
{
  test::run(3, [](Rank&, Communicator& world) {
    const Datatype* type = &predefined(Basic::int_);
    int data = 0;
    std::vector<int> all(3);
    const ErrorClass mixed = error_of([&] {
      if (world.rank() == 0)
        coll::allgather(world, {&data, 1, type}, coll::Blocks(all.data(), 1, type));
      else
        coll::barrier(world);
    });
    CHECK(mixed == ErrorClass::other);
    CHECK(error_of([&] { coll::bcast(world, {&data, 1, type}, 3); }) == ErrorClass::root);
  });
}
