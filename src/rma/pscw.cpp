// General active target synchronisation (MPI 5.0 §12.5.2). Each member counts, for every other one, what it
// has announced to it and what it has seen announced by it; the n-th start matches the n-th post.
#include <algorithm>

#include "rma/assertion.hpp"
#include "rma/synchronize.hpp"

namespace ranklet::rma {

namespace {

memmodel::Sequence<>& post_to(Window& window, int origin)
{
  return window.target(origin).posts.from(window.rank(), window.size());
}
memmodel::Sequence<>& completion_to(Window& window, int target)
{
  return window.target(target).completions.from(window.rank(), window.size());
}
const memmodel::Sequence<>& post_from(Window& window, int target)
{
  return window.own().posts.from(target, window.size());
}
const memmodel::Sequence<>& completion_from(Window& window, int origin)
{
  return window.own().completions.from(origin, window.size());
}

void make_counts(Window& window)
{
  if (!window.posts_sent.empty()) return;
  for (auto* counts : {&window.posts_sent, &window.posts_seen, &window.completions_sent})
    counts->resize(static_cast<std::size_t>(window.size()));
}

std::uint64_t& count_of(std::vector<std::uint64_t>& counts, int rank)
{
  return counts[static_cast<std::size_t>(rank)];
}

}  // namespace

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
  make_counts(window);
  for (const int origin : window.posted.ranks()) {
    // Release: all that this member has done comes before what the origin does after its start.
    post_to(window, origin).publish(++count_of(window.posts_sent, origin));
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
  make_counts(window);
  for (const int target : window.started.ranks()) {
    const std::uint64_t wanted = ++count_of(window.posts_seen, target);
    if (!(assertion & nocheck)) {
      // Acquire: pairs with the release in post().
      const memmodel::Sequence<>& posted = post_from(window, target);
      wait_until(window.self(), window.self().parking, [&] { return posted.value() >= wanted; });
    }
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
    // Release: the operations of this epoch, and all before, come before what the target does after its wait.
    completion_to(window, target).publish(++count_of(window.completions_sent, target));
    window.comm().peer(target).parking.notify();
  }
  window.started.close();
}

namespace {

// Whether every origin of the exposure has completed as many epochs as it was exposed to.
bool all_completed(Window& window)
{
  return std::ranges::all_of(window.posted.ranks(), [&](int origin) {
    // Acquire: pairs with the release in complete(). Each completion of an origin answers a post to it.
    return completion_from(window, origin).value() >= count_of(window.posts_sent, origin);
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
