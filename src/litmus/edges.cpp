#include "litmus/edges.hpp"

#include <iterator>

namespace ranklet::litmus {

using memmodel::Edge;
using memmodel::Rule;
using memmodel::Rules;

namespace {

// memmodel::Sequence: publish(), value(). Flag and the cells of Ring do the same.
EdgeModel publication()
{
  return {.initial = {0},
          .from = {store(0, 1, Order::release)},
          .to = {await(0, 1, Order::acquire)},
          .others = {},
          .between = {},
          .cuts = {{"release of the store", 0, 0, Order::relaxed},
                   {"acquire of the load", 1, 0, Order::relaxed}}};
}

// Each rank announces itself and looks at all others.
EdgeModel barrier()
{
  return {.initial = {0, 0},
          .from = {store(0, 1, Order::release), await(1, 1, Order::acquire)},
          .to = {store(1, 1, Order::release), await(0, 1, Order::acquire)},
          .others = {},
          .between = {},
          .both_ways = true,
          .cuts = {{"release of P0's store", 0, 0, Order::relaxed},
                   {"acquire of P1's load", 1, 1, Order::relaxed}}};
}

// barrier_counter: P2 comes last and opens. Locations: arrivals, released.
EdgeModel counting()
{
  Op last = update(0, 1, Order::acq_rel);
  last.expect = 2;
  const Thread early{update(0, 1, Order::acq_rel), await(1, 1, Order::acquire)};
  return {.initial = {0, 0},
          .from = early,
          .to = early,
          .others = {{last, store(1, 1, Order::release)}},
          .between = {},
          .both_ways = true,
          .cuts = {{"release of P0's count", 0, 0, Order::acquire},
                   {"acquire of the last one's count", 2, 0, Order::release},
                   {"release of the opening", 2, 1, Order::relaxed},
                   {"acquire of P1's load", 1, 1, Order::relaxed}}};
}

// memmodel::FairLock's word: how many tickets have left, in units of 16, and how many of them exclusive ones.
constexpr int shared_left = 16, exclusive_left = 17;
constexpr int exclusive_part = 15;

// P0 holds ticket 0 exclusively; P1 and P2 are next, shared. P2 may leave before P1 looks, by a
// read-modify-write, which hands on P0's release.
EdgeModel exclusive_unlock()
{
  return {.initial = {0},
          .from = {store(0, exclusive_left, Order::release)},
          .to = {await(0, 1, Order::acquire, exclusive_part)},
          .others = {{await(0, 1, Order::acquire, exclusive_part), update(0, shared_left, Order::release)}},
          .between = {},
          .cuts = {{"release in leave()", 0, 0, Order::relaxed},
                   {"acquire in has_shared_turn()", 1, 0, Order::relaxed}}};
}

// P0 and P2 hold shared tickets and leave in any order; then P1 has its turn, exclusively.
EdgeModel shared_unlock()
{
  return {.initial = {0},
          .from = {update(0, shared_left, Order::release)},
          .to = {await(0, 2 * shared_left, Order::acquire)},
          .others = {{await(0, 0, Order::acquire, exclusive_part), update(0, shared_left, Order::release)}},
          .between = {},
          .cuts = {{"release in leave_shared()", 0, 0, Order::relaxed},
                   {"acquire in has_turn()", 1, 0, Order::relaxed}}};
}

// Between the fences the ranks synchronise by whatever may be without order of its own: a polled variable.
EdgeModel fences(Order order)
{
  // Acquire at P0 and release at P1 order a load before a store in each of them: that alone keeps read-write.
  const Rules of_halves = Rules(Rule::write_read) | Rule::write_write;
  EdgeModel m{.initial = {0},
              .from = {fence(order), store(0, 1, Order::relaxed)},
              .to = {await(0, 1, Order::relaxed), fence(order)},
              .others = {},
              .between = {fence(order)},
              .cuts = {{"P0's fence", 0, 0, Order::relaxed},
                       {"P1's fence", 1, 1, Order::relaxed},
                       {"release of P0's fence", 0, 0, Order::acquire, of_halves},
                       {"acquire of P1's fence", 1, 1, Order::release, of_halves}}};
  if (order == Order::seq_cst)
    m.cuts.push_back({"store-load order of the fence", Cut::between, 0, Order::acq_rel, Rule::store_load});
  return m;
}

// Without an edge P1 still knows that P0 has come: the program sees to that.
EdgeModel none()
{
  return {.initial = {0},
          .from = {store(0, 1, Order::relaxed)},
          .to = {await(0, 1, Order::relaxed)},
          .others = {},
          .between = {},
          .cuts = {}};
}

template <class... Parts>
Thread chain(const Parts&... parts)
{
  Thread all;
  (all.insert(all.end(), std::begin(parts), std::end(parts)), ...);
  return all;
}

}  // namespace

EdgeModel EdgeModel::with(const Cut& cut) const
{
  EdgeModel weaker = *this;
  Thread& thread = cut.thread == Cut::between ? weaker.between
                   : cut.thread == 0          ? weaker.from
                   : cut.thread == 1          ? weaker.to
                                              : weaker.others[cut.thread - 2];
  thread[cut.op].order = cut.weaker;
  return weaker;
}

EdgeModel model(Edge edge)
{
  switch (edge) {
    case Edge::publication:
      return publication();
    case Edge::barrier:
      return barrier();
    case Edge::counting:
      return counting();
    case Edge::exclusive_unlock:
      return exclusive_unlock();
    case Edge::shared_unlock:
      return shared_unlock();
    case Edge::full_fence:
      return fences(Order::seq_cst);
    case Edge::rules_fence:
      return fences(Order::acq_rel);
    case Edge::none:
      break;
  }
  return none();
}

Question question(const EdgeModel& edge, Rule rule, Order access)
{
  Question q;
  q.program.initial = edge.initial;
  const int a = static_cast<int>(edge.initial.size());
  const int b = a + 1;
  const auto directed = [&](const Thread& before, const Thread& after) {
    q.program.initial.push_back(0);
    q.program.threads = {chain(before, edge.from), chain(edge.to, after)};
    q.program.threads.insert(q.program.threads.end(), edge.others.begin(), edge.others.end());
  };
  const int after = static_cast<int>(edge.to.size());
  switch (rule) {
    case Rule::write_read:
      directed({store(a, 1, access)}, {load(a, access)});
      q.forbidden.add(Observed::read(1, after), 0);
      break;
    case Rule::read_write:
      directed({load(a, access)}, {store(a, 1, access)});
      q.forbidden.add(Observed::read(0, 0), 1);
      break;
    case Rule::write_write:
      directed({store(a, 1, access)}, {store(a, 2, access), load(a, access)});
      q.forbidden.add(Observed::read(1, after + 1), 1);
      break;
    case Rule::store_load: {
      const Order atomic = access == Order::plain && !edge.both_ways ? Order::relaxed : access;
      const Thread &first = edge.both_ways ? edge.from : edge.between,
                   &second = edge.both_ways ? edge.to : edge.between;
      q.program.initial.insert(q.program.initial.end(), {0, 0});
      q.program.threads = {chain(Thread{store(a, 1, atomic)}, first, Thread{load(b, atomic)}),
                           chain(Thread{store(b, 1, atomic)}, second, Thread{load(a, atomic)})};
      if (edge.both_ways)
        q.program.threads.insert(q.program.threads.end(), edge.others.begin(), edge.others.end());
      q.forbidden.add(Observed::read(0, static_cast<int>(first.size()) + 1), 0);
      q.forbidden.add(Observed::read(1, static_cast<int>(second.size()) + 1), 0);
      break;
    }
  }
  return q;
}

}  // namespace ranklet::litmus
