// What the calls on requests and messages have in common.
#pragma once

#include <tuple>

#include "api/entry/call.hpp"
#include "api/handles/views.hpp"
#include "p2p/p2p.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::api {

// One of an array of statuses (null: ignored).
inline Status* status_at(Status* statuses, int i) noexcept
{
  return statuses ? statuses + i : nullptr;
}

// The empty status of a call on no active request has all its fields defined, the error field too (§3.7.3).
inline void write_empty_status(Status* status) noexcept
{
  if (status) *status = Status{};
}

// Neither MPI_REQUEST_NULL nor an inactive persistent request, which count as complete (§3.7.3).
inline bool is_active(const Request* request) noexcept
{
  return request && request->active();
}

// Looks up all handles, so that a bad one is found before anything is changed; and says whether one is
// active.
inline bool any_active(const RequestArray& requests)
{
  bool active = false;
  for (int i = 0; i < requests.size(); ++i) active = is_active(requests[i]) || active;
  return active;
}

// After a test that found nothing: loops of tests advance what only the rank itself may, must let other ranks
// run where cores are few, and end with the job.
inline void after_fruitless_test(Rank& self)
{
  self.serve();
  if (const CallNote* const call = current_call()) self.vain_tests.note(call->site);
  self.job.look_around(self);
  give_way(self, [&] { return p2p::has_mail(self); });
}

// The rank's communicator with that context, null if it was freed.
CommRef find_comm(Rank& self, std::uint32_t context);

// The same, but also one that was freed while requests of it were left.
CommRef find_used_comm(Rank& self, std::uint32_t context);
// A communicator is about to be freed: it is kept as long as requests of it are left.
void keep_while_used(Rank& self, Communicator& comm);

// Errors of this call belong to the rank's communicator with that context, if it still exists (§9.3).
void blame_context(Rank& self, std::uint32_t context) noexcept;

// Acts; errors of that belong to the communicator with that context (§9.3). It is looked for only then.
template <class Do>
void blaming(Rank& self, std::uint32_t context, Do&& act)
{
  try {
    act();
  } catch (const Error&) {
    blame_context(self, context);
    throw;
  }
}

// The same for the request's communicator. The request may be gone afterwards.
template <class Do>
void blaming(Rank& self, const Request& request, Do&& act)
{
  blaming(self, request.context(), act);
}

// Calls the error handlers of operations that have failed after their requests were freed: an error belongs
// to the communicator, whose handler decides what it means.
void report_late_errors(Rank& self);

inline void attend_to_late_errors(Rank& self)
{
  if (p2p::suspects_late_errors(self)) [[unlikely]]
    report_late_errors(self);
}

}  // namespace ranklet::api
