// Which cores each rank of a job runs on: the policy (--bind-to, --map-by, --rank-by) worked out on a
// topology.
#pragma once

#include <string>
#include <vector>

#include "machine/topology.hpp"

namespace ranklet {

struct BindingRequest {
  int ranks = 1;
  int threads_per_rank = 1;      // cores that each rank wants (OMP_NUM_THREADS, map-by …:pe=N)
  std::string bind_to = "auto";  // auto, none, or a level; "core:2" makes it two cores wide
  std::string map_by = "auto";  // auto, compact, scatter, slot, a level, "ppr:2:socket"; modifiers ":pe=2,…"
  std::string rank_by = "auto";  // auto, map, slot, or a level
};

struct BindingPlan {
  std::vector<CpuSet> ranks;  // where each rank is pinned; empty: nowhere
  CpuSet in_use;              // the hardware threads that the job keeps busy, pinned or not
  bool own_cpus = false;      // no two ranks need to share a hardware thread
  std::string note;           // why nothing is pinned, if nothing is
};

// `free` are the allowed hardware threads that no other job uses. Throws Error{arg} on a policy it does not
// know.
//
// Without a word from the user, ranks are pinned to neighbouring cores if there is a free one for each, else
// to hardware threads if those suffice, else not at all; nor are they under a CPU quota smaller than the
// machine, where other containers may be doing the same. Pinning asked for explicitly goes round and shares
// when there are more ranks than cores, but never stacks two jobs.
BindingPlan plan_binding(const Topology& topology, const CpuSet& free, const BindingRequest& request);

// "core 3 of package 1 (CPUs 3,11)", for --report-bindings.
std::string describe_cpus(const Topology& topology, const CpuSet& set);

}  // namespace ranklet
