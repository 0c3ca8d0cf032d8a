// A look of the deadlock watch: which ranks can be woken by nobody who is awake.
#include <algorithm>
#include <limits>

#include "ranks/deadlock.hpp"
#include "ranks/job.hpp"

namespace ranklet {

void DeadlockWatch::begin_look()
{
  ++look_;
  stuck_.clear();
}

// A rank that has finalized MPI may start it again by a session, also after MPI_Finalize (MPI 5.0 §11.3).
bool DeadlockWatch::has_ended(int number) const
{
  const Rank* const rank = rank_of(number);
  return rank == nullptr || rank->job.phase(rank->world_rank) == Phase::left;
}

bool DeadlockWatch::all_lie(int number) const
{
  if (waits_.empty()) return false;
  const int lying = waits_[static_cast<std::size_t>(number)].lying;
  if (lying == 0) return false;
  const int others = elsewhere(number);
  if (others <= 0) return true;
  // Those who sleep may be workers that wait for work: only others of the rank give it to them.
  const Rank& rank = *rank_of(number);
  const auto& sleeping_threads = rank.job.options().sleeping_threads;
  return sleeping_threads ? sleeping_threads(rank.world_rank) >= others : process_sleeps(rank);
}

bool DeadlockWatch::process_sleeps(const Rank& rank) const
{
  const auto& others_sleep = rank.job.options().others_sleep;
  if (!others_sleep) return false;
  if (asked_look_ == look_) return process_slept_;
  asked_look_ = look_;
  process_slept_ = false;
  std::vector<pid_t> lying;
  for (const Sleeper* const sleeper : sleepers_) {
    if (!sleeper->lies_) continue;  // it tries: no thread that sleeps
    // What it does next may wake any of the others.
    if (sleeper->ready_(sleeper->closure_) || sleeper->rank_.outside_events.value() != 0) return false;
    lying.push_back(sleeper->kernels_thread_);
  }
  process_slept_ = others_sleep(lying);
  return process_slept_;
}

int DeadlockWatch::elsewhere(int number) const
{
  // Below MPI_THREAD_MULTIPLE only one thread at a time may be in MPI, and it waits.
  const Rank& rank = *rank_of(number);
  if (!rank.concurrent()) return 0;
  const auto& live_threads = rank.job.options().live_threads;
  if (!live_threads) return std::numeric_limits<int>::max();
  return live_threads(rank.world_rank) - waits_[static_cast<std::size_t>(number)].lying;
}

bool DeadlockWatch::is_still(int number) const
{
  if (has_ended(number)) return true;
  if (!all_lie(number)) return false;
  const Rank& rank = *rank_of(number);
  // A rank that helps need be none of the wait's partners. When it has let go, ready() sees what it has done.
  if (rank.matching && rank.matching->is_held()) return false;
  // An arbiter may know a way on.
  return rank.outside_events.value() == 0 || is_hasty();
}

// Whether the rank moves by itself, or what it waits for has come.
bool DeadlockWatch::is_awake(int number) const
{
  if (!is_still(number)) return true;
  for (const Sleeper* at = waits_[static_cast<std::size_t>(number)].first; at; at = at->next_)
    if (at->lies_ && at->ready_(at->closure_)) return true;
  return false;
}

// A step of the walk: true if it has come to somebody who is awake.
bool DeadlockWatch::visit(int number)
{
  Waits& waits = waits_[static_cast<std::size_t>(number)];
  if (waits.visited == walk_) return false;
  waits.visited = walk_;
  ++steps_;
  if (is_stuck(number)) return false;
  if (is_awake(number)) return true;
  visited_.push_back(number);
  return false;
}

// Begins with whoever was awake last: where all wait for one, everybody finds it at once.
bool DeadlockWatch::visit_set(const std::vector<Rank*>& members)
{
  const auto place = std::ranges::lower_bound(visited_sets_, &members);
  if (place != visited_sets_.end() && *place == &members) return false;
  visited_sets_.insert(place, &members);
  const std::size_t size = members.size();
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t at = (cursor_ + i) % size;
    if (!visit(members[at]->number)) continue;
    cursor_ = at;
    return true;
  }
  return false;
}

// Whether somebody who is awake may end the rank's wait, perhaps by way of others. If not, visited_ are those
// who wait for each other.
bool DeadlockWatch::may_be_woken(int number)
{
  ++walk_;
  visited_.clear();
  visited_sets_.clear();
  if (visit(number)) return true;
  for (std::size_t next = 0; next < visited_.size(); ++next) {
    for (const Sleeper* at = waits_[static_cast<std::size_t>(visited_[next])].first; at; at = at->next_) {
      const WaitPartners& partners = at->partners_;
      for (const int rank : partners.ranks)
        if (visit(rank)) return true;
      for (const auto& set : partners.sets)
        if (visit_set(*set)) return true;
      if (!partners.anybody) continue;
      for (int i = 0; i < size(); ++i)
        if (visit(static_cast<int>((cursor_ + static_cast<std::size_t>(i)) % waits_.size()))) return true;
    }
  }
  return false;
}

// Marks the ranks that nobody may wake, by a walk from this rank in the present look.
void DeadlockWatch::mark_stuck_from(int number)
{
  if (is_stuck(number) || may_be_woken(number)) return;
  for (const int rank : visited_) waits_[static_cast<std::size_t>(rank)].stuck = look_;
  stuck_.insert(stuck_.end(), visited_.begin(), visited_.end());
}

void DeadlockWatch::mark_stuck()
{
  begin_look();
  for (int i = 0; i < size(); ++i) mark_stuck_from(i);
}

bool DeadlockWatch::all_stuck() const
{
  return stuck_.size() == waits_.size();
}

}  // namespace ranklet
