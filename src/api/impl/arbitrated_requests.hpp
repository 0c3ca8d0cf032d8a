// Calls on requests under an arbiter (ranks/arbiter.hpp): which of the complete requests they take, whether a
// test finds them complete.
#pragma once

#include "api/entry/request_calls.hpp"
#include "api/handles/views.hpp"
#include "ranks/arbiter.hpp"

namespace ranklet::api {

inline bool has_arbiter(const Rank& self) noexcept
{
  return self.job.options().arbiter != nullptr;
}

// The indices of the requests that the call completes, which are complete then; of tests and testall {0} for
// all. Empty: nothing is complete, for calls that do not wait. At least one request is active.
Outcome arbitrate(Rank& self, ChoiceKind kind, const RequestArray& requests);
// The same for one request: whether it is complete.
bool arbitrate(Rank& self, ChoiceKind kind, Request& request);

// Tells the arbiter that the request ends.
void stop_watching(Request& request, bool complete);

// Whether all are complete, as one that asks for all of them finds it; works on each.
inline bool all_complete(Rank& self, const RequestArray& requests)
{
  if (has_arbiter(self))
    return !any_active(requests) || !arbitrate(self, ChoiceKind::testall, requests).empty();
  bool all = true;
  for (int i = 0; i < requests.size(); ++i) {
    Request* const request = requests[i];
    if (is_active(request) && !request->advance()) all = false;
  }
  return all;
}

// For calls that look whether something has happened, and must not be asked by others: look().
template <class Look>
bool arbitrate_look(Rank& self, Look&& look)
{
  Arbiter& arbiter = *self.job.options().arbiter;
  Question question(ChoiceKind::look);
  const Arbiter::Ruling ruling = arbiter.begin(self, question);
  bool seen = false;
  if (!ruling.forced)
    seen = look();
  else if (!ruling.forced->empty())
    while (!(seen = look())) after_fruitless_test(self);
  arbiter.end(self, ruling.index, seen ? Outcome{0} : Outcome{});
  return seen;
}

}  // namespace ranklet::api
