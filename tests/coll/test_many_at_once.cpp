// Programs drawn at random: nonblocking and persistent collectives of many kinds and sizes on several
// communicators, of which each member completes the open ones in an order of its own.
#include <optional>

#include "coll/random_case.hpp"
#include "coll/schedule.hpp"

using namespace ranklet;
using test::int_type;
using test::sum_op;

namespace {

using coll::Life;
using List = std::vector<int>;

enum class Kind {
  barrier,
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
  exscan
};
constexpr unsigned kinds = 11;

// A collective of the program, at one member. Its data is of its number and of how often it has started.
class Planned {
 public:
  Planned(Communicator& comm, unsigned number, Kind kind, int count, int root)
      : comm_(comm), number_(number), kind_(kind), count_(count), root_(root)
  {
    const auto n = static_cast<std::size_t>(comm.size());
    in_.resize(n * static_cast<std::size_t>(count));
    out_.resize(in_.size());
  }

  Request& make(Life life)
  {
    const Count c = count_;
    const coll::Part part{in_.data(), c, &int_type};
    const coll::Blocks send{in_.data(), c, &int_type}, recv{out_.data(), c, &int_type};
    switch (kind_) {
      case Kind::barrier:
        return coll::ibarrier(comm_, life);
      case Kind::bcast:
        return coll::ibcast(comm_, {comm_.rank() == root_ ? in_.data() : out_.data(), c, &int_type}, root_,
                            life);
      case Kind::gather:
        return coll::igather(comm_, part, recv, coll::Sizes::equal, root_, life);
      case Kind::scatter:
        return coll::iscatter(comm_, send, {out_.data(), c, &int_type}, coll::Sizes::equal, root_, life);
      case Kind::allgather:
        return coll::iallgather(comm_, part, recv, life);
      case Kind::alltoall:
        return coll::ialltoall(comm_, send, recv, life);
      case Kind::reduce:
        return coll::ireduce(comm_, in_.data(), out_.data(), c, int_type, sum_op, root_, life);
      case Kind::allreduce:
        return coll::iallreduce(comm_, in_.data(), out_.data(), c, int_type, sum_op, life);
      case Kind::reduce_scatter:
        return coll::ireduce_scatter_block(comm_, in_.data(), out_.data(), c, int_type, sum_op, life);
      case Kind::scan:
        return coll::iscan(comm_, in_.data(), out_.data(), c, int_type, sum_op, life);
      case Kind::exscan:
        return coll::iexscan(comm_, in_.data(), out_.data(), c, int_type, sum_op, life);
    }
    throw std::logic_error("no such kind");
  }

  // Before each start.
  void fill()
  {
    ++starts_;
    for (int i = 0; i < static_cast<int>(in_.size()); ++i)
      in_[static_cast<std::size_t>(i)] = given(comm_.rank(), i);
    std::fill(out_.begin(), out_.end(), untouched);
  }

  void check() const
  {
    int wrong = -1;
    for (int i = 0; i < static_cast<int>(out_.size()) && wrong < 0; ++i)
      if (out_[static_cast<std::size_t>(i)] != expected(i).value_or(untouched)) wrong = i;
    CAPTURE(static_cast<int>(kind_));
    CAPTURE(number_);
    CHECK(wrong == -1);
  }

 private:
  static constexpr int untouched = -1;

  int given(int member, int i) const { return test::value(1000 * number_ + starts_, member, i) >> 8; }
  int sum(int members, int i) const
  {
    int total = 0;
    for (int member = 0; member < members; ++member) total += given(member, i);
    return total;
  }
  std::optional<int> expected(int i) const
  {
    const int me = comm_.rank(), block = count_ == 0 ? 0 : i / count_, at = count_ == 0 ? 0 : i % count_;
    const std::optional<int> none;
    switch (kind_) {
      case Kind::barrier:
        return none;
      case Kind::bcast:
        return me != root_ && block == 0 ? given(root_, at) : none;
      case Kind::gather:
        return me == root_ ? given(block, at) : none;
      case Kind::scatter:
        return block == 0 ? given(root_, me * count_ + at) : none;
      case Kind::allgather:
        return given(block, at);
      case Kind::alltoall:
        return given(block, me * count_ + at);
      case Kind::reduce:
        return me == root_ && block == 0 ? sum(comm_.size(), at) : none;
      case Kind::allreduce:
        return block == 0 ? sum(comm_.size(), at) : none;
      case Kind::reduce_scatter:
        return block == 0 ? sum(comm_.size(), me * count_ + at) : none;
      case Kind::scan:
        return block == 0 ? sum(me + 1, at) : none;
      case Kind::exscan:
        return block == 0 && me > 0 ? sum(me, at) : none;
    }
    return none;
  }

  Communicator& comm_;
  const unsigned number_;
  const Kind kind_;
  const int count_, root_;
  unsigned starts_ = 0;
  List in_, out_;
};

struct Open {
  std::unique_ptr<Planned> planned;
  Request* request;
};

// Waits for it, and looks at it before it is handed out.
void end_checked(Rank& rank, Request& request)
{
  wait(rank, request);
  const auto* const schedule = request_cast<coll::Schedule>(request);
  if (schedule && !schedule->is_valid()) CHECK(schedule->is_valid());
  test::complete(rank, request);
}

// `same` draws what all draw, `own` in which order it completes.
void run_program(Rank& rank, Communicator& world, std::mt19937 same, std::mt19937 own, int length)
{
  const CommRef other = comm::dup(world), halves = comm::split(world, world.rank() % 2, -world.rank());
  Communicator* const comms[] = {&world, other.get(), halves.get()};
  std::vector<Open> open;  // started and not complete
  const auto draw = [](std::mt19937& from, std::size_t most) {
    return static_cast<std::size_t>(from() % most);
  };
  const auto complete = [&](std::size_t i) {
    Open& one = open[i];
    end_checked(rank, *one.request);
    one.planned->check();
    one.request->release();
    std::swap(one, open.back());
    open.pop_back();
  };
  for (int number = 1; number <= length; ++number) {
    Communicator& comm = *comms[draw(same, 3)];
    constexpr int counts[] = {0, 1, 2, 5, 24, 25, 700};
    const int count = counts[draw(same, std::size(counts))];
    const auto kind = static_cast<Kind>(draw(same, kinds));
    // Halves differ in size: a root that both have.
    const int root = static_cast<int>(draw(same, static_cast<std::size_t>(std::max(1, world.size() / 2))));
    auto planned = std::make_unique<Planned>(comm, static_cast<unsigned>(number), kind, count, root);
    planned->fill();
    Request& request = planned->make(Life::once);
    open.push_back({std::move(planned), &request});
    // Now and then all at once, so that nobody is ahead for ever.
    const bool all = draw(same, 40) == 0;
    while (!open.empty() && (all || draw(own, 3) == 0)) complete(draw(own, open.size()));
  }
  while (!open.empty()) complete(draw(own, open.size()));
}

// Persistent ones that are started in another order at each member, in rounds; a member starts the next round
// when its own requests are complete.
void run_persistent(Rank& rank, Communicator& world, std::mt19937 same, std::mt19937 own, int rounds)
{
  std::vector<Open> all;
  for (unsigned number = 1; number <= 30; ++number) {
    constexpr int counts[] = {0, 1, 3, 24, 25, 300};
    const auto kind = static_cast<Kind>(same() % kinds);
    const int count = counts[same() % std::size(counts)];
    auto planned = std::make_unique<Planned>(world, number, kind, count,
                                             static_cast<int>(same() % static_cast<unsigned>(world.size())));
    Request& request = planned->make(Life::persistent);
    all.push_back({std::move(planned), &request});
  }
  for (int round = 0; round < rounds; ++round) {
    std::vector<Open*> started;
    for (Open& one : all)
      if (same() % 2 == 0) started.push_back(&one);
    std::shuffle(started.begin(), started.end(), own);
    for (Open* one : started) {
      one->planned->fill();
      one->request->start();
    }
    std::shuffle(started.begin(), started.end(), own);
    for (Open* one : started) {
      end_checked(rank, *one->request);
      one->planned->check();
    }
  }
  std::shuffle(all.begin(), all.end(), own);
  for (Open& one : all) one.request->release();
}

}  // namespace

TEST_CASE("many of many kinds at once, on several communicators")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  for (const auto& size : {std::pair{2, 3000}, {3, 1500}, {8, 400}, {17, 150}, {40, 60}, {100, 16}}) {
    const int ranks = size.first, length = size.second;  // clang 14 cannot capture bindings
    CAPTURE(ranks);
    test::run(ranks, [&](Rank& rank, Communicator& world) {
      run_program(rank, world, std::mt19937(seed),
                  std::mt19937(seed + 1 + static_cast<unsigned>(world.rank())), length);
    });
  }
}

TEST_CASE("many persistent ones of many kinds, started in orders that differ")
{
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  for (const auto& size : {std::pair{2, 200}, {5, 60}, {17, 12}, {40, 4}}) {
    const int ranks = size.first, rounds = size.second;  // clang 14 cannot capture bindings
    CAPTURE(ranks);
    test::run(ranks, [&](Rank& rank, Communicator& world) {
      run_persistent(rank, world, std::mt19937(seed),
                     std::mt19937(seed + 1 + static_cast<unsigned>(world.rank())), rounds);
    });
  }
}
