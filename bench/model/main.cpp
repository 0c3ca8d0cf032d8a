// The model's front (docs/scaling.md):
//     model validate [SUBJECT]    on two cores: their costs, and each subject measured beside the model
//     model scale [COST=VALUE ...] [SUBJECT] [RANKS ...]    subjects on machines of so many cores
// Prints lines of the form <word> key=value ..., times in nanoseconds of one operation.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bounds.hpp"
#include "calibration.hpp"
#include "collectives.hpp"
#include "figures.hpp"
#include "mailbox.hpp"
#include "windows.hpp"

namespace ranklet::model {

namespace {

struct Subject {
  const char* name;
  Figure (*simulated)(const Machine&, int ranks, int rounds, int warm);
  double (*measured)(double expected_ns);
  Bounds (*bounds)(const Machine&, int ranks);  // null: those of a collective do not apply
  int most_ranks;
  bool large;
};

template <template <class> class What>
Subject subject(const char* name, Bounds (*bounds)(const Machine&, int) = nullptr, int most_ranks = 256,
                bool large = false)
{
  return {name, simulate<What>, measure<What>, bounds, most_ranks, large};
}

const Subject subjects[] = {
    subject<Hop>("hop", nullptr, 2),
    subject<Signal>("signal", nullptr, 2),
    subject<PingPong>("message", nullptr, 2),
    subject<Stream>("stream", nullptr, 2),
    subject<ManyToOne>("many_to_one"),
    subject<FlatBarrier>("barrier_flat", synchronising),
    subject<BarrierFrom0>("barrier_flat_from_0", synchronising),
    subject<DisseminationBarrier>("barrier_dissemination", synchronising),
    subject<FollowingBarrier>("barrier_following", synchronising),
    subject<BarrierByGroups>("barrier_by_groups", synchronising),
    subject<CounterBarrier>("barrier_counter", synchronising),
    subject<SmallBcast>("bcast_8", spreading),
    subject<FlatAllreduce>("allreduce_8_flat", synchronising),
    subject<AllreduceFrom0>("allreduce_8_flat_from_0", synchronising),
    subject<CentralAllreduce>("allreduce_8_central", synchronising),
    subject<SmallAllgather>("allgather_8", gathering),
    subject<LargeBcast>("bcast_16K", large_bcast, 256, true),
    subject<OneLevelBcast>("bcast_16K_one_level", large_bcast, 256, true),
    subject<LargeAllreduce>("allreduce_16K", large_allreduce, 256, true),
    subject<OneLevelAllreduce>("allreduce_16K_one_level", large_allreduce, 256, true),
    subject<AllreduceOf8>("allreduce_16K_of_8", large_allreduce, 256, true),
    subject<CopiedAllreduce>("allreduce_256_copied"),
    subject<AllreduceOfLines>("allreduce_256_slices"),
    subject<CopiedAllgather>("allgather_1K", large_allgather, 128, true),
    subject<LargeAllgather>("allgather_1K_read", large_allgather, 128, true),
    subject<Fence>("win_fence", synchronising),
    subject<PostStart>("pscw", nullptr, 2),
    subject<LockHandover>("lock_handover", nullptr, 2),
    subject<ExclusiveLock>("lock_exclusive"),
    subject<SharedLock>("lock_shared"),
    subject<GatedUpdates>("fetch_and_add"),
};

void print(const Costs& c, double hop)
{
  std::printf(
      "costs hop=%.1f fetch=%.1f invalidate=%.1f work=%.2f look=%.1f uneven=%.1f update=%.1f pause=%.1f "
      "yield=%.0f membarrier=%.0f "
      "run=%.0f ahead=%.0f hold=%.1f request=%.2f moves=%d early=%d service=%.1f in_flight=%.1f "
      "stores_in_flight=%.1f l3_link=%.1f package_link=%.1f\n",
      hop, c.fetch, c.invalidate, c.work, c.look, c.uneven, c.update, c.pause, c.yield, c.membarrier, c.run,
      c.ahead, c.hold, c.request, c.moves, c.early, c.service, c.in_flight, c.stores_in_flight, c.l3_link,
      c.package_link);
}

int validate(const std::string& only)
{
  const Distance distance;
  const Costs costs = calibrate(distance);
  print(costs, distance.hop());
  if (costs.fetch < 2 * costs.update) {
    std::fprintf(stderr, "model: the two cores share their first cache; there are no transfers to measure\n");
    return 1;
  }
  const Machine machine = Machine::flat(2, costs);
  for (const Subject& what : subjects) {
    if (!only.empty() && only != what.name) continue;
    const double model = what.simulated(machine, 2, 64, 32).ns;
    const double measured = distance.median(15, [&] { return what.measured(model); });
    if (std::isnan(measured))
      std::printf("validation subject=%s model_ns=%.1f\n", what.name, model);
    else
      std::printf("validation subject=%s measured_ns=%.1f model_ns=%.1f ratio=%.2f\n", what.name, measured,
                  model, model / measured);
    std::fflush(stdout);
  }
  return 0;
}

bool take_cost(const char* word, Costs& costs)
{
  if (std::strncmp(word, "early=", 6) == 0) {
    costs.early = std::atoi(word + 6) != 0;
    return true;
  }
  if (std::strncmp(word, "moves=", 6) == 0) {
    costs.moves = std::atoi(word + 6) != 0;
    return true;
  }
  const struct {
    const char* name;
    double& cost;
  } all[] = {{"fetch", costs.fetch},
             {"invalidate", costs.invalidate},
             {"work", costs.work},
             {"uneven", costs.uneven},
             {"look", costs.look},
             {"update", costs.update},
             {"pause", costs.pause},
             {"run", costs.run},
             {"ahead", costs.ahead},
             {"hold", costs.hold},
             {"request", costs.request},
             {"yield", costs.yield},
             {"service", costs.service},
             {"in_flight", costs.in_flight},
             {"membarrier", costs.membarrier},
             {"stores_in_flight", costs.stores_in_flight},
             {"l3_link", costs.l3_link},
             {"package_link", costs.package_link}};
  for (const auto& [name, cost] : all) {
    const std::size_t length = std::strlen(name);
    if (std::strncmp(word, name, length) != 0 || word[length] != '=') continue;
    cost = std::atof(word + length + 1);
    return true;
  }
  return false;
}

int scale(int argc, char** argv)
{
  Costs costs;
  std::vector<int> ranks;
  std::string only;
  for (int i = 0; i < argc; ++i) {
    if (take_cost(argv[i], costs)) continue;
    if (std::atoi(argv[i]) < 2) {
      only = argv[i];
      continue;
    }
    ranks.push_back(std::atoi(argv[i]));
  }
  if (ranks.empty()) ranks = {2, 4, 8, 16, 32, 64, 128, 256};
  const double hop = simulate<Signal>(Machine::flat(2, costs), 2).ns;
  print(costs, hop);
  for (const int n : ranks) {
    const Machine machine = Machine::synthetic(usual_topology(n), costs);
    for (const Subject& what : subjects) {
      if (n > what.most_ranks || (!only.empty() && only != what.name)) continue;
      // A small one's cells must have been used before.
      const bool brief = what.large && n > 16;
      const Figure figure = what.simulated(machine, n, brief ? 2 : 8, brief ? 2 : 10);
      std::printf(
          "scale subject=%s ranks=%d ns=%.0f hops=%.2f fetches=%.1f invalidations=%.1f traffic_hops=%.1f",
          what.name, n, figure.ns, figure.ns / hop, figure.traffic.fetches, figure.traffic.invalidations,
          figure.traffic.hops);
      if (what.bounds) {
        const Bounds bounds = what.bounds(machine, n);
        std::printf(" flat_ns=%.0f tree_ns=%.0f", bounds.flat, bounds.tree);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace

}  // namespace ranklet::model

int main(int argc, char** argv)
{
  if ((argc == 2 || argc == 3) && std::strcmp(argv[1], "validate") == 0) {
    try {
      return ranklet::model::validate(argc == 3 ? argv[2] : "");
    } catch (const std::runtime_error& error) {
      std::fprintf(stderr, "model: %s\n", error.what());
      return 1;
    }
  }
  if (argc >= 2 && std::strcmp(argv[1], "scale") == 0) return ranklet::model::scale(argc - 2, argv + 2);
  std::fprintf(stderr,
               "usage: model validate [SUBJECT] | model scale [COST=VALUE ...] [SUBJECT] [RANKS ...]\n");
  return 2;
}
