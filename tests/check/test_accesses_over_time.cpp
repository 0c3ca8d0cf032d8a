// Accesses whose epochs are not open at once, against a plain model: happens-before as a graph.
#include <doctest/doctest.h>

#include <bitset>
#include <random>

#include "check/accesses.hpp"
#include "datatype/op.hpp"

using namespace ranklet;
using namespace ranklet::check;
using rma::Access;

namespace {

constexpr int ranks = 4;
constexpr std::size_t most_events = 4096;

// Events, each with all that come before it.
class Graph {
 public:
  // The rank's next event.
  std::size_t add(int rank)
  {
    Before before;
    if (last_[rank] != none) before = before_[last_[rank]], before.set(last_[rank]);
    before_.push_back(before);
    return last_[rank] = before_.size() - 1;
  }
  // No event of that rank may be between.
  void order(std::size_t one, std::size_t other)
  {
    before_[other] |= before_[one];
    before_[other].set(one);
  }
  bool ordered(std::size_t one, std::size_t other) const { return one == other || before_[other].test(one); }

 private:
  static constexpr std::size_t none = ~std::size_t{};
  using Before = std::bitset<most_events>;
  std::vector<Before> before_;
  std::size_t last_[ranks] = {none, none, none, none};
};

struct Known {
  int rank;
  int target;
  AccessKind kind;
  OpKind op;
  int begin, end;
  bool complete = false;
  std::size_t completion = 0;
};

bool conflict(const Known& one, const Known& other)
{
  if (one.target != other.target || one.begin >= other.end || other.begin >= one.end) return false;
  if (one.kind == AccessKind::get && other.kind == AccessKind::get) return false;
  if (one.kind != AccessKind::accumulate || other.kind != AccessKind::accumulate) return true;
  return one.rank != other.rank && one.op != other.op;
}

// Ranks that do at random what is right or wrong; both sides are told.
class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) { clocks_.start(); }

  // Whether both say the same of each access.
  void run(int steps)
  {
    for (int i = 0; i < steps; ++i) {
      const int rank = pick(ranks);
      switch (pick(10)) {
        case 0:
          send(rank, pick(ranks));
          break;
        case 1:
          receive(rank);
          break;
        case 2:
          if (pick(8) == 0) barrier();
          break;
        case 3:
          lock(rank);
          break;
        case 4:
          unlock(rank);
          break;
        case 5:
        case 6:
          flush(rank, pick(3) == 0 ? -1 : pick(2), pick(4) == 0);
          break;
        default:
          access(rank);
      }
    }
  }

  int conflicts = 0;

 private:
  struct Message {
    int to;
    Token token;
    std::size_t sent;
  };

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  Origin origin(int rank) const { return {this, ranks, rank, rank + 10}; }

  void send(int rank, int to)
  {
    auto message = std::make_unique<Message>();
    message->to = to;
    message->sent = graph_.add(rank);
    clocks_.from(rank + 10, message->token);
    messages_.push_back(std::move(message));
  }
  void receive(int rank)
  {
    for (auto message = messages_.begin(); message != messages_.end(); ++message) {
      if ((*message)->to != rank) continue;
      graph_.order((*message)->sent, graph_.add(rank));
      clocks_.to(rank + 10, (*message)->token);
      messages_.erase(message);
      return;
    }
  }
  void barrier()
  {
    const Token token;
    std::vector<std::size_t> come;
    for (int i = 0; i < ranks; ++i) {
      come.push_back(graph_.add(i));
      clocks_.from(i + 10, token);
    }
    for (int i = 0; i < ranks; ++i) {
      const std::size_t left = graph_.add(i);
      for (const std::size_t event : come) graph_.order(event, left);
      clocks_.to(i + 10, token);
    }
  }
  // Exclusively.
  void lock(int rank)
  {
    if (holder_ >= 0) return;
    holder_ = rank;
    const std::size_t locked = graph_.add(rank);
    for (const std::size_t event : unlocked_) graph_.order(event, locked);
    clocks_.to(rank + 10, lock_);
  }
  void unlock(int rank)
  {
    if (holder_ != rank) return;
    holder_ = -1;
    flush(rank, 0, false);
    unlocked_.push_back(graph_.add(rank));
    clocks_.from(rank + 10, lock_);
  }
  void flush(int rank, int target, bool local)
  {
    const std::size_t event = graph_.add(rank);
    for (Known& known : known_) {
      if (known.rank != rank || known.complete || (target >= 0 && known.target != target)) continue;
      if (local && known.kind != AccessKind::get) continue;
      known.complete = true;
      known.completion = event;
    }
    local ? accesses_.flushed_locally(origin(rank), target) : accesses_.flushed(origin(rank), target);
  }
  void access(int rank)
  {
    Known made{};
    made.rank = rank;
    made.target = pick(2);
    made.kind = static_cast<AccessKind>(pick(3));
    made.op = pick(3) == 0 ? OpKind::prod : OpKind::sum;
    made.begin = pick(6);
    made.end = made.begin + 1 + pick(pick(3) == 0 ? 4 : 1);
    const std::size_t event = graph_.add(rank);
    bool expected = false;
    for (const Known& known : known_)
      expected = expected || (conflict(made, known) &&
                              !(known.complete && graph_.ordered(known.completion, event)));
    const BufferUse where{
        &memory_[made.begin], made.end - made.begin, Ref<const Datatype>(predefined(Basic::int_)), true, {}};
    const int op = made.kind == AccessKind::accumulate ? static_cast<int>(made.op) : -1;
    const auto found =
        accesses_.add(origin(rank), made.target, Access::shared, {made.kind, op, where}, true);
    CHECK(!found.empty() == expected);
    conflicts += expected ? 1 : 0;
    known_.push_back(made);
  }

  std::mt19937 random_;
  Graph graph_;
  Clocks clocks_;
  Accesses accesses_{clocks_};
  std::vector<Known> known_;
  std::vector<std::unique_ptr<Message>> messages_;
  Token lock_;
  std::vector<std::size_t> unlocked_;
  int holder_ = -1;
  int memory_[16] = {};
};

BufferUse place(int* at)
{
  return {at, 1, Ref<const Datatype>(predefined(Basic::int_)), true, {}};
}

}  // namespace

TEST_SUITE_BEGIN("accesses over time");

TEST_CASE("of random traces, what conflicts is what nothing orders")
{
  int conflicts = 0;
  for (int i = 0; i < 60; ++i) {
    const unsigned seed = std::random_device{}();
    INFO("seed ", seed);
    Program program(seed);
    program.run(300);
    conflicts += program.conflicts;
  }
  CHECK(conflicts > 0);
}

TEST_CASE("an exposure epoch's accesses are complete when the target waits, and only who knows of that comes after")
{
  Clocks clocks;
  clocks.start();
  Accesses accesses{clocks};
  int memory = 0;
  const auto put = [&](int rank, Access epoch) {
    return accesses.add({&memory, 3, rank}, 2, epoch, {AccessKind::put, -1, place(&memory)}, true).size();
  };
  const Token completed, told;
  CHECK(put(0, Access::started) == 0);
  accesses.completed({&memory, 3, 0});
  clocks.from(0, completed);
  clocks.to(1, completed);
  const Moment called = clocks.now(2);
  clocks.to(2, completed);
  accesses.waited({&memory, 3, 2}, called);
  // 1 knows that 0 has called MPI_Win_complete.
  CHECK(put(1, Access::shared) == 1);
  accesses.flushed({&memory, 3, 1}, 2);
  clocks.from(1, told);
  clocks.from(2, told);
  clocks.to(0, told);
  CHECK(put(0, Access::shared) == 0);
}

TEST_CASE("what a rank does again and again at one place is kept once, also of ranks in turn")
{
  Clocks clocks;
  clocks.start();
  Accesses accesses{clocks};
  int memory[3000] = {};
  const auto put = [&](int rank, int at) {
    const auto found = accesses.add({memory, 2, rank}, 0, Access::shared,
                                    {AccessKind::put, -1, place(&memory[at])}, true);
    accesses.flushed({memory, 2, rank}, 0);
    return found.size();
  };
  const Token turn;
  for (int i = 0; i < 1000; ++i) {
    clocks.to(i % 2, turn);
    CHECK(put(i % 2, 0) == 0);
    clocks.from(i % 2, turn);
  }
  CHECK(accesses.kept_of({memory, 2, 0}, 0) == 1);
  // 1 knows of all but the last one.
  CHECK(put(0, 0) == 1);
}

TEST_CASE("of complete ones a bounded number is kept: first go those that all know, then the oldest")
{
  Clocks clocks;
  clocks.start();
  Accesses accesses{clocks};
  static int memory[20000];
  const auto put = [&](int rank, int at) {
    const auto found = accesses.add({memory, 2, rank}, 0, Access::shared,
                                    {AccessKind::put, -1, place(&memory[at])}, true);
    accesses.flushed({memory, 2, rank}, 0);
    return found.size();
  };
  put(1, 19999);
  for (int i = 0; i < 3000; ++i) put(0, i);
  clocks.order(0, 1);
  for (int i = 3000; i < 6000; ++i) put(0, i);
  CHECK(accesses.kept_of({memory, 2, 0}, 0) <= 4100);
  CHECK(put(0, 19999) == 1);
  CHECK(put(1, 100) == 0);
  CHECK(put(1, 5999) == 1);
  for (int i = 6000; i < 19000; ++i) put(0, i);
  CHECK(accesses.kept_of({memory, 2, 0}, 0) <= 4100);
  CHECK(put(1, 18999) == 1);
}

TEST_SUITE_END();
