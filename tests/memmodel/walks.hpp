// What the tests that walk all executions of a structure share.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "scheduler.hpp"

namespace ranklet::explore {

inline const char* name(Memory memory)
{
  switch (memory) {
    case Memory::interleaved:
      return "interleaved";
    case Memory::store_buffers:
      return "store buffers";
    default:
      return "C++ orders";
  }
}

inline void print(const std::string& title, const Options& options, const Outcome& outcome)
{
  std::printf("%-34s %-13s %8ld executions, %8ld complete, %8ld states%s\n", title.c_str(),
              name(options.memory), outcome.executions, outcome.completed, outcome.states,
              outcome.failure.empty() ? "" : ", failure found");
}

// Walks all executions in the given memory mode and expects no failure.
template <class Setup>
void expect_correct(const std::string& title, Options options, Setup setup,
                    std::initializer_list<Memory> memories = {Memory::interleaved, Memory::store_buffers,
                                                              Memory::views})
{
  for (Memory memory : memories) {
    options.memory = memory;
    const Outcome outcome = explore(options, setup);
    print(title, options, outcome);
    CAPTURE(title);
    const std::string memory_name = name(memory);
    CAPTURE(memory_name);
    CHECK(outcome.failure == "");
    CHECK(outcome.exhausted);
    CHECK(outcome.completed > 0);
  }
}

// Expects that the walk finds a failure that begins with `what`; empty: any one, where the first to be found
// is a matter of the order of the walk.
template <class Setup>
void expect_failure(const std::string& title, const Options& options, Setup setup, const std::string& what)
{
  const Outcome outcome = explore(options, setup);
  print(title, options, outcome);
  CAPTURE(title);
  CHECK(outcome.failure != "");
  CHECK_MESSAGE(outcome.failure.starts_with(what), "found instead: ", outcome.failure);
}

// The options with one operation of some locations made relaxed.
inline Options relaxed_at(Options options, Access access, std::vector<int> locations)
{
  options.order = [=](Access at, int where, std::memory_order order) {
    return at == access && std::find(locations.begin(), locations.end(), where) != locations.end()
               ? std::memory_order_relaxed
               : order;
  };
  return options;
}
inline Options relaxed_at(const Options& options, Access access, int location)
{
  return relaxed_at(options, access, std::vector<int>{location});
}

// Ways to wait at a Parking: as wait_until() does, without its patience, and where nobody sleeps.
inline constexpr auto sleeping = [](auto& parking, auto&& is_there) {
  Explored::await([&] {
    if (is_there()) return true;
    parking.park(is_there);
    return false;
  });
};
// For a producer of a ring that waits for room with its place.
inline constexpr auto await_room = [](auto&& lacking) { Explored::await([&] { return lacking() == 0; }); };

inline constexpr auto spinning = [](auto&&, auto&& is_there) { Explored::await(is_there); };

}  // namespace ranklet::explore
