#include "api/entry/report.hpp"

#include <unwind.h>

#include "api/handles/names.hpp"
#include "base/source_line.hpp"

namespace ranklet::api {
namespace {

bool in_fortran_library(const void* site)
{
  const auto location = source_location(static_cast<const char*>(site) - 1);
  return location && location->module.find("/libmpifort_abi.so") != std::string::npos;
}

struct Search {
  const void* inner;            // where the library's call returns to
  bool passed = false;          // the walk has come there
  const void* found = nullptr;  // the first place outside the library
};

// A Fortran program's call comes through a routine of our own (src/fortran): the place is where that one was called.
// On the thread that is in the call.
const void* users_site(const void* site)
{
  if (!site || !in_fortran_library(site)) return site;
  Search search{site};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* argument) {
        auto& walk = *static_cast<Search*>(argument);
        const auto* const place = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        if (place == walk.inner) walk.passed = true;
        if (!walk.passed || in_fortran_library(place)) return _URC_NO_REASON;
        walk.found = place;
        return _URC_END_OF_STACK;
      },
      &search);
  return search.found ? search.found : site;
}

}  // namespace

std::string report_text(const Call& call, RankState* state, const std::string& subject,
                        const std::string& class_name, const std::string& reason)
{
  std::string text = "MPI error in ";
  text += call.function().name;
  if (call.large()) text += "_c";
  if (state) {
    const bool is_first = state->rank.job.options().world == 1;
    text += " on " + state->rank.name() + (is_first ? " of MPI_COMM_WORLD" : "");
  }
  text += "\n  reason        " + reason + " (" + class_name + ")";
  text += "\n  call          " + call.text(call);
  if (!subject.empty()) text += "\n  " + subject;
  text += "\n  place         " + describe_call_site(users_site(call.site));
  const std::string script = state ? state->rank.script_place(::pthread_self()) : "";
  if (!script.empty()) text += "\n  script        " + script;
  return text + "\n";
}

}  // namespace ranklet::api
