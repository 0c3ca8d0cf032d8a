// Small programs of several threads, as the axioms of the C++ memory model see them: reads, writes and fences
// with their orders. Straight lines only: a loop that waits for a value is the read that ends it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ranklet::litmus {

// plain: an access that is not atomic.
enum class Order { plain, relaxed, acquire, release, acq_rel, seq_cst };

const char* name(Order order);
constexpr bool acquires(Order o)
{
  return o == Order::acquire || o == Order::acq_rel || o == Order::seq_cst;
}
constexpr bool releases(Order o)
{
  return o == Order::release || o == Order::acq_rel || o == Order::seq_cst;
}

enum class Kind { load, store, update, fence };  // update: a read-modify-write, which adds

struct Op {
  Kind kind;
  Order order;
  int location = -1;
  int value = 0;  // stored, or added
  // The value stored is the one that this operation of the same thread has read (a data dependency).
  std::optional<int> from = {};
  // Only executions count in which the value read, masked, is this one.
  std::optional<int> expect = {};
  int mask = ~0;

  bool reads() const { return kind == Kind::load || kind == Kind::update; }
  bool writes() const { return kind == Kind::store || kind == Kind::update; }
};

inline Op load(int location, Order order)
{
  return {Kind::load, order, location};
}
inline Op store(int location, int value, Order order)
{
  return {Kind::store, order, location, value};
}
inline Op update(int location, int added, Order order)
{
  return {Kind::update, order, location, added};
}
inline Op fence(Order order)
{
  return {Kind::fence, order};
}
// The read that ends a loop which waits until (location & mask) is the value.
inline Op await(int location, int value, Order order, int mask = ~0)
{
  return {Kind::load, order, location, 0, {}, value, mask};
}

using Thread = std::vector<Op>;

struct Program {
  std::vector<Thread> threads;
  std::vector<int> initial;  // value of each location, written before all threads start
};

// What is looked at when all threads have ended: the value that an operation read, or a location's last one.
struct Observed {
  int thread = -1, op = -1;
  int location = -1;

  static Observed read(int thread, int op) { return {thread, op, -1}; }
  static Observed last(int location) { return {-1, -1, location}; }
};

// An outcome in question: all of these values together.
struct Condition {
  std::vector<Observed> observed;
  std::vector<int> values;

  void add(Observed what, int value)
  {
    observed.push_back(what);
    values.push_back(value);
  }
};

// "store x 1 release"; threads side by side, a line for each operation.
std::string text(const Op& op);
std::string text(const Program& program);

}  // namespace ranklet::litmus
