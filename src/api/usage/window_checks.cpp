// What the usage checks learn of one-sided calls (check/accesses.hpp).
#include "api/usage/rank_checks.hpp"

namespace ranklet::api {

namespace {

Word word(const Call& call, const char* name)
{
  return call.word_of(find_parameter(call.function(), name));
}

Window* window_of(RankState& state, const Call& call)
{
  const int win = find_parameter(call.function(), "win");
  if (win < 0) return nullptr;
  auto handle = static_cast<std::uintptr_t>(call.word_of(win));
  if (call.function().parameters[static_cast<std::size_t>(win)].pointer)
    handle = handle ? *reinterpret_cast<const std::uintptr_t*>(handle) : 0;
  Window** const window = state.wins.look_up(state.wins.make(handle));
  return window ? *window : nullptr;
}

check::Origin origin_of(const Window& window)
{
  return {&window.shared(), window.size(), window.rank()};
}

// In which kind of epoch the rank stands to the target.
rma::Access epoch_of(const Window& window, int target)
{
  return window.epoch() == Window::Epoch::lock_all ? rma::Access::shared : window.path(target).access();
}

}  // namespace

// Before the call: what an unlocked target does to others must not be found again among what is open.
void RankChecks::window_call_starts(const Call& call, Open& open)
{
  const std::string_view name = call.function().name;
  Window* const window = window_of(state_, call);
  if (!window) return;
  check::Accesses& accesses = state_.rank.job.checks->accesses;
  const check::Origin own = origin_of(*window);
  const bool local = name.starts_with("MPI_Win_flush_local");
  if (local || name.starts_with("MPI_Win_unlock") || name.starts_with("MPI_Win_flush")) {
    const Word target = name.ends_with("_all") ? -1 : word(call, "rank");
    if (target < 0 && !name.ends_with("_all")) return;
    if (local)
      accesses.flushed_locally(own, static_cast<int>(target));
    else
      accesses.flushed(own, static_cast<int>(target));
  } else if (name == "MPI_Win_complete")
    accesses.completed(own);
  else if (name == "MPI_Win_free")
    open.freed_window = &window->shared();
}

void RankChecks::window_call_ended(const Call& call, const Open& open)
{
  // All members are in MPI_Win_free before one has left it.
  if (open.freed_window) state_.rank.job.checks->accesses.forget(open.freed_window);
  const std::string_view name = call.function().name;
  Window* const window = window_of(state_, call);
  if (!window) return;
  check::Accesses& accesses = state_.rank.job.checks->accesses;
  if (name == "MPI_Win_fence")
    accesses.fenced(origin_of(*window));
  else if (name == "MPI_Win_wait" ||
           (name == "MPI_Win_test" && *reinterpret_cast<const int*>(word(call, "flag"))))
    accesses.waited(origin_of(*window));
  else if (find_parameter(call.function(), "target_disp") >= 0)
    check_access(call, *window);
}

void RankChecks::check_access(const Call& call, const Window& window)
{
  const std::string_view name = call.function().name;
  const int target = static_cast<int>(word(call, "target_rank"));
  if (target < 0 || target >= window.size()) return;
  const bool single = find_parameter(call.function(), "target_count") < 0;
  const Count count = single ? 1 : word(call, "target_count");
  const auto type = static_cast<std::uintptr_t>(word(call, single ? "datatype" : "target_datatype"));
  const Ref<Datatype>* const found = state_.types.look_up(state_.types.make(type));
  if (!found) return;
  check::RemoteAccess access;
  if (name.ends_with("ut"))
    access.kind = check::AccessKind::put;
  else if (name.ends_with("et"))
    access.kind = check::AccessKind::get;
  else
    access.kind = check::AccessKind::accumulate;
  if (const int op = find_parameter(call.function(), "op"); op >= 0) {
    const Ref<Op>* const used =
        state_.ops.look_up(state_.ops.make(static_cast<std::uintptr_t>(call.word_of(op))));
    if (used) access.op = static_cast<int>((*used)->kind());
  }
  const Count disp = word(call, "target_disp");
  const rma::Target& there = window.target(target);
  const auto base = reinterpret_cast<std::uintptr_t>(there.base);
  const std::uintptr_t address = window.shared().flavor == rma::Flavor::dynamic
                                     ? static_cast<std::uintptr_t>(disp)
                                     : base + static_cast<std::uintptr_t>(disp * there.disp_unit);
  const CallRecordRef own = record(call);
  access.where = {reinterpret_cast<const void*>(address), count, Ref<const Datatype>(**found), true,
                  Ref<const RecordedCall>(*own)};
  // What fetches by a request is complete when that is waited for, which need not be followed then.
  const bool fetches = name.starts_with("MPI_Rget");
  for (check::Conflict& conflict : state_.rank.job.checks->accesses.add(
           origin_of(window), target, epoch_of(window, target), std::move(access), !fetches))
    report(check::Finding::Weight::error, std::move(conflict.what), conflict.rule, own.get(),
           conflict.other.get());
}

}  // namespace ranklet::api
