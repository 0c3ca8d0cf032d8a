// The rules of bench/model/simulation.hpp, each with a cost that is known beforehand.
#include <doctest/doctest.h>

#include <stdexcept>

#include "model/calibration.hpp"
#include "model/collectives.hpp"
#include "model/figures.hpp"
#include "model/mailbox.hpp"
#include "model/windows.hpp"

using namespace ranklet::model;

namespace {

constexpr Costs round_costs{.fetch = 100,
                            .invalidate = 50,
                            .work = 1,
                            .look = 0,
                            .uneven = 0,
                            .update = 5,
                            .pause = 10,
                            .yield = 20,
                            .membarrier = 1000,
                            .service = 7,
                            .in_flight = 2,
                            .stores_in_flight = 4,
                            .run = 64,
                            .ahead = 0,
                            .hold = 0,
                            .request = 0,
                            .moves = false,
                            .early = false};

struct alignas(64) Line {
  Simulated::data<std::uint64_t> first, second;
};

struct alignas(64) Counted {
  Simulated::atomic<std::uint64_t> word;
};

double time_of(const Machine& machine, int ranks, const std::function<void(int)>& body,
               Traffic* traffic = nullptr)
{
  Simulation simulation(machine, ranks);
  simulation.run(body);
  if (traffic) *traffic = simulation.traffic();
  return simulation.time();
}

}  // namespace

TEST_SUITE_BEGIN("model");

TEST_CASE("a read fetches a line once, and who guesses right goes on meanwhile")
{
  const Machine machine = Machine::flat(1, round_costs);
  Line line;
  double after_two = 0;
  Traffic traffic;
  const double end = time_of(
      machine, 1,
      [&](int) {
        (void)line.first.get();
        (void)line.second.get();  // on the same line
        after_two = Simulation::current().now();
      },
      &traffic);
  CHECK(after_two == 2);
  CHECK(end == 101);
  CHECK(traffic.fetches == 1);

  // The third one under way waits for the first.
  Line lines[3];
  CHECK(time_of(machine, 1, [&](int) {
          for (Line& each : lines) (void)each.first.get();
          after_two = Simulation::current().now();
        }) == 1 + 100 + 1 + 100);
  CHECK(after_two == 102);
}

TEST_CASE("a line comes from the nearest core that has it, and readers are served one after another")
{
  // Cores 0 and 1 share an L3, 2 and 3 another one.
  const Machine machine = Machine::synthetic("package:1 numa:1 l3:2 core:2 pu:1", round_costs);
  CHECK(machine.nearness(0, 1) == Nearness::l3);
  CHECK(machine.nearness(0, 2) == Nearness::numa);
  Line line;
  Traffic traffic;
  const auto reads_after = [&](int me) {
    Simulation::current().spend(1000.0 * me);
    (void)line.first.get();
  };
  const double end = time_of(machine, 4, reads_after, &traffic);
  // From memory, as far as a neighbour; from core 0; from core 0 or 1, farther; from core 2.
  CHECK(traffic.hops == doctest::Approx(1 + 1 + 2.5 + 1));
  CHECK(end == 3000 + 1 + 100);

  Line other;
  const Machine flat = Machine::flat(4, round_costs);
  CHECK(time_of(flat, 4, [&](int) { (void)other.first.get(); }) == 1 + 3 * 7 + 100);
}

TEST_CASE("lines pass the link of an L3 or a package one after another")
{
  const auto time_with = [](const char* description, double l3_link, double package_link) {
    Costs costs = round_costs;
    costs.l3_link = l3_link;
    costs.package_link = package_link;
    const Machine machine = Machine::synthetic(description, costs);
    Line lines[2];
    return time_of(machine, 4, [&](int me) {
      if (me >= 2) return lines[me - 2].first.set(1);
      Simulation::current().spend(1000);
      (void)lines[me].first.get();
    });
  };
  // Cores 0 and 1 each read what a core of the other L3 has.
  const double apart = 1000 + 1 + 2.5 * 100, remote = 1000 + 1 + 5 * 100;
  CHECK(time_with("package:1 numa:1 l3:2 core:2 pu:1", 0, 0) == apart);
  CHECK(time_with("package:1 numa:1 l3:2 core:2 pu:1", 40, 70) == apart + 40);
  CHECK(time_with("package:2 numa:1 l3:1 core:2 pu:1", 0, 70) == remote + 70);
}

TEST_CASE("a store takes the line from all others, as long as from the farthest, while its core goes on")
{
  const Machine machine = Machine::synthetic("package:1 numa:1 l3:2 core:2 pu:1", round_costs);
  Line line;
  Traffic traffic;
  double after_store = 0;
  const double end = time_of(
      machine, 4,
      [&](int me) {
        if (me > 0) (void)line.first.get();
        if (me > 0) return;
        Simulation::current().spend(1000);
        line.first.set(1);
        after_store = Simulation::current().now();
      },
      &traffic);
  CHECK(after_store == 1001);
  CHECK(end == 1001 + 2.5 * 50);
  CHECK(traffic.invalidations == 3);
  CHECK(line.first.get() == 1);
}

TEST_CASE("words on one line move together: false sharing costs")
{
  const Machine machine = Machine::flat(2, round_costs);
  const auto traffic_of = [&](bool apart) {
    Line lines[2];
    Traffic traffic;
    time_of(
        machine, 2,
        [&](int me) {
          auto& mine = me == 0 ? lines[0].first : apart ? lines[1].first : lines[0].second;
          for (int i = 0; i < 10; ++i) {
            Simulation::current().spend(500);
            mine.set(1);
          }
        },
        &traffic);
    return traffic;
  };
  CHECK(traffic_of(true).invalidations == 0);
  // Each time one finds the line at home, and the other one takes it.
  CHECK(traffic_of(false).invalidations == 10);
}

TEST_CASE("read-modify-writes of one line wait in line, and lose nothing")
{
  const Machine machine = Machine::flat(8, round_costs);
  Counted counter;
  // Each takes it for 50 and holds it for 5.
  CHECK(time_of(machine, 8, [&](int) { counter.word.fetch_add(1, std::memory_order_relaxed); }) == 8 * 55);
  CHECK(counter.word.load(std::memory_order_relaxed) == 8);
  // In one's own cache.
  Counted own;
  CHECK(time_of(Machine::flat(1, round_costs), 1, [&](int) {
          for (int i = 0; i < 10; ++i) own.word.fetch_add(1, std::memory_order_relaxed);
        }) == 55 + 9 * 5);
}

TEST_CASE("stores become visible in their order, one's own at once, and a fence waits for them")
{
  const Machine machine = Machine::flat(2, round_costs);
  Line data[4];
  Counted flag;
  double fenced = 0;
  time_of(machine, 2, [&](int me) {
    if (me == 1) {
      for (Line& line : data) (void)line.first.get();
      Simulation::current().await([&] { return flag.word.load(std::memory_order_acquire) == 1; });
      for (Line& line : data) CHECK(line.first.get() == 7);
      return;
    }
    Simulation::current().spend(1000);
    for (Line& line : data) line.first.set(7);
    flag.word.store(1, std::memory_order_release);
    CHECK(flag.word.load(std::memory_order_relaxed) == 1);
    Simulation::current().fence();
    fenced = Simulation::current().now();
  });
  // The lines are asked for while the stores come, four at once; the flag's line when the first has come.
  CHECK(fenced == 1001 + 50 + 50 + 5);
}

TEST_CASE("who waits looks every pause, and fetches what has been taken away")
{
  const Machine machine = Machine::flat(2, round_costs);
  Counted flag;
  double seen = 0;
  time_of(machine, 2, [&](int me) {
    if (me == 0) {
      Simulation::current().spend(1000);
      return flag.word.store(1, std::memory_order_release);
    }
    Simulation::current().await([&] { return flag.word.load(std::memory_order_acquire) == 1; });
    seen = Simulation::current().now();
  });
  // It has looked at 101, and then every 11; the line is taken at 1051; the look at 1058 fetches it, and only
  // then it goes on.
  CHECK(seen == 101 + 87 * 11 + 1 + 100);
}

TEST_CASE("a line that its owner has written moves to who reads it")
{
  Costs costs = round_costs;
  costs.moves = true;
  Line line;
  double read = 0, written = 0, again = 0;
  time_of(Machine::flat(2, costs), 2, [&](int me) {
    Simulation& simulation = Simulation::current();
    if (me == 0) {
      line.first.set(1);
      simulation.spend(2000);
      (void)line.first.get();
      simulation.fence();
      again = simulation.now();
      return;
    }
    simulation.spend(1000);
    (void)line.first.get();
    simulation.fence();
    read = simulation.now();
    // It is alone here, but for what a store and a fence take.
    line.first.set(2);
    simulation.fence();
    written = simulation.now();
  });
  CHECK(read == 1000 + 1 + 100 + 5);
  CHECK(written == read + 1 + 5);
  CHECK(again == 1 + 2000 + 1 + 100 + 5);
}

TEST_CASE("a core has a line for a while before the next one gets it, who has asked meanwhile")
{
  Costs costs = round_costs;
  costs.hold = 20;
  const auto adds = [](Counted& counter) {
    return [&](int) {
      for (int i = 0; i < 40; ++i) counter.word.fetch_add(1, std::memory_order_relaxed);
    };
  };
  Traffic traffic;
  Counted counter;
  const double slow = time_of(Machine::flat(2, costs), 2, adds(counter), &traffic);
  CHECK(counter.word.load(std::memory_order_relaxed) == 80);
  // Some four additions each time.
  CHECK(traffic.invalidations > 10);
  CHECK(traffic.invalidations < 30);
  // Most of the transfer's request is over when the line is free.
  costs.request = 0.5;
  Counted other;
  CHECK(time_of(Machine::flat(2, costs), 2, adds(other)) < 0.8 * slow);
}

TEST_CASE("who reads consecutive lines is sent the next ones")
{
  Costs costs = round_costs;
  costs.run = 3;
  costs.ahead = 4;
  struct alignas(4096) Page {
    Line lines[16];
  };
  const auto page = std::make_unique<Page>();
  Traffic traffic;
  time_of(
      Machine::flat(2, costs), 2,
      [&](int me) {
        if (me == 0)
          for (Line& line : page->lines) line.first.set(1);
        Simulation::current().spend(10'000);
        for (int i = 0; me == 1 && i < 3; ++i) (void)page->lines[i].first.get();
      },
      &traffic);
  CHECK(traffic.fetches == 4);
}

TEST_CASE("what follows a wait, or an address, is not guessed")
{
  const Machine machine = Machine::flat(2, round_costs);
  Line data, table;
  Counted flag;
  const auto fetched = [&](auto&& use) {
    double time = 0;
    time_of(machine, 2, [&](int me) {
      Simulation& simulation = Simulation::current();
      if (me == 0) {
        data.first.set(1);
        table.first.set(1);
        simulation.spend(3000);
        return flag.word.store(flag.word.load(std::memory_order_relaxed) + 1, std::memory_order_release);
      }
      simulation.spend(1000);
      const double start = simulation.now();
      use();
      simulation.fence();
      time = simulation.now() - start;
    });
    return time;
  };
  // Side by side, and one after the other.
  const auto in_table = [&](auto&& read) {
    return fetched([&] {
      (void)read(table.first);
      (void)data.first.get();
    });
  };
  CHECK(in_table([](const auto& word) { return word.get(); }) < 150);
  CHECK(in_table([](const auto& word) { return word.get_address(); }) > 200);
  // The flag comes at 3051 at the soonest.
  const double waited = fetched([&] {
    const auto before = flag.word.load(std::memory_order_relaxed);
    Simulation::current().await([&] { return flag.word.load(std::memory_order_acquire) != before; });
    (void)data.first.get();
  });
  CHECK(waited > 3051 - 1000 + 100 + 100);
}

TEST_CASE("a read-modify-write asks for its line while what comes before it is under way")
{
  Costs costs = round_costs;
  const auto took = [&](bool early) {
    costs.early = early;
    Line data;
    Counted counter;
    double time = 0;
    time_of(Machine::flat(2, costs), 2, [&](int me) {
      if (me == 0) {
        data.first.set(1);
        counter.word.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      Simulation::current().spend(1000);
      (void)data.first.get();
      counter.word.fetch_add(1, std::memory_order_relaxed);
      time = Simulation::current().now() - 1000;
    });
    return time;
  };
  CHECK(took(false) == 1 + 100 + 50 + 5);
  CHECK(took(true) == 1 + 100 + 5);
}

TEST_CASE("a wait for what nobody does is an error, and so is what a rank throws")
{
  const Machine machine = Machine::flat(2, round_costs);
  Counted flag;
  const auto waits = [&](int me) {
    if (me == 0) Simulation::current().await([&] { return flag.word.load(std::memory_order_acquire) == 1; });
  };
  CHECK_THROWS_AS(time_of(machine, 2, waits), std::logic_error);
  CHECK_THROWS_AS(time_of(machine, 2, [](int) { throw std::runtime_error("mine"); }), std::runtime_error);
  CHECK_THROWS_AS(Simulation(machine, 3), std::invalid_argument);
}

TEST_CASE("cores of a machine are as near as its description says")
{
  const Machine machine = Machine::synthetic("package:2 numa:2 l3:2 core:2 pu:2");
  CHECK(machine.cores == 16);
  CHECK(machine.nearness(0, 0) == Nearness::same);
  CHECK(machine.nearness(0, 1) == Nearness::l3);
  CHECK(machine.nearness(0, 2) == Nearness::numa);
  CHECK(machine.nearness(0, 4) == Nearness::package);
  CHECK(machine.nearness(8, 0) == Nearness::remote);
}

TEST_CASE("a hop of the model is a line that is taken and fetched")
{
  const Machine machine = Machine::flat(2, round_costs);
  const Figure hop = simulate<Signal>(machine, 2, 16);
  CHECK(hop.ns == doctest::Approx(150).epsilon(0.05));
  CHECK(hop.traffic.hops == doctest::Approx(2));
}

TEST_CASE(
    "a barrier that follows the machine takes less than one that crosses to the other package in each step")
{
  const Machine machine = Machine::synthetic("package:2 numa:1 l3:1 core:8 pu:1", round_costs);
  const Figure blind = simulate<DisseminationBarrier>(machine, 16);
  const Figure following = simulate<FollowingBarrier>(machine, 16);
  CHECK(following.ns < 0.9 * blind.ns);
}

TEST_CASE("members that begin to look at their own place do not wait for one line")
{
  const Machine machine = Machine::synthetic("package:1 numa:1 l3:4 core:8 pu:1", round_costs);
  CHECK(simulate<FlatBarrier>(machine, 32, 8, 10).ns < 0.9 * simulate<BarrierFrom0>(machine, 32, 8, 10).ns);
}

TEST_CASE("a message into a mailbox takes a few hops, however many send at once")
{
  const Machine machine = Machine::synthetic("package:1 numa:2 l3:4 core:8 pu:1", round_costs);
  const double hop = simulate<Signal>(machine, 2, 16).ns;
  CHECK(simulate<ManyToOne>(machine, 8, 8, 10).ns < 1.5 * hop);
  CHECK(simulate<ManyToOne>(machine, 64, 8, 10).ns < 5 * hop);
}

TEST_CASE("the same run costs the same again")
{
  Costs costs = round_costs;
  costs.uneven = 5;
  const Machine machine = Machine::synthetic("package:2 numa:1 l3:2 core:4 pu:1", costs);
  const Figure first = simulate<FlatAllreduce>(machine, 16);
  const Figure second = simulate<FlatAllreduce>(machine, 16);
  CHECK(first.ns == second.ns);
  CHECK(first.traffic.hops == second.traffic.hops);
}

TEST_SUITE_END();
