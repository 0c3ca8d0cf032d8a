#include "api/usage/rank_checks.hpp"

#include <algorithm>
#include <cstring>

#include "api/handles/names.hpp"
#include "api/usage/narrator.hpp"

namespace ranklet::api {

namespace {

const Call* current() noexcept
{
  // Notes are made by entry points only.
  return static_cast<const Call*>(current_call());
}

bool is_handle(const ParameterInfo& parameter)
{
  return parameter.kind->sort >= ArgumentSort::comms && parameter.kind->sort != ArgumentSort::requests &&
         parameter.pointer && parameter.written && !std::string_view(parameter.name).starts_with("array");
}

const char* thread_level_name(ThreadLevel level)
{
  switch (level) {
    case ThreadLevel::single:
      return "MPI_THREAD_SINGLE";
    case ThreadLevel::funneled:
      return "MPI_THREAD_FUNNELED";
    case ThreadLevel::serialized:
      return "MPI_THREAD_SERIALIZED";
    case ThreadLevel::multiple:
      break;
  }
  return "MPI_THREAD_MULTIPLE";
}

}  // namespace

const CheckHooks RankChecks::hooks = {
    .sending =
        [](Rank& self, const Request& send) {
          Ref<const RecordedCall> made = self.api->checks->sending(send);
          if (made && self.api->narrator) self.api->narrator->sending(*made);
          return made;
        },
    .received =
        [](Rank& self, const Request& receive, const RecordedCall& sent) noexcept {
          // Requests that are left over when the job ends are discarded after the observers.
          if (self.api->checks) self.api->checks->received(receive, sent);
          if (self.api->narrator) self.api->narrator->received(sent);
        },
};

RankChecks::RankChecks(RankState& state) : state_(state)
{
  // Ranks are made one after the other.
  Job& job = state.rank.job;
  if (!job.checks) job.checks = std::make_shared<check::JobChecks>();
}

void RankChecks::report(check::Finding::Weight weight, std::string what, const char* rule,
                        const RecordedCall* call, const RecordedCall* other)
{
  check::Finding finding;
  finding.weight = weight;
  finding.what = std::move(what);
  finding.rule = rule;
  finding.rank = state_.rank.world_rank;
  finding.world = state_.rank.job.options().world;
  if (call) {
    finding.call = call->text();
    finding.place = call->place();
    finding.source = call->source();
  }
  if (other) {
    finding.other = other->who() + ", " + other->text() + " in " + other->place();
    finding.other_source = other->source();
  }
  state_.rank.job.findings.add(std::move(finding));
}

void RankChecks::enter(const Call& call, bool /*needs_mpi*/) noexcept
{
  allocates_for_mpi(true);
  const CallPlan& plan = plan_of(call.function());
  const Holder guard(lock_);
  if (!plan.any_thread) check_thread(call);
  Open open;
  open.call = &call;
  open.thread = pthread_self();
  note_handles(call, open);
  try {
    check_arguments(call, plan, open);
  } catch (const Error&) {
    // The data would not fit 64 bits: nothing is known of it.
  }
  open_.push_back(std::move(open));
}

void RankChecks::check_arguments(const Call& call, const CallPlan& plan, Open& open)
{
  const bool makes = plan.use == RequestUse::makes || plan.use == RequestUse::prepares;
  if (!makes && plan.use != RequestUse::none) note_requests(call, plan, open);
  const bool moves_data =
      !plan.buffers.empty() || plan.is_partitioned || plan.pattern > CollectivePattern::order;
  if (makes || moves_data) open.record = record(call);
  if (moves_data) {
    open.uses = uses_of(state_, call, open.record);
    if (plan.use != RequestUse::prepares) check_buffers(open.uses, *open.record);
  }
  check_room_of_arrays(call, plan, open);
  if (plan.uses_operator) check_operator(call);
  if (plan.pattern != CollectivePattern::none) {
    check_other_threads(call, open);
    check_collective(call, plan);
  }
  if (plan.is_window_call) window_call_starts(call, open);
  if (plan.is_file_call) file_call_starts(call, plan, open);
}

void RankChecks::leave(const Call& call, bool success) noexcept
{
  struct Leaving {
    ~Leaving() { allocates_for_mpi(false); }
  } const leaving;
  const CallPlan& plan = plan_of(call.function());
  const Holder guard(lock_);
  const auto open = std::ranges::find(open_, &call, &Open::call);
  if (open == open_.end()) return;
  switch (plan.use) {
    case RequestUse::makes:
    case RequestUse::prepares:
      if (success) requests_made(call, plan, *open);
      break;
    case RequestUse::starts:
      requests_started(*open, success);
      break;
    case RequestUse::completes:
    case RequestUse::asks:
      requests_ended(*open);
      break;
    case RequestUse::frees:
      requests_freed(*open);
      break;
    case RequestUse::arrives:
      if (success) partition_arrived(*open);
      break;
    case RequestUse::readies:
    case RequestUse::none:
      break;
  }
  if (!success && std::string_view(call.function().name) == "MPI_Finalize") finalize_failed_ = true;
  if (success) remember_handles(call, *open);
  if (success && plan.is_window_call) window_call_ended(call, *open);
  if (!success && plan.is_window_call)
    if (const Window* const window = window_of(state_, call))
      state_.rank.job.checks->promises.give_up(&window->shared());
  if (success && plan.is_file_call) file_call_ended(call, *open);
  if (open->split_ended) operation_ended(open->split_ended, call);
  if (plan.is_file_call) note_opening(call, success);
  if (!success && plan.pattern != CollectivePattern::none)
    if (const Communicator* const comm = comm_of(call))
      state_.rank.job.checks->collectives.give_up(*comm, open->was_told);
  open_.erase(open);
}

void RankChecks::check_thread(const Call& call)
{
  const ThreadLevel level = state_.rank.thread_level();
  const bool is_main = pthread_equal(state_.main_thread, pthread_self()) != 0;
  if (!is_main && state_.initialized && std::string_view(call.function().name) == "MPI_Finalize") {
    report(check::Finding::Weight::error, "a thread other than the one that has initialized MPI finalizes it",
           "MPI 5.0 §11.2.2", record(call).get(), init_.get());
    return;
  }
  if (level == ThreadLevel::multiple) return;
  if (!is_main && level != ThreadLevel::serialized && state_.initialized) {
    report(check::Finding::Weight::error,
           std::string("a thread other than the one that has initialized MPI calls, but the level of thread "
                       "support is ") +
               thread_level_name(level),
           "MPI 5.0 §11.2.1", record(call).get(), init_.get());
    return;
  }
  const auto other = std::ranges::find_if(open_, [](const Open& open) {
    return pthread_equal(open.thread, pthread_self()) == 0 && !plan_of(open.call->function()).any_thread;
  });
  if (other != open_.end())
    report(check::Finding::Weight::error,
           std::string("two threads are in MPI at once, but the level of thread support is ") +
               thread_level_name(level),
           "MPI 5.0 §11.2.1", record(call).get(), record(*other->call).get());
}

Ref<const RecordedCall> RankChecks::sending(const Request& send)
{
  const Call* const call = current();
  if (!call) return {};
  const Holder guard(lock_);
  // The message that MPI_Start sends was described before.
  if (plan_of(call->function()).use == RequestUse::starts) {
    const KnownRequest* const known = find(send);
    return known ? Ref<const RecordedCall>(*known->made) : Ref<const RecordedCall>();
  }
  return Ref<const RecordedCall>(*record(*call));
}

void RankChecks::received(const Request& receive, const RecordedCall& sent)
{
  const auto& message = static_cast<const CallRecord&>(sent);
  const Call* const call = current();
  const Holder guard(lock_);
  const KnownRequest* const known = find(receive);
  const CallRecordRef own = known ? known->made : call ? record(*call) : CallRecordRef();
  if (known && known->freed) requests_.erase(&receive);
  const auto open = std::ranges::find(open_, call, &Open::call);
  if (!own || !own->room.type || !message.sent.type) {
    if (open != open_.end()) open->knows_all = false;
    return;
  }
  const Count sent_bytes = message.sent.count * message.sent.type->size();
  const Count room_bytes = own->room.count * own->room.type->size();
  if (sent_bytes > room_bytes) {
    report(check::Finding::Weight::error,
           "the message of " + std::to_string(sent_bytes) + " bytes is longer than the receive buffer of " +
               std::to_string(room_bytes),
           "MPI 5.0 §3.2.4", own.get(), &sent);
    if (open != open_.end()) open->tells = true;
  }
  if (!signatures_match(message.sent.count, *message.sent.type, own->room.count, *own->room.type))
    report(check::Finding::Weight::error, "the types of the data sent are not those of the receive",
           "MPI 5.0 §3.3.1", own.get(), &sent);
}

std::string RankChecks::told_by(const Call& call, Communicator* blamed) noexcept
{
  const Holder guard(lock_);
  const auto open = std::ranges::find(open_, &call, &Open::call);
  if (open == open_.end() || !open->knows_all) return {};
  std::string who;
  if (open->tells) {
    who = state_.rank.name();
  } else {
    Communicator* comm = blamed ? blamed : comm_of(call);
    // MPI_Finalize has none among its arguments.
    if (!comm && state_.rank.comm) comm = state_.rank.comm->world.get();
    // Operations that a call on requests completes may have been followed by others.
    if (comm) who = state_.rank.job.checks->collectives.told_by(*comm, blamed == nullptr);
  }
  open->was_told = !who.empty();
  return who;
}

// Handles that the call may end: their values are gone afterwards.
void RankChecks::note_handles(const Call& call, Open& open)
{
  const auto parameters = call.function().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!is_handle(parameters[i]) || !parameters[i].input_too) continue;
    const auto* const place = reinterpret_cast<const std::uintptr_t*>(call.word_of(static_cast<int>(i)));
    if (place) open.handles.emplace_back(place, *place);
  }
  const int keyval = plan_of(call.function()).freed_keyval;
  if (keyval < 0) return;
  if (const auto* const place = reinterpret_cast<const int*>(call.word_of(keyval))) open.keyval = *place;
}

// Of a handle that was freed: it was given more often (§2.5.1).
bool RankChecks::is_still_given(std::uintptr_t handle) const
{
  return state_.groups.look_up(state_.groups.make(handle)) ||
         state_.errhandlers.look_up(state_.errhandlers.make(handle));
}

void RankChecks::remember_handles(const Call& call, const Open& open)
{
  for (const auto& [place, value] : open.handles)
    if (*place != value && !is_still_given(value)) made_.erase(value);
  const auto parameters = call.function().parameters;
  CallRecordRef made;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!is_handle(parameters[i]) || parameters[i].input_too) continue;
    const auto* const place = reinterpret_cast<const std::uintptr_t*>(call.word_of(static_cast<int>(i)));
    if (!place || *place < first_dynamic_handle) continue;
    if (!made) made = record(call);
    made_[*place] = made;
  }
  const CallPlan& plan = plan_of(call.function());
  if (plan.made_keyval >= 0)
    keyvals_[*reinterpret_cast<const int*>(call.word_of(plan.made_keyval))] = record(call);
  if (plan.freed_keyval >= 0) keyvals_.erase(open.keyval);
  if (std::string_view(call.function().name).starts_with("MPI_Init") && state_.initialized && !init_)
    init_ = record(call);
}

}  // namespace ranklet::api
