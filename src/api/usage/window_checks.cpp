// What the usage checks learn of one-sided calls: of their targets' data (check/accesses.hpp), and of the
// origin's buffers. Until an operation is complete at its origin, what it reads may not be changed, and what
// it writes not be used (MPI 5.0 §12.3).
#include <algorithm>

#include "api/usage/arguments.hpp"
#include "api/usage/rank_checks.hpp"

namespace ranklet::api {

namespace {

// Of a one-sided operation: without its target's data.
check::RemoteAccess kind_of(RankState& state, const Call& call)
{
  const std::string_view name = call.function().name;
  check::RemoteAccess access;
  if (name.ends_with("ut"))
    access.kind = check::AccessKind::put;
  else if (name.ends_with("et"))
    access.kind = check::AccessKind::get;
  else
    access.kind = check::AccessKind::accumulate;
  if (const int op = find_parameter(call.function(), "op"); op >= 0) {
    const Ref<Op>* const used =
        state.ops.look_up(state.ops.make(static_cast<std::uintptr_t>(call.word_of(op))));
    if (used) access.op = static_cast<int>((*used)->kind());
  }
  return access;
}

// Buffers beyond so many that no call gives back are forgotten.
constexpr std::size_t most_origins = 8192;

}  // namespace

check::Origin RankChecks::origin_of(const Window& window)
{
  return {&window.shared(), window.size(), window.rank(), window.self().number};
}

check::Moment RankChecks::now() const
{
  check::Clocks& clocks = state_.rank.job.checks->clocks;
  return clocks.are_running() ? clocks.now(state_.rank.number) : check::Moment();
}

void RankChecks::origin_buffers_used(const Call& call, const Window& window, Open& open, bool by_request)
{
  const Word target = word(call, "target_rank");
  if (target < 0 || target >= window.size() || open.uses.empty()) return;
  if (origins_.size() >= most_origins) {
    for (const auto& [address, use] : origins_) pending_.remove(use.made.get(), address);
    origins_.clear();
  }
  const int rank = static_cast<int>(target);
  for (check::BufferUse& use : open.uses) {
    const OriginUse own{&window.shared(), rank,           epoch_of(window, rank),
                        use.count,        use.type.get(), use.written,
                        by_request,       open.record};
    auto [known, last] = origins_.equal_range(use.address);
    while (known != last && !known->second.is_like(own)) ++known;
    if (known == last) {
      origins_.emplace(use.address, own);
    } else if (use.written) {
      continue;  // that it is used twice was said before
    } else {
      operation_ended(known->second.made.get(), call, use.address);
      known->second.made = open.record;
    }
    pending_.add(open.record.get(), std::move(use));
  }
}

RankChecks::OneSided RankChecks::one_sided(const Call& call, const Window& window, const Open& open) const
{
  OneSided made{origin_of(window), static_cast<int>(word(call, "target_rank")), {}};
  for (const check::BufferUse& use : open.uses) made.buffers.push_back(use.address);
  return made;
}

// The operation is complete at its origin: its request is.
void RankChecks::one_sided_ended(const KnownRequest& known)
{
  if (!known.one_sided) return;
  const auto& [origin, target, buffers] = *known.one_sided;
  for (const void* const address : buffers) {
    const auto [first, last] = origins_.equal_range(address);
    const auto use =
        std::find_if(first, last, [&](const auto& entry) { return entry.second.made == known.made; });
    if (use != last) origins_.erase(use);
  }
  state_.rank.job.checks->accesses.request_ended(origin, target, *known.made);
}

template <class F>
void RankChecks::origin_buffers_free(const Call& call, F&& ends)
{
  for (const auto& [address, use] : origins_)
    if (ends(use)) operation_ended(use.made.get(), call, address);
  std::erase_if(origins_, [&](const auto& entry) { return ends(entry.second); });
}

// Before the call: what an unlocked target does to others must not be found again among what is open.
void RankChecks::window_call_starts(const Call& call, Open& open)
{
  const std::string_view name = call.function().name;
  Window* const window = window_of(state_, call);
  if (!window) return;
  if (find_parameter(call.function(), "target_disp") >= 0) {
    open.record = record(call);
    open.uses = origin_uses(state_, call, open.record);
    check_buffers(open.uses, *open.record);
    access_starts(call, *window);
    return;
  }
  open.called = now();
  promise_starts(call, *window);
  const rma::WindowShared* const shared = &window->shared();
  check::Accesses& accesses = state_.rank.job.checks->accesses;
  const check::Origin own = origin_of(*window);
  const bool local = name.starts_with("MPI_Win_flush_local");
  if (local || name.starts_with("MPI_Win_unlock") || name.starts_with("MPI_Win_flush")) {
    const Word target = name.ends_with("_all") ? -1 : word(call, "rank");
    if (target < 0 && !name.ends_with("_all")) return;
    origin_buffers_free(call, [&](const OriginUse& use) {
      const bool passive = use.epoch == rma::Access::shared || use.epoch == rma::Access::exclusive;
      return use.window == shared && passive && (target < 0 || use.target == target);
    });
    if (local)
      accesses.flushed_locally(own, static_cast<int>(target));
    else
      accesses.flushed(own, static_cast<int>(target));
  } else if (name == "MPI_Win_complete" || name == "MPI_Win_fence") {
    const rma::Access epoch = name == "MPI_Win_fence" ? rma::Access::fenced : rma::Access::started;
    origin_buffers_free(call,
                        [&](const OriginUse& use) { return use.window == shared && use.epoch == epoch; });
    if (epoch == rma::Access::started) accesses.completed(own);
  } else if (name == "MPI_Win_free") {
    origin_buffers_free(call, [&](const OriginUse& use) { return use.window == shared; });
    open.freed_window = shared;
    if (shared->flavor == rma::Flavor::create) check_memory_of(call, *window);
  }
}

void RankChecks::window_call_ended(const Call& call, Open& open)
{
  // All members are in MPI_Win_free before one has left it.
  if (open.freed_window) {
    state_.rank.job.checks->accesses.forget(open.freed_window);
    state_.rank.job.checks->promises.forget(open.freed_window);
  }
  const std::string_view name = call.function().name;
  Window* const window = window_of(state_, call);
  if (!window) return;
  promise_ended(call, *window);
  check::Accesses& accesses = state_.rank.job.checks->accesses;
  if (name == "MPI_Win_fence")
    accesses.fenced(origin_of(*window));
  else if (name == "MPI_Win_wait" ||
           (name == "MPI_Win_test" && *reinterpret_cast<const int*>(word(call, "flag"))))
    accesses.waited(origin_of(*window), open.called);
  else if (find_parameter(call.function(), "target_disp") >= 0) {
    const bool by_request = plan_of(call.function()).use == RequestUse::makes;
    origin_buffers_used(call, *window, open, by_request);
    check_access(call, *window, open.record, by_request);
    access_ended(call, *window);
  }
}

// Before and after the operation: who reads the target's part meanwhile knows that it may change.
void RankChecks::target_changes(const Call& call, const Window& window)
{
  const Word target = word(call, "target_rank");
  if (target < 0 || target >= window.size() || check::only_reads(kind_of(state_, call))) return;
  const int rank = static_cast<int>(target);
  // The first operation to a target makes the epoch that a fence has opened.
  const rma::Access epoch = epoch_of(window, rank);
  state_.rank.job.checks->promises.updates(origin_of(window), rank, window.comm().peer(rank).number,
                                           epoch == rma::Access::none ? rma::Access::fenced : epoch);
}

// In the unified model the program of the target may poll its part of the window by loads (MPI 5.0 §12.7),
// and by these learn what the origin has done before.
void RankChecks::access_starts(const Call& call, const Window& window)
{
  target_changes(call, window);
  check::Clocks& clocks = state_.rank.job.checks->clocks;
  const Word target = word(call, "target_rank");
  if (!clocks.are_running() || target < 0 || target >= window.size()) return;
  if (!check::only_reads(kind_of(state_, call)))
    clocks.order(state_.rank.number, window.comm().peer(static_cast<int>(target)).number);
}

// And the origin may read what the target's program has stored there, or what another origin has written.
void RankChecks::access_ended(const Call& call, const Window& window)
{
  target_changes(call, window);
  check::Clocks& clocks = state_.rank.job.checks->clocks;
  const Word target = word(call, "target_rank");
  if (!clocks.are_running() || target < 0 || target >= window.size()) return;
  const bool fetches = find_parameter(call.function(), "result_addr") >= 0;
  if (fetches || kind_of(state_, call).kind == check::AccessKind::get)
    clocks.order(window.comm().peer(static_cast<int>(target)).number, state_.rank.number);
}

void RankChecks::check_access(const Call& call, const Window& window, const CallRecordRef& own,
                              bool by_request)
{
  const int target = static_cast<int>(word(call, "target_rank"));
  if (target < 0 || target >= window.size()) return;
  std::optional<check::BufferUse> where = target_use(state_, call, window, own);
  if (!where) return;
  check::RemoteAccess access = kind_of(state_, call);
  access.where = std::move(*where);
  if (!check::only_reads(access))
    report_broken(state_.rank.job.checks->promises.updated(
                      origin_of(window), target, epoch_of(window, target), Ref<const RecordedCall>(*own)),
                  own);
  for (check::Conflict& conflict : state_.rank.job.checks->accesses.add(
           origin_of(window), target, epoch_of(window, target), std::move(access), by_request))
    report(check::Finding::Weight::error, std::move(conflict.what), conflict.rule, own.get(),
           conflict.other.get());
}

}  // namespace ranklet::api
