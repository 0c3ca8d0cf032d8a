#include "calibration.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "figures.hpp"
#include "memmodel/memmodel.hpp"
#include "round.hpp"

namespace ranklet::model {

namespace {

using memmodel::Native;

template <class Act>
double of_one_core(Act&& act, int times = 20'000)
{
  return median_of(15, [&] {
    const double start = now_ns();
    for (int i = 0; i < times; ++i) act();
    return (now_ns() - start) / times;
  });
}

// Lines that one core has just written are read by the other, in an order that no prefetcher knows.
class Lines {
 public:
  static constexpr int count = 256;

  Lines()
  {
    std::iota(order_, order_ + count, 0);
    std::shuffle(order_ + 1, order_ + count, std::mt19937(1));
  }

  // Nanoseconds of reading a line. chained: each line says which is the next, so one is read at a time.
  double read(bool chained)
  {
    memmodel::Sequence<> written;
    double time = 0;
    time_of_two([&](int me) {
      if (me == 0) {
        for (int i = 0; i < count; ++i) lines_[order_[i]].next = order_[(i + 1) % count];
        written.publish(1);
        return;
      }
      while (written.value() != 1) Native::pause();
      const double start = now_ns();
      int at = 0, sum = 0;
      for (int i = 0; i < count; ++i) {
        at = chained ? lines_[at].next : order_[i];
        if (!chained) sum += lines_[at].next;
      }
      time = (now_ns() - start) / count;
      sum_ = sum + at;
    });
    return time;
  }

  // Nanoseconds of writing a line that the other core has just read.
  double write()
  {
    memmodel::Sequence<> was_read;
    double time = 0;
    time_of_two([&](int me) {
      int sum = 0;
      if (me == 0) {
        for (int i = 0; i < count; ++i) sum += lines_[order_[i]].next;
        sum_ = sum;
        was_read.publish(1);
        return;
      }
      while (was_read.value() != 1) Native::pause();
      const double start = now_ns();
      for (int i = 0; i < count; ++i) lines_[order_[i]].next = i;
      // Until all are visible.
      Native::fence(std::memory_order_seq_cst);
      time = (now_ns() - start) / count;
    });
    return time;
  }

 private:
  struct alignas(128) Line {
    int next;
  };
  Line lines_[count] = {};
  int order_[count];
  volatile int sum_ = 0;  // else nothing need be read
};

// Copies what is in the core's own cache, line by line; nanoseconds of an access.
double copying()
{
  const auto from = std::make_unique<Block<Native>[]>(Lines::count);
  const auto to = std::make_unique<Block<Native>[]>(Lines::count);
  return of_one_core(
             [&] {
               for (int i = 0; i < Lines::count; ++i) to[i].word.set(from[i].word.get());
               // The next copy does the same again.
               asm volatile("" : : "r"(from.get()), "r"(to.get()) : "memory");
             },
             500) /
         (2 * Lines::count);
}

}  // namespace

Calibration calibrate()
{
  Costs costs;
  pin(allowed_cores().front());
  costs.pause = of_one_core([] { Native::pause(); });
  costs.yield = of_one_core([] { Native::yield(); }, 2'000);
  costs.membarrier = of_one_core([] { Native::heavy_fence(); }, 500);
  memmodel::Counter<> counter;
  costs.update = of_one_core([&] { counter.add(1); });

  Lines lines;
  costs.fetch = median_of(41, [&] { return lines.read(true); });
  costs.in_flight = std::max(1.0, costs.fetch / median_of(41, [&] { return lines.read(false); }));

  costs.work = copying();
  costs.invalidate = 0;
  const Machine machine = Machine::flat(2, costs);
  const double hop = median_of(15, [] { return measure<Signal>(50); });
  costs.invalidate = std::max(0.0, hop - simulate<Signal>(machine, 2).ns);
  const double write = median_of(41, [&] { return lines.write(); });
  costs.stores_in_flight = std::max(1.0, costs.invalidate / write);
  return {costs, hop};
}

}  // namespace ranklet::model
