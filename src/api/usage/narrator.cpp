#include "api/usage/narrator.hpp"

#include <algorithm>
#include <utility>

#include "api/usage/seen.hpp"

namespace ranklet::api {

namespace {

// Fibers that a rank has at most: what goes beyond is told in one that has told of others, and so is taken to
// come after them. The runtime of gcc 12 knows 8128 threads.
std::size_t most_fibers(int ranks)
{
  return std::clamp<std::size_t>(4096 / static_cast<std::size_t>(ranks), 2, 64);
}

// Whether the call may receive a message, now or when what it makes is started.
bool receives(const CallPlan& plan)
{
  return plan.is_partitioned || std::ranges::any_of(plan.buffers, &BufferPlan::written);
}

}  // namespace

Narrator::Narrator(RankState& state, std::unique_ptr<Detector> detector)
    : state_(state), detector_(std::move(detector)), most_fibers_(most_fibers(state.rank.job.size()))
{
}

Narrator::~Narrator()
{
  for (const auto& fiber : fibers_) races::destroy_fiber(fiber->handle);
}

void Narrator::count_untold(const Call& call) const
{
  if (story_of(call.function()).story != Story::collective) return;
  if (Communicator* const comm = comm_of(state_, call))
    check::orders_of(comm->shared()).pass(comm->board_rank());
}

void Narrator::enter(const Call& call, bool /*needs_mpi*/) noexcept
{
  if (!detector_->is_told()) {
    if (story_of(call.function()).makes_window) detector_->window_is_made();
    if (!detector_->is_told()) return count_untold(call);
  }
  detector_->call_begins();
  const Holder guard(lock_);
  report_races();
  Open open;
  open.call = &call;
  open.thread = pthread_self();
  try {
    call_starts(call, open);
  } catch (const Error&) {
    // The data would not fit 64 bits: nothing is known of it.
  }
  open_.push_back(std::move(open));
}

void Narrator::call_starts(const Call& call, Open& open)
{
  const CallPlan& plan = plan_of(call.function());
  const CallStory& told = story_of(call.function());
  const bool makes = plan.use == RequestUse::makes || plan.use == RequestUse::prepares;
  if (!makes && plan.use != RequestUse::none) requests_given(call, plan, open);
  if (detector_->sees_accesses) accesses_start(call, plan, told, open);
  if (receives(plan) || told.story == Story::probe || plan.use == RequestUse::starts) tell_from(posted_);
  if (told.story == Story::unknown) detector_->order_from_everything();
  if (told.story == Story::end_of_request) tell_from(ended_);
  if (told.story == Story::collective)
    if (Communicator* const comm = comm_of(state_, call)) join(call, *comm, open.part);
  // A persistent one begins when it is started.
  if (open.part && plan.use != RequestUse::prepares) begin_part(*open.part);
  if (Window* const window = window_of(state_, call)) window_call_starts(call, *window, open);
}

void Narrator::leave(const Call& call, bool success) noexcept
{
  if (!detector_->is_told() && success) return;
  {
    const Holder guard(lock_);
    const auto found = std::ranges::find_if(open_, [&](const Open& open) { return open.call == &call; });
    if (found == open_.end()) {
      if (!success) give_up_collectives(call);
      if (detector_->is_told()) detector_->untold_ended();
      return;
    }
    Open open = std::move(*found);
    open_.erase(found);
    try {
      if (success)
        call_ends(call, open);
      else
        call_failed(call, open);
    } catch (const Error&) {
      // As above.
    }
    report_races();
  }
  detector_->call_ends();
}

void Narrator::call_ends(const Call& call, Open& open)
{
  const CallPlan& plan = plan_of(call.function());
  const CallStory& told = story_of(call.function());
  if (plan.use == RequestUse::none) {
    if (open.part) end_part(*open.part);
    if (detector_->sees_accesses) accesses_end(call, told, open);
    if (told.story == Story::message && told.synchronous)
      if (const check::Token* const begun = receives_of_peer(call)) tell_to(*begun);
  }
  if (told.story == Story::unknown) detector_->order_to_everything();
  if (told.story == Story::probe) probed(call);
  if (Window* const window = window_of(state_, call)) window_call_ended(call, *window, open);
  switch (plan.use) {
    case RequestUse::makes:
    case RequestUse::prepares:
      request_made(call, plan, open);
      break;
    case RequestUse::starts:
      for (const Given& given : open.requests)
        if (given.operation && !given.active) operation_started(*given.operation);
      break;
    case RequestUse::completes:
    case RequestUse::asks:
      requests_ended(open);
      break;
    case RequestUse::frees:
      requests_freed(open);
      break;
    case RequestUse::readies:
      partitions_ready(open);
      break;
    case RequestUse::arrives:
      partition_arrived(open);
      break;
    case RequestUse::none:
      break;
  }
}

// Those of several operations that are complete are so also if one has failed.
void Narrator::call_failed(const Call& call, const Open& open)
{
  requests_ended(open);
  detector_->untold_ended();
  if (open.part) give_up_collectives(call);
}

// The members' counts may differ.
void Narrator::give_up_collectives(const Call& call) const
{
  if (plan_of(call.function()).pattern == CollectivePattern::none) return;
  if (Communicator* const comm = comm_of(state_, call)) check::orders_of(comm->shared()).give_up();
}

void Narrator::thread_ends() noexcept
{
  if (!detector_->sees_accesses) {
    const Holder guard(lock_);
    std::erase_if(open_, [](const Open& open) { return pthread_equal(open.thread, pthread_self()) != 0; });
    return;
  }
  races::begin_unseen();
  {
    const Holder guard(lock_);
    report_races();
    // It leaves its calls without returning from them; the detector wants to see its end.
    std::erase_if(open_, [](const Open& open) {
      const bool own = pthread_equal(open.thread, pthread_self()) != 0;
      if (own) races::end_unseen();
      return own;
    });
  }
  races::end_unseen();
}

const CheckHooks Narrator::hooks = {
    .sending =
        [](Rank& self, const Request& send) {
          Ref<const RecordedCall> made = self.api->narrator->record_of_send(send);
          if (made) self.api->narrator->sending(*made);
          return made;
        },
    .received =
        [](Rank& self, const Request&, const RecordedCall& sent) noexcept {
          // Requests that are left over when the job ends are discarded after the observers.
          if (self.api->narrator) self.api->narrator->received(sent);
        },
};

Ref<const RecordedCall> Narrator::record_of_send(const Request& send) const
{
  const auto* const call = static_cast<const Call*>(current_call());
  if (!call) return {};
  if (plan_of(call->function()).use != RequestUse::starts)
    return Ref<const RecordedCall>(*record_of(state_, *call));
  const Holder guard(lock_);
  const auto known = operations_.find(&send);
  return known == operations_.end() ? Ref<const RecordedCall>()
                                    : Ref<const RecordedCall>(*known->second->call);
}

void Narrator::sending(const RecordedCall& sent) const
{
  if (!detector_->is_told()) return;
  tell_from(static_cast<const CallRecord&>(sent).sending);
  tell_from(sent_);
}

void Narrator::received(const RecordedCall& sent)
{
  if (!detector_->is_told()) return;
  tell_to(static_cast<const CallRecord&>(sent).sending);
  if (!detector_->sees_accesses) return;
  const auto& message = static_cast<const CallRecord&>(sent).sent;
  const Count bytes = message.type ? message.count * message.type->size() : 0;
  const Holder guard(lock_);
  const auto own = std::ranges::find_if(
      open_, [](const Open& open) { return static_cast<const CallNote*>(open.call) == current_call(); });
  if (own != open_.end()) own->received = bytes;
}

const check::Token* Narrator::receives_of_peer(const Call& call) const
{
  const Rank* const peer = peer_of(call, "dest");
  return peer && peer->api && peer->api->narrator ? &peer->api->narrator->posted_ : nullptr;
}

const check::Token* Narrator::sends_of_peer(const Call& call) const
{
  const Rank* const peer = peer_of(call, "source");
  return peer && peer->api && peer->api->narrator ? &peer->api->narrator->sent_ : nullptr;
}

const Rank* Narrator::peer_of(const Call& call, const char* parameter) const
{
  const int index = find_parameter(call.function(), parameter);
  Communicator* const comm = comm_of(state_, call);
  if (index < 0 || !comm) return nullptr;
  const Word rank = call.word_of(index);
  return rank < 0 || rank >= comm->peer_count() ? nullptr : &comm->peer(static_cast<int>(rank));
}

// A probed message may come from any member; all that each has sent before is taken to be known.
void Narrator::probed(const Call& call) const
{
  const int flag = find_parameter(call.function(), "flag");
  if (flag >= 0 && !*reinterpret_cast<const int*>(call.word_of(flag))) return;
  Communicator* const comm = comm_of(state_, call);
  for (int i = 0; comm && i < comm->peer_count(); ++i) {
    const Rank& peer = comm->peer(i);
    if (peer.api && peer.api->narrator) tell_to(peer.api->narrator->sent_);
  }
}

}  // namespace ranklet::api
