#include "api/usage/narrator.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/usage/seen.hpp"
#include "datatype/runs.hpp"

namespace ranklet::api {

namespace {

// Fibers that a rank has at most: what goes beyond is told in one that has told of others, and so is taken to
// come after them. The runtime of gcc 12 knows 8128 threads.
std::size_t most_fibers(int ranks)
{
  return std::clamp<std::size_t>(4096 / static_cast<std::size_t>(ranks), 2, 64);
}
// Before so many there are, none is used again: the later, the more of its past the detector still knows.
constexpr std::size_t fresh_fibers = 8;
// Pieces of a buffer that are told one by one; later ones are not told of.
constexpr int most_runs = 4096;

}  // namespace

races::Label AccessNotes::label(const void* site, AccessNote note)
{
  auto& alike = notes_[{site, &note.call->function(), note.use, note.written}];
  const auto same = std::ranges::find_if(alike, [&](const auto& known) {
    return known->epoch == note.epoch && known->target == note.target && known->call->is_like(*note.call);
  });
  const bool is_known = same != alike.end();
  const AccessNote* found = is_known ? same->get() : nullptr;
  if (!is_known) {
    if (alike.size() < most_alike) alike.push_back(std::make_unique<AccessNote>(std::move(note)));
    found = alike.back().get();
  }
  return races::label_bit | reinterpret_cast<races::Label>(found);
}

Narrator::Narrator(RankState& state) : state_(state), most_fibers_(most_fibers(state.rank.job.size())) {}

Narrator::~Narrator()
{
  for (const auto& fiber : fibers_) races::destroy_fiber(fiber->handle);
}

void Narrator::enter(const Call& call, bool /*needs_mpi*/) noexcept
{
  races::begin_unseen();
  const std::lock_guard guard(lock_);
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
  const bool moves_data = told.story == Story::message || plan.pattern > CollectivePattern::order;
  if (makes || moves_data || told.story == Story::operation) open.record = record_of(state_, call);
  if (moves_data) open.uses = uses_of(state_, call, open.record);
  if (moves_data && plan.use == RequestUse::none)
    for (const check::BufferUse& use : open.uses)
      if (!use.written) {
        const races::Label label = label_of(call.site, open.record, use.written, AccessNote::Use::call);
        const Seen seen;
        tell_use(use, -1, false, label);
      }
  const bool receives = std::ranges::any_of(open.uses, &check::BufferUse::written);
  if (receives || told.story == Story::probe || plan.use == RequestUse::starts) tell_from(&posted_);
  if (told.story == Story::unknown) tell_from(everything());
  if (told.story == Story::end_of_request) tell_from(&ended_);
  if (told.story == Story::collective)
    if (Communicator* const comm = comm_of(state_, call)) join(call, *comm, open.part);
  // A persistent one begins when it is started.
  if (open.part && plan.use != RequestUse::prepares) begin_part(*open.part);
  if (Window* const window = window_of(state_, call)) window_call_starts(call, *window, open);
}

void Narrator::leave(const Call& call, bool success) noexcept
{
  {
    const std::lock_guard guard(lock_);
    const auto found = std::ranges::find_if(open_, [&](const Open& open) { return open.call == &call; });
    if (found == open_.end()) return;
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
  races::end_unseen();
}

void Narrator::call_ends(const Call& call, Open& open)
{
  const CallPlan& plan = plan_of(call.function());
  const CallStory& told = story_of(call.function());
  if (plan.use == RequestUse::none) {
    if (open.part) end_part(*open.part);
    for (const check::BufferUse& use : open.uses) {
      if (!use.written) continue;
      const races::Label label = label_of(call.site, open.record, use.written, AccessNote::Use::call);
      const Seen seen;
      tell_use(use, told.story == Story::message ? open.received : -1, true, label);
    }
    if (told.story == Story::message && told.synchronous)
      if (const check::Token* const begun = receives_of_peer(call)) tell_to(begun);
  }
  if (told.story == Story::unknown) tell_to(everything());
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
  if (!open.part) return;
  if (Communicator* const comm = comm_of(state_, call)) check::orders_of(comm->shared()).give_up();
}

void Narrator::thread_ends() noexcept
{
  races::begin_unseen();
  {
    const std::lock_guard guard(lock_);
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
  const std::lock_guard guard(lock_);
  const auto known = operations_.find(&send);
  return known == operations_.end() ? Ref<const RecordedCall>()
                                    : Ref<const RecordedCall>(*known->second->call);
}

void Narrator::sending(const RecordedCall& sent) const
{
  tell_from(&sent);
  tell_from(&sent_);
}

void Narrator::received(const RecordedCall& sent)
{
  tell_to(&sent);
  const auto& message = static_cast<const CallRecord&>(sent).sent;
  const Count bytes = message.type ? message.count * message.type->size() : 0;
  const std::lock_guard guard(lock_);
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

// What was probed may come from any member; what each has sent before is taken to be known.
void Narrator::probed(const Call& call) const
{
  const int flag = find_parameter(call.function(), "flag");
  if (flag >= 0 && !*reinterpret_cast<const int*>(call.word_of(flag))) return;
  Communicator* const comm = comm_of(state_, call);
  for (int i = 0; comm && i < comm->peer_count(); ++i) {
    const Rank& peer = comm->peer(i);
    if (peer.api && peer.api->narrator) tell_to(&peer.api->narrator->sent_);
  }
}

Narrator::Fiber& Narrator::take_fiber()
{
  Fiber* fiber = nullptr;
  if (fibers_.size() >= most_fibers_ && free_fibers_.empty()) {
    fiber = fibers_[next_shared_fiber_++ % most_fibers_].get();
  } else if (!free_fibers_.empty() && fibers_.size() >= std::min(fresh_fibers, most_fibers_)) {
    fiber = free_fibers_.front();
    free_fibers_.pop_front();
  } else {
    fibers_.push_back(std::make_unique<Fiber>());
    fiber = fibers_.back().get();
    const Seen seen;
    fiber->handle = races::make_fiber(("MPI." + std::to_string(state_.rank.world_rank)).c_str());
  }
  ++fiber->uses;
  return *fiber;
}

void Narrator::give_back(Fiber& fiber)
{
  if (--fiber.uses == 0) free_fibers_.push_back(&fiber);
}

void Narrator::tell_use(const check::BufferUse& use, Count bytes, bool written, races::Label label)
{
  int runs = 0;
  Count left = bytes < 0 ? std::numeric_limits<Count>::max() : bytes;
  for_each_run(const_cast<void*>(use.address), use.count, *use.type, [&](const char* at, Count length) {
    const Count told = std::min(length, left);
    left -= told;
    if (told > 0 && ++runs <= most_runs)
      races::access(reinterpret_cast<std::uintptr_t>(at), static_cast<std::size_t>(told), written, label);
  });
}

races::Label Narrator::label_of(const void* site, const CallRecordRef& record, bool written,
                                AccessNote::Use kind)
{
  AccessNote note;
  note.call = record;
  note.use = kind;
  note.written = written;
  return notes_.label(site, std::move(note));
}

}  // namespace ranklet::api
