// What the usage checks follow requests for: the buffers of operations under way, and where each was made.
//
// A request's object may be used again for another operation before the call that has ended this one has come
// to its end, by another thread. So what is known of an operation goes by the record of the call that made
// the request, not by the object.
#include "api/usage/given_requests.hpp"
#include "api/usage/narrator.hpp"
#include "api/usage/rank_checks.hpp"
#include "p2p/p2p.hpp"
#include "p2p/send_receive.hpp"

namespace ranklet::api {

namespace {

bool is_point_to_point(Request& request)
{
  return request_cast<p2p::SendRequest>(request) || request_cast<p2p::ReceiveRequest>(request) ||
         request_cast<p2p::SendReceiveRequest>(request);
}

// The receive in the request: itself, or a part of it; null: none.
const Request* receive_of(Request& request)
{
  if (const auto* const both = request_cast<p2p::SendReceiveRequest>(request))
    return request.active() ? &both->receive() : nullptr;
  return request_cast<p2p::ReceiveRequest>(request);
}

}  // namespace

CallRecordRef RankChecks::made_by(const Request& request) const
{
  const Holder guard(lock_);
  const KnownRequest* const known = find(request);
  return known ? known->made : CallRecordRef();
}

CallRecordRef RankChecks::made_by(std::uintptr_t handle) const
{
  const Holder guard(lock_);
  const auto known = made_.find(handle);
  return known == made_.end() ? CallRecordRef() : known->second;
}

// Before a call on requests. Operations that it starts are under way from here on, so that the requests
// of one MPI_Startall are compared with each other.
void RankChecks::note_requests(const Call& call, const CallPlan& plan, Open& open)
{
  for_each_request(state_, call, plan, [&](const MPI_Request* place, Request* request) RANKLET_UNCHECKED {
    const KnownRequest* const known = find(*request);
    open.requests.push_back({place, request, request->active(), is_point_to_point(*request),
                             known ? known->made : CallRecordRef(), receive_of(*request)});
    if (plan.use == RequestUse::readies) partitions_ready(call, *request);
    if (plan.use != RequestUse::starts || request->active() || !known || known->sends_parts) return;
    check_buffers(known->uses, *known->made);
    for (const check::BufferUse& use : known->uses) pending_.add(known->made.get(), use);
  });
}

void RankChecks::requests_made(const Call& call, const CallPlan& plan, Open& open)
{
  if (!open.record) return;
  for_each_request(state_, call, plan, [&](const MPI_Request*, Request* request) RANKLET_UNCHECKED {
    KnownRequest known;
    known.made = open.record;
    known.arrays = arrays_of(call, plan);
    if (const Request* const receive = receive_of(*request); receive && receive != request)
      requests_[receive] = known;
    known.sends_parts = plan.is_partitioned && find_parameter(call.function(), "dest") >= 0;
    if (plan.use == RequestUse::prepares)
      known.uses = std::move(open.uses);
    else if (const Window* const window = plan.is_window_call ? window_of(state_, call) : nullptr)
      known.one_sided = one_sided(call, *window, open);
    else
      for (check::BufferUse& use : open.uses) pending_.add(known.made.get(), std::move(use));
    requests_[request] = std::move(known);
  });
}

void RankChecks::requests_started(const Open& open, bool success)
{
  for (const Given& given : open.requests) {
    if (given.active || !given.made) continue;
    if (!success && !given.request->active()) {
      pending_.remove(given.made.get());
      continue;
    }
    const auto known = requests_.find(given.request);
    if (known != requests_.end()) known->second.started = true;
  }
}

// `owner` stands for the operation: its buffers are the program's again.
void RankChecks::operation_ended(const void* owner, const Call& completion, const void* address)
{
  for (const check::BufferUse& changed : pending_.remove(owner, address)) {
    // Then the place is known that has changed it.
    if (state_.narrator && state_.narrator->has_reported(*changed.call)) continue;
    report(check::Finding::Weight::error,
           std::string(buffer_name(changed)) + " was changed before the operation was complete",
           buffer_rule(changed), changed.call.get(), record(completion).get());
  }
}

void RankChecks::requests_ended(const Open& open)
{
  for (const Given& given : open.requests) {
    if (!given.active || !given.made) continue;
    const bool gone = given.place && !state_.requests.look_up(*given.place);
    // While the handle is there the object is, too.
    if (!gone && given.request->active() && !given.request->complete()) continue;
    operation_ended(given.made.get(), *open.call);
    const auto known = requests_.find(given.request);
    if (known != requests_.end() && known->second.made == given.made) {
      check_arrays(known->second, *open.call);
      one_sided_ended(known->second);
    }
    if (gone) forget(given);
  }
}

void RankChecks::requests_freed(const Open& open)
{
  for (const Given& given : open.requests) {
    if (!given.made || state_.requests.look_up(*given.place)) continue;
    const KnownRequest* const known = find(*given.request);
    // A flush still tells of those.
    if (!known || known->made != given.made || !known->one_sided) pending_.remove(given.made.get());
    if (given.active && given.point_to_point) {
      report(check::Finding::Weight::advice,
             "an active request was freed: nothing tells when its buffer may be used again", "MPI 5.0 §3.7.3",
             record(*open.call).get(), given.made.get());
      // Its receive may still be reported on.
      const auto received = given.receive ? requests_.find(given.receive) : requests_.end();
      if (received != requests_.end() && received->second.made == given.made) received->second.freed = true;
    }
    forget(given);
  }
}

// Unless the objects serve another operation now.
void RankChecks::forget(const Given& given)
{
  for (const Request* const request : {static_cast<const Request*>(given.request), given.receive}) {
    const auto known = requests_.find(request);
    if (known != requests_.end() && known->second.made == given.made && !known->second.freed)
      requests_.erase(known);
  }
}

const RankChecks::KnownRequest* RankChecks::find(const Request& request) const
{
  const auto known = requests_.find(&request);
  return known == requests_.end() ? nullptr : &known->second;
}

}  // namespace ranklet::api
