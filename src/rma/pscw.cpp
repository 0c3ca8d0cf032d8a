// General active target synchronisation (MPI 5.0 §12.5.2): epochs of pairs (members/announcements.hpp).
#include <algorithm>

#include "rma/assertion.hpp"
#include "rma/synchronize.hpp"

namespace ranklet::rma {

void Partners::choose(const GroupPtr& group, const Group& window_group)
{
  if (group == group_) return;
  std::vector<int> ranks;
  for (const Rank* member : group->members()) {
    ranks.push_back(window_group.rank_of(*member));
    if (ranks.back() == undefined)
      fail(ErrorClass::group, "rank %d of MPI_COMM_WORLD is not in the window's group", member->world_rank);
  }
  group_ = group;
  ranks_.swap(ranks);
}

void post(Window& window, const GroupPtr& origins, int assertion)
{
  check_assertion(assertion, nocheck | nostore | noput);
  if (window.posted.are_open())
    fail(ErrorClass::rma_sync, "MPI_Win_post before MPI_Win_wait has ended the last exposure");
  if (window.epoch() == Window::Epoch::fence && window.fence_used)
    fail(ErrorClass::rma_sync,
         "MPI_Win_post before MPI_Win_fence has ended the epoch of the last operations");
  window.posted.choose(origins, *window.comm().group());
  window.epoch_counts.prepare(window.size());
  for (const int origin : window.posted.ranks()) {
    window.epoch_counts.post(window.target(origin).epochs, window.rank(), origin);
    window.comm().peer(origin).parking.notify();
  }
  window.posted.open();
}

void start(Window& window, const GroupPtr& targets, int assertion)
{
  check_assertion(assertion, nocheck);
  window.check_no_access("MPI_Win_start");
  if (window.holds_any_lock()) fail(ErrorClass::rma_sync, "MPI_Win_start while a lock is held");
  window.started.choose(targets, *window.comm().group());
  window.epoch_counts.prepare(window.size());
  for (const int target : window.started.ranks()) {
    const std::uint64_t awaited = window.epoch_counts.start(target);
    if (!(assertion & nocheck))
      wait_until(window.self(), window.self().parking,
                 [&] { return window.epoch_counts.has_posted(window.own().epochs, target, awaited); });
    window.know(target).set_access(Access::started);
    window.path(target).open.set();
  }
  window.set_epoch(Window::Epoch::none);
  window.started.open();
}

void complete(Window& window)
{
  if (!window.started.are_open()) fail(ErrorClass::rma_sync, "MPI_Win_complete without MPI_Win_start");
  for (const int target : window.started.ranks()) {
    window.path(target).open.reset();
    window.path(target).set_access(Access::none);
    window.epoch_counts.complete(window.target(target).epochs, window.rank(), target);
    window.comm().peer(target).parking.notify();
  }
  window.started.close();
}

namespace {

// Whether every origin of the exposure has completed as many epochs as it was exposed to.
bool all_completed(Window& window)
{
  return std::ranges::all_of(window.posted.ranks(), [&](int origin) {
    return window.epoch_counts.has_completed(window.own().epochs, origin);
  });
}

}  // namespace

void wait(Window& window)
{
  if (!window.posted.are_open()) fail(ErrorClass::rma_sync, "MPI_Win_wait without MPI_Win_post");
  wait_until(window.self(), window.self().parking, [&] { return all_completed(window); });
  window.posted.close();
}

bool test(Window& window)
{
  if (!window.posted.are_open()) fail(ErrorClass::rma_sync, "MPI_Win_test without MPI_Win_post");
  if (!all_completed(window)) return false;
  window.posted.close();
  return true;
}

}  // namespace ranklet::rma
