#include "api/report.hpp"

#include "api/names.hpp"
#include "base/source_line.hpp"

namespace ranklet::api {

std::string report_text(const Call& call, RankState* state, const std::string& subject,
                        const std::string& class_name, const std::string& reason)
{
  std::string text = "MPI error in ";
  text += call.function().name;
  if (call.large()) text += "_c";
  if (state) text += " on rank " + std::to_string(state->rank.world_rank) + " of MPI_COMM_WORLD";
  text += "\n  reason        " + reason + " (" + class_name + ")";
  text += "\n  call          " + call.text(call);
  if (!subject.empty()) text += "\n  " + subject;
  text += "\n  place         " + describe_call_site(call.site);
  const std::string script = state ? state->rank.script_place(::pthread_self()) : "";
  if (!script.empty()) text += "\n  script        " + script;
  return text + "\n";
}

}  // namespace ranklet::api
