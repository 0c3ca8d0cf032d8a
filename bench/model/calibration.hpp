// The machine's costs, measured on two cores: nothing in them knows of any subject.
#pragma once

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

// What the cores' distance is now, on which the virtual cores of a guest do not agree for long.
struct Calibration {
  Costs costs;
  double hop;  // of two that stare at each other's lines: Signal
};
Calibration calibrate();

}  // namespace ranklet::model
