// Arrays of counts, displacements and types that the program changes or gives back while the operation that
// was given them is under way (MPI 5.0 §6.12, §6.13). They are read at the start here, so it works; where
// another MPI reads them later it does not: advice.
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "api/usage/arguments.hpp"
#include "api/usage/rank_checks.hpp"
#include "comm/virtual_topology.hpp"

namespace ranklet::api {

namespace {

// Copies what lies there, unless it is gone, as memory may be that the program has given back. errno as of
// process_vm_readv(2).
bool read_memory(Word address, std::vector<char>& to)
{
  const iovec here{to.data(), to.size()};
  const iovec there{reinterpret_cast<void*>(address), to.size()};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(to.size());
}

bool is_array_of(std::string_view name, char side)
{
  if (name == "displs") return true;
  const std::string_view of_side = side == 's' ? "send" : "recv";
  return name == std::string(of_side) + "counts" || name == std::string(of_side) + "types" ||
         name == std::string(1, side) + "displs";
}

std::size_t element_size(const ParameterInfo& parameter, const Call& call)
{
  const std::string_view name(parameter.name), kind(parameter.kind->name);
  if (call.large() || kind == "aint" || name.ends_with("types")) return sizeof(Count);
  return sizeof(int);
}

}  // namespace

// Those of a call that are significant, with what they hold.
std::vector<RankChecks::GivenArray> RankChecks::arrays_of(const Call& call, const CallPlan& plan) const
{
  using enum CollectivePattern;
  std::vector<GivenArray> found;
  const Communicator* const comm = comm_of(call);
  if (plan.pattern <= order || !comm) return found;
  const Arguments arguments(state_, call);
  const Word root = arguments.has("root") ? arguments.word("root") : -1;
  const bool is_root = root == MPI_ROOT || (!comm->is_inter() && root == comm->rank());
  if ((plan.pattern == gather || plan.pattern == scatter) && !is_root) return found;
  const bool is_neighborhood = plan.pattern == neighbor_allgather || plan.pattern == neighbor_alltoall;
  if (is_neighborhood && !comm->topology) return found;
  const auto add = [&](char side, std::size_t n) {
    const auto parameters = call.function().parameters;
    for (std::size_t i = 0; i < parameters.size() && n > 0; ++i) {
      if (!is_array_of(parameters[i].name, side)) continue;
      GivenArray array{parameters[i].name, call.word_of(static_cast<int>(i)),
                       std::vector<char>(n * element_size(parameters[i], call))};
      if (array.address != 0 && read_memory(array.address, array.held)) found.push_back(std::move(array));
    }
  };
  const auto peers = static_cast<std::size_t>(plan.pattern == operands ? comm->size() : comm->peer_count());
  const bool gives_blocks = plan.pattern == alltoall || plan.pattern == scatter;
  if (is_neighborhood) {
    if (plan.pattern == neighbor_alltoall) add('s', comm->topology->destinations.size());
    add('r', comm->topology->sources.size());
  } else if (gives_blocks && !arguments.in_place("sendbuf")) {
    add('s', peers);
  }
  if (!is_neighborhood && plan.pattern != scatter) add('r', peers);
  return found;
}

// An operation has been completed that was given these.
void RankChecks::check_arrays(const KnownRequest& known, const Call& completion)
{
  for (const GivenArray& array : known.arrays) {
    std::vector<char> now(array.held.size());
    if (read_memory(array.address, now) ? now == array.held : errno != EFAULT) continue;
    report(check::Finding::Weight::advice,
           "the array " + std::string(array.name) +
               " was changed or freed before the operation was complete: it is read at the start here, but "
               "another "
               "MPI may read it later",
           "MPI 5.0 §6.12", known.made.get(), record(completion).get());
  }
}

}  // namespace ranklet::api
