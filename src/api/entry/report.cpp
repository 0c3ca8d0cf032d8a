#include "api/entry/report.hpp"

#include "api/handles/names.hpp"
#include "base/fortran_site.hpp"
#include "base/source_line.hpp"

namespace ranklet::api {
namespace {

// "MPI error in MPI_Recv on rank 1 of MPI_COMM_WORLD"
std::string title(const Call& call, const RankState* state)
{
  std::string text = "MPI error in ";
  text += routine_name(call.function(), call.large(), is_in_fortran_library(call.site));
  if (state) {
    const bool is_first = state->rank.job.options().world == 1;
    text += " on " + state->rank.name() + (is_first ? " of MPI_COMM_WORLD" : "");
  }
  return text;
}

}  // namespace

std::string report_text(const Call& call, RankState* state, const std::string& subject,
                        const std::string& class_name, const std::string& reason, const std::string& rule)
{
  std::string text = title(call, state);
  text += "\n  reason        " + reason + " (" + class_name + ")";
  if (!rule.empty()) text += "\n  rule          " + rule;
  text += "\n  call          " + call.text(call);
  if (!subject.empty()) text += "\n  " + subject;
  text += "\n  place         " + describe_call_site(users_site(call.site));
  const std::string script = state ? state->rank.script_place(::pthread_self()) : "";
  if (!script.empty()) text += "\n  script        " + script;
  return text + "\n";
}

std::string reference_text(const Call& call, RankState& state, const std::string& class_name,
                           const std::string& told_by)
{
  return title(call, &state) + ": see the usage error of " + told_by + " (" + class_name + ")\n";
}

}  // namespace ranklet::api
