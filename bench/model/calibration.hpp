// The machine's costs, measured on two cores: nothing in them knows of any subject.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "machine.hpp"
#include "memmodel/memmodel.hpp"
#include "simulated.hpp"

namespace ranklet::model {

// bench/micro/hop.cpp: two hand one line to and fro.
template <class Sys>
class Hop {
 public:
  explicit Hop(int /*ranks*/) {}
  static constexpr double per_round = 0.5;
  void run(int me, int rounds)
  {
    if (me > 1) return;
    for (int i = 0; i < rounds; ++i) {
      const std::uint64_t mine = 2 * std::uint64_t(i) + std::uint64_t(me);
      On<Sys>::await([&] { return turn_.value() == mine; });
      turn_.publish(mine + 1);
    }
  }

 private:
  alignas(128) memmodel::Sequence<Sys> turn_;
};

// Two tell each other in turn by a line of each, which it writes and the other one reads: a hop of the model.
template <class Sys>
class Signal {
 public:
  explicit Signal(int /*ranks*/) {}
  static constexpr double per_round = 0.5;
  void run(int me, int rounds)
  {
    if (me > 1) return;
    for (int i = 1; i <= rounds; ++i) {
      const auto number = static_cast<std::uint64_t>(i);
      if (me == 0) sides_[0].turn.publish(number);
      On<Sys>::stare([&] { return sides_[1 - me].turn.value() == number; });
      if (me == 1) sides_[1].turn.publish(number);
    }
  }

 private:
  struct alignas(128) Side {
    memmodel::Sequence<Sys> turn;
  };
  Side sides_[2];
};

// Two add to one counter.
template <class Sys>
class SharedCounter {
 public:
  explicit SharedCounter(int /*ranks*/) {}
  static constexpr double per_round = 0.5;
  void run(int me, int rounds)
  {
    if (me > 1) return;
    for (int i = 0; i < rounds; ++i) counter_.take();
  }

 private:
  alignas(128) memmodel::Counter<Sys> counter_;
};

// How far from each other the two cores mostly are: a host moves the virtual cores of a guest.
class Distance {
 public:
  Distance();

  double hop() const { return hop_; }  // nanoseconds of Signal
  // Of what sample() says, so many that are of this distance, before and after; less if the cores move too
  // often.
  template <class Sample>
  auto samples(std::size_t wanted, Sample&& sample) const
  {
    std::vector<decltype(sample())> found;
    bool before = holds();
    for (std::size_t tries = 0; tries < 20 * wanted && found.size() < wanted; ++tries) {
      auto value = sample();
      const bool after = holds();
      if (before && after) found.push_back(std::move(value));
      before = after;
    }
    return found;
  }
  // NaN if there is none.
  template <class Sample>
  double median(std::size_t wanted, Sample&& sample) const
  {
    auto values = samples(wanted, sample);
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

 private:
  bool holds() const;

  double hop_;
};

// The costs of cores that are so far from each other. Throws std::runtime_error if they move too often.
Costs calibrate(const Distance& distance);

}  // namespace ranklet::model
