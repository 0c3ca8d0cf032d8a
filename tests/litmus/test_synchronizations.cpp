// The table of rules, proven: each edge keeps what its row promises, and no part of it is there for nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "litmus/synchronizations.hpp"

using namespace ranklet::litmus;
using namespace ranklet::memmodel;

namespace {

Verdict judged(const EdgeModel& edge, Rule rule, Order access)
{
  const Question q = question(edge, rule, access);
  CAPTURE(text(q.program));
  // Some execution must end: a wait for what never comes would forbid everything.
  CHECK(explore(q.program, q.forbidden.observed).consistent > 0);
  return verdict(q.program, q.forbidden);
}

// Plain accesses race where nothing orders them; but the two ranks of store buffering are never ordered.
Verdict broken(Rule rule, Order access)
{
  return access == Order::plain && rule != Rule::store_load ? Verdict::racy : Verdict::allowed;
}

constexpr Edge all_edges[] = {Edge::none,       Edge::publication,      Edge::barrier,
                              Edge::counting,   Edge::exclusive_unlock, Edge::shared_unlock,
                              Edge::full_fence, Edge::rules_fence};

}  // namespace

TEST_CASE("each row keeps the rules that it promises, for plain and for atomic accesses")
{
  for (const RuleRow& row : rule_table())
    for (const Rule rule : all_rules)
      for (const Order access : {Order::plain, Order::relaxed}) {
        if (!row.rules.has(rule)) continue;
        CAPTURE(row.call);
        CAPTURE(row.condition);
        CAPTURE(std::string(name(rule)));
        CHECK(judged(model(row.edge), rule, access) == Verdict::forbidden);
      }
}

TEST_CASE("each row promises all that its edge gives")
{
  for (const RuleRow& row : rule_table())
    for (const Rule rule : all_rules) {
      if (row.rules.has(rule)) continue;
      CAPTURE(row.call);
      CAPTURE(row.condition);
      CAPTURE(std::string(name(rule)));
      CHECK(judged(model(row.edge), rule, Order::plain) == broken(rule, Order::plain));
      CHECK(judged(model(row.edge), rule, Order::relaxed) == broken(rule, Order::relaxed));
    }
}

TEST_CASE("each part of each edge is needed: without it rules are broken")
{
  for (const Edge edge : all_edges) {
    const EdgeModel whole = model(edge);
    CHECK(whole.cuts.empty() == (edge == Edge::none));
    for (const Cut& cut : whole.cuts) {
      CHECK_FALSE(cut.breaks.empty());
      for (const Rule rule : all_rules)
        for (const Order access : {Order::plain, Order::relaxed}) {
          const Verdict before = judged(whole, rule, access);
          const Verdict after = cut.breaks.has(rule) ? broken(rule, access) : before;
          CAPTURE(std::string(name(edge)));
          CAPTURE(cut.what);
          CAPTURE(std::string(name(rule)));
          CAPTURE(std::string(name(access)));
          if (cut.breaks.has(rule)) CHECK(before == Verdict::forbidden);
          // What a half of a fence leaves whole it keeps for atomic accesses only.
          if (access == Order::relaxed || cut.breaks.has(rule))
            CHECK(judged(whole.with(cut), rule, access) == after);
        }
    }
  }
}

TEST_CASE("the lock's word is left by read-modify-writes: a store would drop the edge of who left before")
{
  EdgeModel edge = model(Edge::shared_unlock);
  Thread& peer = edge.others.front();
  peer.back() = store(0, 2 * 16, Order::release);  // as if P2 had read that P0 has left
  CHECK(judged(edge, Rule::write_read, Order::plain) == Verdict::racy);
}

TEST_CASE("exclusive locks need no full fence: two holders cannot both miss what the other updates")
{
  // A is updated under lock 0, B under lock 1. Each reads the other's location before its update: so P1 has
  // held lock 0 before P0, and P0 lock 1 before P1.
  const int a = 2, b = 3;
  const auto holder = [](int first_lock, int mine, int second_lock, int peers) {
    return Thread{await(first_lock, 1, Order::acquire), store(mine, 1, Order::plain),
                  load(peers, Order::plain), store(second_lock, 1, Order::release)};
  };
  const Program program{{holder(0, a, 1, b), holder(1, b, 0, a)}, {0, 0, 0, 0}};
  CHECK(explore(program, {}).consistent == 0);
}

TEST_CASE("an MPI_Win_sync on one side alone is not enough")
{
  for (const Edge kind : {Edge::full_fence, Edge::rules_fence})
    for (const Rule rule : {Rule::write_read, Rule::read_write, Rule::write_write}) {
      EdgeModel first = model(kind), second = model(kind);
      first.to.pop_back();
      second.from.erase(second.from.begin());
      CAPTURE(std::string(name(rule)));
      CHECK(judged(first, rule, Order::relaxed) == Verdict::allowed);
      CHECK(judged(second, rule, Order::relaxed) == Verdict::allowed);
    }
}

TEST_CASE(
    "fences and messages pair with each other: what was put and flushed is there for who gets a message")
{
  EdgeModel edge = model(Edge::full_fence);
  edge.from.back().order = Order::release;  // a message instead of a polled variable
  edge.to = {await(0, 1, Order::acquire)};  // and no MPI_Win_sync at the receiver
  for (const Rule rule : {Rule::write_read, Rule::read_write, Rule::write_write})
    CHECK(judged(edge, rule, Order::plain) == Verdict::forbidden);
}

TEST_CASE("every rule has rows that promise it, and every edge a row that uses it")
{
  for (const Edge edge : all_edges) {
    CAPTURE(std::string(name(edge)));
    CHECK(std::any_of(rule_table().begin(), rule_table().end(),
                      [&](const RuleRow& r) { return r.edge == edge; }));
  }
  for (const RuleRow& row : rule_table()) {
    CAPTURE(row.call);
    CHECK(row.rules.empty() == (row.edge == Edge::none));
    CHECK_FALSE(row.section.empty());
  }
}

TEST_CASE("what ranklet-litmus expects of tests that are known")
{
  const auto weak = [](std::string_view name, std::string_view sync) {
    for (const Inline& s : inline_synchronizations())
      if (s.name == sync) return !expectation(shape(name), s).forbids_weak();
    for (const Directed& s : directed_synchronizations())
      for (const Rule rule : all_rules)
        if (s.name == sync && ranklet::memmodel::name(rule) == name)
          return !expectation(rule, s).forbids_weak();
    throw std::invalid_argument("no such test");
  };
  CHECK(weak("sb", "none"));
  CHECK_FALSE(weak("sb", "win_sync"));
  CHECK(weak("sb", "win_sync_rules"));
  CHECK_FALSE(weak("mp", "win_sync_rules"));
  CHECK(weak("mp", "win_flush_local"));
  CHECK(weak("read-write", "polled"));
  CHECK_FALSE(weak("read-write", "post_start"));
  CHECK(weak("write-write", "shared_shared"));
}

TEST_CASE("docs/memory-model.md shows the table as it is")
{
  std::ifstream file(RANKLET_MEMORY_MODEL_PAGE);
  REQUIRE(file);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  CHECK(page.find("\n" + rule_table_markdown() + "\n") != std::string::npos);
}
