#include <doctest/doctest.h>

#include <memory>

#include <unistd.h>

#include "machine/cpus.hpp"
#include "machine/placement.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using test::cpus;

namespace {

// 2 packages of 4 cores with 2 hardware threads: core i has the CPUs 2i and 2i+1.
constexpr const char* dual = "package:2 core:4 pu:2";

std::string plan_text(const Topology& topology, const BindingRequest& request, const CpuSet& busy = CpuSet())
{
  CpuSet free = topology.allowed();
  free -= busy;
  const BindingPlan plan = plan_binding(topology, free, request);
  std::string text;
  for (const CpuSet& set : plan.ranks) text += (text.empty() ? "" : " ") + set.text();
  if (plan.ranks.empty()) text = plan.note;
  return text + (plan.own_cpus ? "" : " shared");
}

std::string plan_text(const char* machine, int ranks, const char* bind_to, const char* map_by = "auto",
                      const char* rank_by = "auto")
{
  const Topology topology{std::string(machine)};
  return plan_text(topology, {ranks, 1, bind_to, map_by, rank_by});
}

}  // namespace

TEST_CASE("without a word ranks take neighbouring cores, then hardware threads, then nothing")
{
  CHECK(plan_text(dual, 3, "auto") == "0-1 2-3 4-5");
  CHECK(plan_text(dual, 8, "auto") == "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15");
  CHECK(plan_text(dual, 10, "auto") == "0 1 2 3 4 6 8 10 12 14");
  CHECK(plan_text(dual, 17, "auto") == "more ranks than cores shared");
  CHECK(plan_text(dual, 1, "auto") == "one rank");
}

TEST_CASE("bind-to chooses what a rank is pinned to")
{
  CHECK(plan_text(dual, 2, "core") == "0-1 2-3");
  CHECK(plan_text(dual, 2, "hwthread") == "0 2");
  CHECK(plan_text(dual, 9, "hwthread") == "0 2 4 6 8 10 12 14 1");
  CHECK(plan_text(dual, 2, "socket") == "0-7 0-7");
  CHECK(plan_text(dual, 5, "package") == "0-7 0-7 0-7 0-7 8-15");
  CHECK(plan_text(dual, 2, "none") == "as asked for");
  CHECK(plan_text("package:1 numa:2 core:2 pu:1", 3, "numa") == "0-1 0-1 2-3");
  CHECK(plan_text(dual, 2, "core:2", "core:2") == "0-3 4-7");
  CHECK(plan_text(dual, 2, "core:overload-allowed") == "0-1 2-3");
}

TEST_CASE("map-by chooses the order of the places")
{
  CHECK(plan_text(dual, 4, "core", "compact") == "0-1 2-3 4-5 6-7");
  CHECK(plan_text(dual, 4, "core", "scatter") == "0-1 8-9 2-3 10-11");
  CHECK(plan_text(dual, 4, "core", "socket") == "0-1 8-9 2-3 10-11");
  CHECK(plan_text(dual, 4, "auto", "socket") == "0-1 8-9 2-3 10-11");
  CHECK(plan_text(dual, 4, "hwthread", "hwthread") == "0 1 2 3");
  CHECK(plan_text(dual, 4, "core", "ppr:2:socket") == "0-1 2-3 8-9 10-11");
  CHECK(plan_text(dual, 3, "core", "slot:PE=2") == "0-3 4-7 8-11");
  CHECK(plan_text(dual, 3, "core", "socket:pe=3") == "0-5 8-13 0-5 shared");
  CHECK(plan_text("package:2 l3:2 core:2 pu:1", 4, "core", "scatter") == "0 4 2 6");
}

TEST_CASE("rank-by numbers the places")
{
  CHECK(plan_text(dual, 4, "core", "scatter", "slot") == "0-1 2-3 8-9 10-11");
  CHECK(plan_text(dual, 6, "core", "compact", "socket") == "0-1 8-9 2-3 10-11 4-5 6-7");
}

TEST_CASE("explicit pinning of more ranks than cores goes round")
{
  CHECK(plan_text("core:2 pu:1", 5, "core") == "0 1 0 1 0 shared");
}

TEST_CASE("cores of other jobs are left alone")
{
  const Topology topology{std::string(dual)};
  const CpuSet busy = cpus({0, 1, 2, 3, 8, 9});
  CHECK(plan_text(topology, {3, 1, "auto", "auto", "auto"}, busy) == "4-5 6-7 10-11");
  CHECK(plan_text(topology, {11, 1, "auto", "auto", "auto"}, busy) == "other jobs use the cores shared");
  CHECK(plan_text(topology, {6, 1, "core", "auto", "auto"}, busy) == "other jobs use the cores");
}

TEST_CASE("threads of a rank get cores of their own")
{
  const Topology topology{std::string(dual)};
  CHECK(plan_text(topology, {2, 4, "auto", "auto", "auto"}) == "0-7 8-15");
  CHECK(plan_text(topology, {2, 9, "auto", "auto", "auto"}) == "more ranks than cores shared");
}

TEST_CASE("only allowed CPUs are used")
{
  const CpuSet allowed = cpus({2, 3, 9, 14});
  const Topology topology(dual, &allowed);
  CHECK(topology.cores() == 3);
  CHECK(plan_text(topology, {3, 1, "auto", "auto", "auto"}) == "2-3 9 14");
  CHECK(plan_text(topology, {2, 1, "socket", "socket", "auto"}) == "2-3 9,14");
}

TEST_CASE("unknown policies are refused by name")
{
  const Topology topology{std::string(dual)};
  for (const BindingRequest& request :
       {BindingRequest{2, 1, "cores", "auto", "auto"}, BindingRequest{2, 1, "core", "sideways", "auto"},
        BindingRequest{2, 1, "core", "socket:pe=x", "auto"}, BindingRequest{2, 1, "core", "auto", "dice"}})
    CHECK_THROWS_AS(plan_binding(topology, topology.allowed(), request), Error);
}

TEST_CASE("places are described in words")
{
  const Topology topology{std::string(dual)};
  CHECK(describe_cpus(topology, cpus({10, 11})) == "core 5 of package 1 (CPUs 10-11)");
  CHECK(describe_cpus(topology, cpus({10})) == "hwthread 10 of core 5 of package 1 (CPU 10)");
  CHECK(describe_cpus(topology, cpus({0, 1, 2, 3, 4, 5, 6, 7})) == "package 0 (CPUs 0-7)");
  CHECK(describe_cpus(topology, CpuSet()) == "not pinned (CPUs 0-15)");
}

TEST_CASE("claims exclude each other and end with their object")
{
  const Topology topology{std::string(dual)};
  const std::string realm = "ranklet-test-" + std::to_string(::getpid());
  CoreClaims second(realm);
  {
    CoreClaims first(realm);
    CHECK(first.claim(topology, cpus({0, 2, 3})));
    CHECK(second.free(topology).text() == "4-15");
    CHECK_FALSE(second.claim(topology, cpus({2, 4})));
    CHECK(second.free(topology).text() == "4-15");  // nothing of the failed claim is left
    CHECK(second.claim(topology, cpus({4})));
  }
  CHECK(second.free(topology).text() == "0-3,6-15");
}

TEST_CASE("ranks without CPUs of their own have those that other jobs leave")
{
  const Topology topology{std::string(dual)};
  const std::string realm = "ranklet-test-" + std::to_string(getpid());
  const Config settings;
  Placement all(topology, 16, settings, realm);
  Placement later(topology, 2, settings, realm);
  Placement too_many(topology, 17, settings, realm);
  REQUIRE(all.own_cpus());
  CHECK_FALSE(later.own_cpus());
  CHECK(later.wait_policy().spins == 0);
  CHECK(later.wait_policy().looks() > 0);
  CHECK(too_many.wait_policy().looks() == 0);
  CHECK_FALSE(later.find_own_cpus());
  all.give_up_cpus();
  CHECK_FALSE(too_many.find_own_cpus());
  CHECK(later.find_own_cpus());
  CHECK(later.wait_policy().spins > 0);
  CHECK_FALSE(later.pinned());
  CHECK_FALSE(later.find_own_cpus());  // it has them
  const Placement last(topology, 15, settings, realm);
  CHECK_FALSE(last.own_cpus());
  for (const WaitMode as_asked : {WaitMode::yield, WaitMode::park}) {
    Config asked;
    asked.wait = as_asked;
    CHECK(Placement(topology, 2, asked, realm).wait_policy().looks() == 0);
  }
}

TEST_CASE("a placement's report has a line for each rank")
{
  const Topology topology{std::string(dual)};
  Config settings;
  settings.bind_to = "none";
  const Placement placement(topology, 2, settings);
  CHECK_FALSE(placement.pinned());
  CHECK(placement.bind_this_thread(1));
  CHECK(placement.report() ==
        "rank 0: not pinned (CPUs 0-15): as asked for\nrank 1: not pinned (CPUs 0-15): as asked for\n");
}
