#include "api/report.hpp"

#include "api/names.hpp"
#include "base/source_line.hpp"

namespace ranklet::api {

std::string report_text(const Call& call, RankState* state, const Communicator* comm,
                        const std::string& comm_name, const std::string& class_name,
                        const std::string& reason)
{
  std::string text = "MPI error in ";
  text += call.function().name;
  if (call.large()) text += "_c";
  if (state) text += " on rank " + std::to_string(state->rank.world_rank) + " of MPI_COMM_WORLD";
  text += "\n  reason        " + reason + " (" + class_name + ")";
  text += "\n  call          " + call.text(call);
  if (comm) {
    text += "\n  communicator  " + comm_name + ", rank " + std::to_string(comm->rank()) + " of " +
            std::to_string(comm->size());
  }
  // The return address belongs to the instruction after the call, maybe on the next line.
  text += "\n  place         " + describe_code(static_cast<const char*>(call.site) - 1);
  return text + "\n";
}

}  // namespace ranklet::api
