// Where one job's ranks run on this machine: the settings, the topology and the other jobs taken together.
#pragma once

#include <string>
#include <vector>

#include "base/config.hpp"
#include "machine/binding.hpp"
#include "machine/place.hpp"
#include "machine/wait_policy.hpp"

namespace ranklet {

// The cores that running jobs use, across processes: a job holds an abstract Unix socket per core, named
// after the core's first CPU. The kernel frees them with the process, however that ends. Jobs in different
// network namespaces (containers) do not see each other.
class CoreClaims {
 public:
  // `realm` keeps tests apart from jobs.
  explicit CoreClaims(std::string realm = "ranklet") : realm_(std::move(realm)) {}
  ~CoreClaims();
  CoreClaims(const CoreClaims&) = delete;
  CoreClaims& operator=(const CoreClaims&) = delete;

  // The allowed CPUs whose cores nobody claims, this object included.
  CpuSet free(const Topology& topology) const;
  // Claims the cores of these CPUs, all or none: false if another job has one of them.
  bool claim(const Topology& topology, const CpuSet& cpus);
  void release();

 private:
  std::string realm_;
  std::vector<int> sockets_;
};

// How so many ranks shall wait that have so many CPUs to run on: RANKLET_WAIT and its counts, or by whether
// they have CPUs of their own.
WaitPolicy configured_wait_policy(const Config& config, int ranks, int cpus);

class Placement {
 public:
  // Throws Error{arg} on a policy that plan_binding does not know.
  Placement(const Topology& topology, int ranks, const Config& config, std::string realm = "ranklet");

  // Pins the calling thread as the plan says; to be called before the rank touches memory, which then lies in
  // its NUMA domain. False if the system refuses.
  bool bind_this_thread(int rank) const;

  bool pinned() const { return !plan_.ranks.empty(); }
  bool own_cpus() const { return plan_.own_cpus; }

  // How many cores a rank has for itself: where it is pinned, else its part of the usable CPUs; at least one.
  int cores_of(int rank) const;

  // Where each rank runs.
  std::vector<Place> places() const;

  WaitPolicy wait_policy() const;

  // The ranks have ended: others may have the cores.
  void give_up_cpus() { claims_.release(); }
  // For ranks without CPUs of their own, when other jobs have ended: looks again for as many. True if the
  // ranks have them from now on; they stay where they are. Not at once with another call.
  bool find_own_cpus();

  // A line for each rank, "rank 2: core 2 (CPU 2)", with newlines.
  std::string report() const;

 private:
  const Topology& topology_;
  const Config& config_;
  int ranks_;
  BindingRequest request_;
  CoreClaims claims_;
  BindingPlan plan_;
};

}  // namespace ranklet
