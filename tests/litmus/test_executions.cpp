// Random small programs against what must hold for every program.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "litmus/executions.hpp"

using namespace ranklet::litmus;

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }

  Op op(int& value)
  {
    switch (below(6)) {
      case 0:
      case 1:
        return store(below(2), ++value, pick({Order::relaxed, Order::release, Order::seq_cst}));
      case 2:
      case 3:
        return load(below(2), pick({Order::relaxed, Order::acquire, Order::seq_cst}));
      case 4:
        return update(below(2), 10, pick(any));
      default:
        return fence(pick({Order::acquire, Order::release, Order::acq_rel, Order::seq_cst}));
    }
  }
  Program program()
  {
    Program made{{}, {0, 0}};
    int value = 0;
    const int threads = 2 + below(2);
    for (int t = 0; t < threads; ++t) {
      made.threads.emplace_back();
      const int ops = threads == 2 ? 3 + below(2) : 2;
      for (int i = 0; i < ops; ++i) made.threads.back().push_back(op(value));
    }
    return made;
  }

 private:
  static constexpr std::initializer_list<Order> any{Order::relaxed, Order::acquire, Order::release,
                                                    Order::acq_rel, Order::seq_cst};
  Order pick(std::initializer_list<Order> from) { return from.begin()[below(static_cast<int>(from.size()))]; }

  std::mt19937 engine_;
};

std::vector<Observed> everything(const Program& program)
{
  std::vector<Observed> all{Observed::last(0), Observed::last(1)};
  for (std::size_t t = 0; t < program.threads.size(); ++t)
    for (std::size_t i = 0; i < program.threads[t].size(); ++i)
      if (program.threads[t][i].reads())
        all.push_back(Observed::read(static_cast<int>(t), static_cast<int>(i)));
  return all;
}

bool contains(const Behaviour& more, const Behaviour& less)
{
  return std::includes(more.outcomes.begin(), more.outcomes.end(), less.outcomes.begin(),
                       less.outcomes.end());
}

// Every interleaving of the threads' steps on one memory: what sequential consistency means, written down
// without any axiom.
class Interleaver {
 public:
  explicit Interleaver(const Program& program) : program_(program), next_(program.threads.size()) {}

  std::set<std::vector<int>> run()
  {
    step(program_.initial);
    return outcomes_;
  }

 private:
  void step(const std::vector<int>& memory)
  {
    bool ended = true;
    for (std::size_t t = 0; t < next_.size(); ++t) {
      if (next_[t] == program_.threads[t].size()) continue;
      ended = false;
      const std::size_t at = next_[t]++;
      const Op& op = program_.threads[t][at];
      auto after = memory;
      if (op.reads()) read_[{static_cast<int>(t), static_cast<int>(at)}] = memory[op.location];
      if (op.writes())
        after[op.location] = op.kind == Kind::update ? memory[op.location] + op.value : op.value;
      step(after);
      --next_[t];
    }
    if (!ended) return;
    std::vector<int> outcome = memory;
    for (const auto& [where, value] : read_) outcome.push_back(value);
    outcomes_.insert(outcome);
  }

  const Program& program_;
  std::vector<std::size_t> next_;
  std::map<std::pair<int, int>, int> read_;
  std::set<std::vector<int>> outcomes_;
};

template <class Check>
void for_random_programs(int count, const Check& check)
{
  const unsigned first = std::random_device()();
  for (unsigned seed = first; seed != first + static_cast<unsigned>(count); ++seed) {
    Random random(seed);
    const Program program = random.program();
    CAPTURE(seed);
    CAPTURE(text(program));
    check(random, program);
  }
}

}  // namespace

TEST_CASE("with seq_cst everywhere the outcomes are those of interleaving")
{
  for_random_programs(1500, [](Random&, Program program) {
    for (Thread& thread : program.threads)
      for (Op& op : thread) op.order = Order::seq_cst;
    CHECK(explore(program, everything(program)).outcomes == Interleaver(program).run());
  });
}

TEST_CASE("every interleaving is an execution, whatever the orders")
{
  for_random_programs(1000, [](Random&, const Program& program) {
    Behaviour interleaved;
    interleaved.outcomes = Interleaver(program).run();
    CHECK(contains(explore(program, everything(program)), interleaved));
  });
}

TEST_CASE("a stronger order takes outcomes away and adds none")
{
  for_random_programs(1000, [](Random& random, const Program& program) {
    Program stronger = program;
    Thread& thread = stronger.threads[random.below(static_cast<int>(stronger.threads.size()))];
    Op& op = thread[random.below(static_cast<int>(thread.size()))];
    op.order = Order::seq_cst;
    CHECK(contains(explore(program, everything(program)), explore(stronger, everything(stronger))));
  });
}

TEST_CASE("a fence more takes outcomes away and adds none")
{
  for_random_programs(600, [](Random& random, const Program& program) {
    Program fenced = program;
    const int t = random.below(static_cast<int>(fenced.threads.size()));
    fenced.threads[t].push_back(
        fence(Order::seq_cst));  // at the end: the other operations keep their numbers
    CHECK(contains(explore(program, everything(program)), explore(fenced, everything(fenced))));
  });
}
