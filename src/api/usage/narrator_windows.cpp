// What the narrator tells of one-sided communication (MPI 5.0 §12): the rows of docs/memory-model.md.
#include "api/usage/arguments.hpp"
#include "api/usage/narrator.hpp"

namespace ranklet::api {

namespace {

check::WindowOrders& orders_of(const Window& window)
{
  return check::orders_of(window.shared(), window.size());
}

}  // namespace

void Narrator::complete_at_target(Window& window, int target)
{
  const auto path = paths_.find({&window.shared(), target});
  if (path == paths_.end()) return;
  tell_to(orders_of(window).pair(window.rank(), target).done_at_target);
  forget(path);
}

void Narrator::complete_at_origin(Window& window, int target)
{
  if (paths_.contains({&window.shared(), target}))
    tell_to(orders_of(window).pair(window.rank(), target).done_at_origin);
}

void Narrator::forget(Paths::iterator path)
{
  for (OperationFiber* const fiber : path->second.fibers) give_back(*fiber);
  paths_.erase(path);
}

template <class F>
void Narrator::for_each_path(const Window& window, F&& f)
{
  std::vector<int> targets;
  for (auto path = paths_.lower_bound({&window.shared(), 0});
       path != paths_.end() && path->first.first == &window.shared(); ++path)
    targets.push_back(path->first.second);
  for (const int target : targets) f(target);
}

void Narrator::complete_all(Window& window)
{
  for_each_path(window, [&](int target) RANKLET_REQUIRES(lock_) { complete_at_target(window, target); });
}

void Narrator::take_lock(Window& window, int target, bool exclusive) const
{
  const check::WindowOrders::TargetTokens& there = orders_of(window).target(target);
  tell_to(there.exclusive);
  if (exclusive) tell_to(there.shared);
}

// Before others may go on because of it.
void Narrator::window_call_starts(const Call& call, Window& window, Open& open)
{
  check::WindowOrders& orders = orders_of(window);
  switch (story_of(call.function()).story) {
    case Story::operation:
      if (detector_->sees_accesses) operation_starts(call, window, open);
      break;
    case Story::fence:
      complete_all(window);
      if (word(call, "assert") & MPI_MODE_NOPRECEDE)
        tell_from(orders.target(window.rank()).unwaited_fence);
      else
        join(call, window.comm(), open.part);
      break;
    case Story::free_window:
      complete_all(window);
      join(call, window.comm(), open.part);
      break;
    case Story::post: {
      const auto handle = static_cast<std::uintptr_t>(word(call, "group"));
      const GroupPtr* const group = state_.groups.look_up(state_.groups.make(handle));
      if (!group) break;
      for (const Rank* const member : (*group)->members())
        if (const int origin = window.comm().group()->rank_of(*member); origin != undefined)
          tell_from(orders.pair(origin, window.rank()).posted);
      break;
    }
    case Story::complete:
      if (!window.started.are_open()) break;
      for (const int target : window.started.ranks()) {
        complete_at_origin(window, target);
        if (const auto path = paths_.find({&window.shared(), target}); path != paths_.end()) forget(path);
        tell_from(orders.pair(window.rank(), target).completed);
      }
      break;
    case Story::unlock: {
      const Word target = word(call, "rank");
      if (target < 0 || target >= window.size()) break;
      const Window::Path& path = window.path(static_cast<int>(target));
      complete_at_target(window, static_cast<int>(target));
      if (!path.holds) break;
      const check::WindowOrders::TargetTokens& there = orders.target(static_cast<int>(target));
      tell_from(path.access() == rma::Access::exclusive ? there.exclusive : there.shared);
      break;
    }
    case Story::unlock_all:
      complete_all(window);
      for (int i = 0; window.locked_all && i < window.size(); ++i) tell_from(orders.target(i).shared);
      break;
    default:
      break;
  }
  if (open.part && story_of(call.function()).story != Story::collective) begin_part(*open.part);
}

void Narrator::window_call_ended(const Call& call, Window& window, Open& open)
{
  // MPI_PROC_NULL has nothing.
  const int rank = find_parameter(call.function(), "rank");
  const int target = rank < 0 ? proc_null : static_cast<int>(call.word_of(rank));
  switch (story_of(call.function()).story) {
    case Story::operation: {
      const auto there = static_cast<int>(word(call, "target_rank"));
      if (there < 0 || there >= window.size()) break;
      // It reaches its target after the target's fence only.
      if (epoch_of(window, there) == rma::Access::fenced)
        tell_to(orders_of(window).target(there).unwaited_fence);
      if (detector_->sees_accesses) tell_operation(call, window, open);
      break;
    }
    case Story::collective:
      if (window.shared().flavor == rma::Flavor::shared) detector_->shares_memory(state_.rank);
      break;
    case Story::shared_query:
      // The caller may pass on what it was told.
      for (int i = 0; i < window.size(); ++i) detector_->shares_memory(window.comm().peer(i));
      break;
    case Story::start:
      if (word(call, "assert") & MPI_MODE_NOCHECK) break;
      for (const int exposer : window.started.ranks())
        tell_to(orders_of(window).pair(window.rank(), exposer).posted);
      break;
    case Story::wait: {
      const int flag = find_parameter(call.function(), "flag");
      if (flag >= 0 && !*reinterpret_cast<const int*>(call.word_of(flag))) break;
      for (const int origin : window.posted.ranks()) {
        const check::WindowOrders::Pair& pair = orders_of(window).pair(origin, window.rank());
        tell_to(pair.completed);
        tell_to(pair.done_at_target);
      }
      break;
    }
    case Story::lock:
      if (target >= 0 && !(word(call, "assert") & MPI_MODE_NOCHECK))
        take_lock(window, target, word(call, "lock_type") == MPI_LOCK_EXCLUSIVE);
      break;
    case Story::lock_all:
      for (int i = 0; window.locked_all && i < window.size(); ++i) take_lock(window, i, false);
      break;
    case Story::flush:
      if (rank < 0)
        complete_all(window);
      else
        complete_at_target(window, target);
      break;
    case Story::flush_local:
      if (rank < 0)
        for_each_path(window, [&](int each) RANKLET_REQUIRES(lock_) { complete_at_origin(window, each); });
      else
        complete_at_origin(window, target);
      break;
    default:
      break;
  }
}

}  // namespace ranklet::api
