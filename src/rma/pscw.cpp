// General active target synchronisation (MPI 5.0 §12.5.2): epochs of pairs (members/announcements.hpp).
#include "rma/active_target.hpp"
#include "rma/assertion.hpp"
#include "rma/synchronize.hpp"

namespace ranklet::rma {

bool Partners::choose(const GroupPtr& group, const Group& window_group)
{
  if (is_chosen(group)) return false;
  std::vector<int> ranks;
  for (const Rank* member : group->members()) {
    ranks.push_back(window_group.rank_of(*member));
    if (ranks.back() == undefined)
      fail(ErrorClass::group, "rank %d of MPI_COMM_WORLD is not in the window's group", member->world_rank);
  }
  group_ = group;
  ranks_.swap(ranks);
  return true;
}

void post(Window& window, const GroupPtr& origins, int assertion)
{
  check_assertion(assertion, nocheck | nostore | noput);
  if (window.posted.are_open())
    fail(ErrorClass::rma_sync, "MPI_Win_post before MPI_Win_wait has ended the last exposure");
  if (window.epoch() == Window::Epoch::fence && window.fence_used)
    fail(ErrorClass::rma_sync,
         "MPI_Win_post before MPI_Win_fence has ended the epoch of the last operations");
  if (window.posted.choose(origins, *window.comm().group()))
    for (const int origin : window.posted.ranks()) window.epoch_counts.meet(origin);
  let_in(window);
}

void start(Window& window, const GroupPtr& targets, int assertion)
{
  check_assertion(assertion, nocheck);
  window.check_no_access("MPI_Win_start");
  if (window.holds_any_lock()) fail(ErrorClass::rma_sync, "MPI_Win_start while a lock is held");
  if (window.started.choose(targets, *window.comm().group()))
    for (const int target : window.started.ranks()) window.epoch_counts.meet(target);
  for (const int target : window.started.ranks()) {
    const std::uint64_t awaited = window.epoch_counts.start(target);
    if (!(assertion & nocheck))
      wait_until(window.self(), window.self().parking,
                 [&] { return window.epoch_counts.has_posted(target, awaited); });
    open_started(window, target);
  }
  window.set_epoch(Window::Epoch::none);
  window.started.open();
}

void complete(Window& window)
{
  if (!window.started.are_open()) fail(ErrorClass::rma_sync, "MPI_Win_complete without MPI_Win_start");
  complete_started(window);
}

void wait(Window& window)
{
  if (!window.posted.are_open()) fail(ErrorClass::rma_sync, "MPI_Win_wait without MPI_Win_post");
  wait_until(window.self(), window.self().parking, [&] { return all_have_completed(window); });
  window.posted.close();
}

bool test(Window& window)
{
  if (!window.posted.are_open()) fail(ErrorClass::rma_sync, "MPI_Win_test without MPI_Win_post");
  if (!all_have_completed(window)) return false;
  window.posted.close();
  return true;
}

}  // namespace ranklet::rma
