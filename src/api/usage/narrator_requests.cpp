// What the narrator tells of operations that a request completes (MPI 5.0 §3.7, §4.2, §6.12): from their
// start to their completion their buffers are used by fibers.
#include <algorithm>

#include "api/usage/given_requests.hpp"
#include "api/usage/narrator.hpp"
#include "api/usage/seen.hpp"

namespace ranklet::api {

void Narrator::requests_given(const Call& call, const CallPlan& plan, Open& open)
{
  for_each_request(state_, call, plan, [&](const MPI_Request* place, Request* request) RANKLET_UNCHECKED {
    const auto known = operations_.find(request);
    const OperationPtr operation = known == operations_.end() ? nullptr : known->second;
    open.requests.push_back({place, request, operation, request->active()});
    if (plan.use == RequestUse::readies) tell_from(sent_);
    if (!operation) {
      if (plan.use == RequestUse::readies || plan.use == RequestUse::starts) detector_->untold_begins();
      return;
    }
    if (plan.use == RequestUse::starts && !request->active()) operation_starts(*operation);
  });
}

// Before others may go on because of it.
void Narrator::operation_starts(Operation& operation)
{
  if (!operation.prepared) return;
  operation.part = operation.prepared;
  if (operation.part->round) operation.part->round = operation.part->round->start(operation.starts++);
  begin_part(*operation.part);
}

void Narrator::operation_started(Operation& operation)
{
  if (!operation.sends_parts) use_buffers(operation, operation.uses);
}

void Narrator::use_buffers(Operation& operation, const std::vector<check::BufferUse>& uses)
{
  const bool in_parts = !operation.arrived.empty();
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const check::BufferUse& use = uses[i];
    const races::Label label =
        label_of(operation.site, operation.call, use.written, AccessNote::Use::operation);
    // The buffers of one operation do not conflict with each other, but parts end one by one.
    if (operation.fibers.empty() || in_parts) operation.fibers.push_back(&take_fiber());
    OperationFiber& fiber = *operation.fibers.back();
    const InFiber in_fiber(fiber.handle, fiber.begun);
    tell_use(use, -1, use.written, label);
    if (in_parts) races::order_from(operation.arrived[i].get());
    races::order_from(&operation.done);
  }
}

void Narrator::request_made(const Call& call, const CallPlan& plan, Open& open)
{
  const CallStory& told = story_of(call.function());
  const OperationPtr operation = open.operation ? open.operation : std::make_shared<Operation>();
  operation->call = open.record;
  operation->site = call.site;
  operation->persistent = plan.use == RequestUse::prepares;
  operation->unknown = told.story == Story::unknown;
  operation->is_generalized = std::string_view(call.function().name) == "MPI_Grequest_start";
  if (told.synchronous) operation->awaited = receives_of_peer(call);
  if (plan.is_partitioned) {
    operation->sends_parts = find_parameter(call.function(), "dest") >= 0;
    if (!operation->sends_parts) {
      operation->awaited = sends_of_peer(call);
      for (std::size_t i = 0; i < open.uses.size(); ++i)
        operation->arrived.push_back(std::make_unique<check::Token>());
    }
  }
  if (operation->persistent) {
    operation->uses = std::move(open.uses);
    operation->prepared = std::move(open.part);
  } else {
    operation->part = std::move(open.part);
    if (told.story != Story::operation) use_buffers(*operation, open.uses);
  }
  for_each_request(state_, call, plan, [&](const MPI_Request*, Request* request) RANKLET_UNCHECKED {
    operations_[request] = operation;
  });
}

// All that follows comes after the operation.
void Narrator::end(Operation& operation)
{
  tell_to(operation.done);
  if (operation.awaited) tell_to(*operation.awaited);
  if (operation.unknown) detector_->order_to_everything();
  if (operation.is_generalized) tell_to(ended_);
  if (operation.part) end_part(*operation.part);
  operation.part.reset();
  for (OperationFiber* const fiber : operation.fibers) give_back(*fiber);
  operation.fibers.clear();
}

void Narrator::requests_ended(const Open& open)
{
  const bool asks = plan_of(open.call->function()).use == RequestUse::asks;
  for (const Given& given : open.requests) {
    if (!given.active) continue;
    const bool gone = given.place && !state_.requests.look_up(*given.place);
    // While the handle is there the object is, too.
    if (!gone && given.request->active() && !given.request->complete()) continue;
    // The order that a message brings is told when the receive is waited for.
    if (!given.operation || asks) detector_->untold_ended();
    if (!given.operation) continue;
    end(*given.operation);
    if (gone) forget(given);
  }
}

// Nothing will tell when the buffer may be used again: from here on nothing is said of it.
void Narrator::requests_freed(const Open& open)
{
  for (const Given& given : open.requests) {
    if (!given.operation || state_.requests.look_up(*given.place)) continue;
    end(*given.operation);
    forget(given);
  }
}

// Unless the object serves another operation now.
void Narrator::forget(const Given& given)
{
  const auto known = operations_.find(given.request);
  if (known != operations_.end() && known->second == given.operation) operations_.erase(known);
}

void Narrator::partitions_ready(const Open& open)
{
  for (const Given& given : open.requests) {
    if (!given.operation || !given.operation->sends_parts) continue;
    const std::vector<check::BufferUse>& uses = given.operation->uses;
    for_each_partition(Arguments(state_, *open.call), [&](Word partition) RANKLET_UNCHECKED {
      if (partition >= 0 && partition < static_cast<Word>(uses.size()))
        use_buffers(*given.operation, {uses[static_cast<std::size_t>(partition)]});
    });
  }
}

void Narrator::partition_arrived(const Open& open)
{
  const Arguments arguments(state_, *open.call);
  const Word partition = arguments.word("partition");
  if (!*reinterpret_cast<const int*>(arguments.word("flag"))) return;
  for (const Given& given : open.requests) {
    if (!given.operation) detector_->untold_ended();
    if (!given.operation || partition < 0) continue;
    const auto& arrived = given.operation->arrived;
    if (partition < static_cast<Word>(arrived.size())) tell_to(*arrived[static_cast<std::size_t>(partition)]);
    if (given.operation->awaited) tell_to(*given.operation->awaited);
  }
}

}  // namespace ranklet::api
