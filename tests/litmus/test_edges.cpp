// The edges that are proven are those of the code: each structure of src/memmodel makes the accesses that its
// model in src/litmus/edges.cpp has, with the same orders.
#include <doctest/doctest.h>

#include <string>

#include "litmus/edges.hpp"
#include "memmodel/memmodel.hpp"
#include "recording.hpp"

using namespace ranklet::litmus;
using ranklet::memmodel::Edge;

namespace {

// Relaxed loads give no order: a structure may look where it will.
std::string orders(const Thread& thread)
{
  std::string text;
  for (const Op& op : thread) {
    if (op.kind == Kind::load && op.order == Order::relaxed) continue;
    const char* const kinds[] = {"load ", "store ", "update ", "fence "};
    text += std::string(kinds[static_cast<int>(op.kind)]) + name(op.order) + "; ";
  }
  return text;
}

std::string recorded()
{
  return orders(Recording::take());
}

}  // namespace

TEST_CASE("Sequence and Flag: publication")
{
  const EdgeModel edge = model(Edge::publication);
  ranklet::memmodel::Sequence<Recording> sequence;
  sequence.publish(1);
  CHECK(recorded() == orders(edge.from));
  CHECK(sequence.value() == 1);
  CHECK(recorded() == orders(edge.to));
  ranklet::memmodel::Flag<Recording> flag;
  flag.set();
  CHECK(recorded() == orders(edge.from));
  CHECK(flag.is_set());
  CHECK(recorded() == orders(edge.to));
}

TEST_CASE("a barrier of sequences: each publishes, and looks at the other")
{
  const EdgeModel edge = model(Edge::barrier);
  ranklet::memmodel::Sequence<Recording> mine, other;
  mine.publish(1);
  other.value();
  const std::string ops = recorded();
  CHECK(ops == orders(edge.from));
  CHECK(ops == orders(edge.to));
}

TEST_CASE("Counter and Sequence: counting in")
{
  const EdgeModel edge = model(Edge::counting);
  ranklet::memmodel::Counter<Recording> arrivals;
  ranklet::memmodel::Sequence<Recording> released;
  arrivals.add(1);
  released.value();
  const std::string early = recorded();
  CHECK(early == orders(edge.from));
  CHECK(early == orders(edge.to));
  arrivals.add(1);
  released.publish(1);
  CHECK(recorded() == orders(edge.others.front()));
}

TEST_CASE("FairLock: exclusive holders, and shared ones after them")
{
  const EdgeModel edge = model(Edge::exclusive_unlock);
  ranklet::memmodel::FairLock<Recording> lock;
  const auto first = lock.draw(), second = lock.draw_shared(), third = lock.draw_shared();
  CHECK(recorded() == "update relaxed; update relaxed; update relaxed; ");
  lock.leave(first);
  CHECK(recorded() == orders(edge.from));
  CHECK(lock.has_shared_turn(second));
  lock.leave_shared();
  CHECK(recorded() == orders(edge.others.front()));
  CHECK(lock.has_shared_turn(third));
  CHECK(recorded() == orders(edge.to));
}

TEST_CASE("FairLock: shared holders, and an exclusive one after them")
{
  const EdgeModel edge = model(Edge::shared_unlock);
  ranklet::memmodel::FairLock<Recording> lock;
  lock.draw_shared();
  const auto second = lock.draw_shared();
  const auto last = lock.draw();
  Recording::take();
  CHECK(lock.has_shared_turn(second));
  lock.leave_shared();
  CHECK(recorded() == orders(edge.others.front()));
  lock.leave_shared();
  CHECK(recorded() == orders(edge.from));
  CHECK(lock.has_turn(last));
  CHECK(recorded() == orders(edge.to));
  lock.fence_and_leave_shared();
  CHECK(recorded() == orders(model(Edge::full_fence).between) + orders(edge.from));
}

TEST_CASE("FenceWord: full fences and those of the three rules")
{
  if constexpr (ranklet::thread_sanitized) return;  // there they are updates of a word
  ranklet::memmodel::FenceWord<Recording> word;
  word.full();
  CHECK(recorded() == orders(model(Edge::full_fence).between));
  word.order();
  CHECK(recorded() == orders(model(Edge::rules_fence).between));
}
