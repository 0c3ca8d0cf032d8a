// The requests that a call is given: for those who watch calls.
#pragma once

#include "api/entry/call.hpp"
#include "api/usage/call_plan.hpp"

namespace ranklet::api {

// f(place, request) for the handles of requests that the call is given and are none but right ones. place: of
// the handle in the program, unless that was passed by its value.
template <class F>
void for_each_request(RankState& state, const Call& call, const CallPlan& plan, F&& f)
{
  if (plan.request < 0) return;
  const ParameterInfo& parameter = call.function().parameters[static_cast<std::size_t>(plan.request)];
  const Word word = call.word_of(plan.request);
  MPI_Request by_value = MPI_REQUEST_NULL;
  const MPI_Request* places = reinterpret_cast<const MPI_Request*>(word);
  if (!parameter.pointer) {
    by_value = state.requests.make(static_cast<std::uintptr_t>(word));
    places = &by_value;
  }
  const Word count = plan.length < 0 ? 1 : call.word_of(0);
  for (Word i = 0; places && i < count; ++i)
    if (Request** const request = state.requests.look_up(places[i]))
      f(parameter.pointer ? &places[i] : nullptr, *request);
}

}  // namespace ranklet::api
