#include "calibration.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "figures.hpp"
#include "memmodel/memmodel.hpp"
#include "round.hpp"

namespace ranklet::model {

namespace {

using memmodel::Native;

bool is_near(double hop, double other)
{
  return std::abs(hop / other - 1) < 0.1;
}

std::runtime_error moves_too_often()
{
  return std::runtime_error("the host moves the cores too often for a measurement");
}

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
    double time = 0;
    when_written([&] {
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

  // Nanoseconds of reading a line that the core has, one at a time.
  double look()
  {
    int at = 0;
    chain();
    const double time = of_one_core([&] { at = lines_[at].next; }, 10 * count);
    sum_ = at;
    return time;
  }

  // Nanoseconds of a read-modify-write of a line that the other core has written, one at a time if chained;
  // after_reading: this core has read the line since.
  double take(bool chained, bool after_reading = false)
  {
    double time = 0;
    when_written([&] {
      int at = 0;
      for (int i = 0; after_reading && i < count; ++i) at = lines_[at].next;
      const double start = now_ns();
      for (int i = 0; i < count; ++i)
        at = std::atomic_ref(lines_[chained ? at : order_[i]].next).fetch_or(0, std::memory_order_relaxed);
      time = (now_ns() - start) / count;
      sum_ = at;
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
  void chain()
  {
    for (int i = 0; i < count; ++i) lines_[order_[i]].next = order_[(i + 1) % count];
  }
  // Act() on one core when the other one has written all lines.
  template <class Act>
  void when_written(Act&& act)
  {
    memmodel::Sequence<> written;
    time_of_two([&](int me) {
      if (me == 0) {
        chain();
        written.publish(1);
        return;
      }
      while (written.value() != 1) Native::pause();
      act();
    });
  }

  struct alignas(128) Line {
    int next;
  };
  Line lines_[count] = {};
  int order_[count];
  volatile int sum_ = 0;  // else nothing need be read
};

// Pages of lines that one core has written: how many more come to the other one than it reads.
class Pages {
 public:
  // How many behind the first `read` lines of a page are fetched more often than not.
  int fetched_ahead(const Distance& distance, int read)
  {
    std::mt19937 random(1);
    const auto samples = distance.samples(40, [&] {
      std::vector<std::pair<std::size_t, double>> of_pages;  // line, time
      memmodel::Sequence<> step;
      time_of_two([&](int me) {
        if (me == 0) {
          for (Page& page : pages_)
            for (auto& line : page.lines) line.word.set(1);
          step.publish(1);
          while (step.value() != 2) Native::pause();
          for (Page& page : pages_) {
            // Only one, so that this core's prefetcher brings none back.
            const auto line = random() % lines;
            const double start = now_ns();
            page.lines[line].word.set(2);
            Native::fence(std::memory_order_seq_cst);
            of_pages.emplace_back(line, now_ns() - start);
          }
          return;
        }
        while (step.value() != 1) Native::pause();
        for (Page& page : pages_)
          for (int i = 0; i < read; ++i) (void)page.lines[i].word.get();
        step.publish(2);
      });
      return of_pages;
    });
    std::vector<double> times[lines];
    for (const auto& of_pages : samples)
      for (const auto& [line, time] : of_pages) times[line].push_back(time);
    const auto median = [&](int line) {
      auto& of_line = times[line];
      if (of_line.empty()) throw moves_too_often();
      const auto middle = of_line.begin() + static_cast<std::ptrdiff_t>(of_line.size() / 2);
      std::nth_element(of_line.begin(), middle, of_line.end());
      return *middle;
    };
    const double limit = (median(0) + median(lines - 1)) / 2;
    int ahead = 0;
    while (read + ahead < lines - 1 && median(read + ahead) > limit) ++ahead;
    return ahead;
  }

 private:
  static constexpr int lines = 32;
  struct alignas(4096) Page {
    Block<Native> lines[Pages::lines];
  };
  const std::unique_ptr<Page[]> storage_ = std::make_unique<Page[]>(64);
  const std::span<Page> pages_{storage_.get(), 64};
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

Distance::Distance()
{
  // Over some seconds: as long as a distance may last.
  std::vector<double> hops;
  for (int i = 0; i < 100; ++i) {
    hops.push_back(measure<Signal>(hops.empty() ? 100 : hops.back()));
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
  }
  const auto alike = [&](double hop) {
    return std::count_if(hops.begin(), hops.end(), [&](double other) { return is_near(other, hop); });
  };
  hop_ = *std::max_element(hops.begin(), hops.end(), [&](double a, double b) { return alike(a) < alike(b); });
}

bool Distance::holds() const
{
  return is_near(measure<Signal>(hop_), hop_);
}

Costs calibrate(const Distance& distance)
{
  Costs costs;
  const auto steady = [&](std::size_t wanted, auto&& sample) {
    const double median = distance.median(wanted, sample);
    if (std::isnan(median)) throw moves_too_often();
    return median;
  };
  pin(allowed_cores().front());
  costs.pause = of_one_core([] { Native::pause(); });
  costs.yield = of_one_core([] { Native::yield(); }, 2'000);
  costs.membarrier = of_one_core([] { Native::heavy_fence(); }, 500);
  memmodel::Counter<> counter;
  costs.update = of_one_core([&] { counter.add(1); });

  Lines lines;
  costs.fetch = steady(41, [&] { return lines.read(true); });
  costs.in_flight = std::max(1.0, costs.fetch / steady(41, [&] { return lines.read(false); }));

  costs.work = copying();
  costs.look = median_of(41, [&] { return lines.look(); });
  const double taken = steady(41, [&] { return lines.take(true); });
  costs.invalidate = std::max(0.0, taken - costs.update);
  costs.early = steady(41, [&] { return lines.take(false); }) < taken / 2;
  costs.moves = steady(41, [&] { return lines.take(true, true); }) < costs.update + costs.invalidate / 4;
  Pages pages;
  costs.run = 1;
  while (costs.run < 8 && pages.fetched_ahead(distance, static_cast<int>(costs.run)) == 0) ++costs.run;
  costs.ahead = pages.fetched_ahead(distance, 8);
  const double handed = steady(15, [] { return measure<Hop>(50); });
  const double shared = steady(15, [] { return measure<SharedCounter>(50); });
  // While a line goes to and fro between two that add, each adds a few times. What one waits for is the rest
  // of a transfer, as it has asked before.
  for (int i = 0; i < 10; ++i) {
    const double waits = (1 - costs.request) * costs.invalidate;
    const double times = std::max(1.0, waits / std::max(1.0, shared - costs.update));
    costs.hold = (times - 0.5) * costs.update;
    costs.request = std::clamp(1 - (handed - costs.hold) / costs.fetch, 0.0, 0.9);
  }
  const double write = steady(41, [&] { return lines.write(); });
  costs.stores_in_flight = std::max(1.0, costs.invalidate / write);
  return costs;
}

}  // namespace ranklet::model
