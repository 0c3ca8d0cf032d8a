#include "ranks/deadlock.hpp"

#include <algorithm>
#include <mutex>

#include "base/error.hpp"
#include "ranks/job.hpp"

namespace ranklet {

namespace {

constexpr int vain_attempts = 2;  // of everybody, until a suspicion is a fact
constexpr int long_sleep = 200;   // milliseconds
constexpr int short_sleep = 2;

}  // namespace

DeadlockWatch::Sleeper::Sleeper(DeadlockWatch& watch, Rank& rank, memmodel::Parking<>& spot, Ready ready,
                                const void* closure)
    : watch_(watch), rank_(rank), spot_(spot), ready_(ready), closure_(closure), call_(current_call())
{
  const std::lock_guard guard(watch_.lock_);
  watch_.sleepers_.push_back(this);
}

DeadlockWatch::Sleeper::~Sleeper()
{
  const std::lock_guard guard(watch_.lock_);
  std::erase(watch_.sleepers_, this);
  if (std::ranges::any_of(watch_.suspects_, [&](const auto& suspect) { return suspect.first == this; }))
    watch_.suspects_.clear();
}

int DeadlockWatch::Sleeper::lie_down()
{
  std::string text;
  int sleep;
  bool waits_outside = false;
  // Fewer than before, as parts of what it waits for are done.
  std::vector<bool> partners;
  if (call_ && watch_.job_.options().partners) partners = watch_.job_.options().partners(rank_, *call_);
  {
    const std::lock_guard guard(watch_.lock_);
    partners_.swap(partners);
    lies_ = true;
    ++attempts_;
    const bool suspected = !watch_.suspects_.empty();
    if (watch_.is_dead()) {
      Arbiter* const arbiter = watch_.job_.options().arbiter.get();
      using enum Arbiter::Resolution;
      // Others let nothing wait for the moment when nothing moves, and have no say.
      const bool asks = watch_.is_hasty();
      const auto resolution = asks ? arbiter->resolve(watch_.is_moved_from_outside()) : dead;
      if (resolution == dead)
        text = (asks ? arbiter->headline() : std::string()) + watch_.report();
      else
        watch_.suspects_.clear();
      waits_outside = resolution == waits;
    }
    sleep = watch_.suspects_.empty() ? long_sleep : short_sleep;
    if (waits_outside) {
      sleep = short_sleep;
    } else if (watch_.is_hasty() && suspected != !watch_.suspects_.empty()) {
      watch_.hurry();
      sleep = 0;
    }
  }
  // Whoever lies down after this one finds the same; the first who ends the job is the one who is heard.
  if (!text.empty()) {
    watch_.found_.set();
    watch_.job_.abort(nullptr, static_cast<int>(ErrorClass::other), text);
  }
  return sleep;
}

void DeadlockWatch::Sleeper::get_up() noexcept
{
  const std::lock_guard guard(watch_.lock_);
  lies_ = false;
}

bool DeadlockWatch::is_hasty() const
{
  return job_.options().arbiter && job_.options().arbiter->holds_receives();
}

bool DeadlockWatch::is_moved_from_outside() const
{
  for (int i = 0; i < job_.size(); ++i)
    if (job_.rank(i).outside_events.value() > 0) return true;
  return false;
}

// Lets everybody try again.
void DeadlockWatch::hurry()
{
  for (const Sleeper* sleeper : sleepers_) sleeper->spot_.notify();
}

void DeadlockWatch::wake_all() noexcept
{
  const std::lock_guard guard(lock_);
  hurry();
}

// A rank that has finalized MPI may start it again by a session, also after MPI_Finalize (MPI 5.0 §11.3).
bool DeadlockWatch::has_ended(int world_rank) const
{
  return job_.phase(world_rank) == Phase::left;
}

bool DeadlockWatch::all_lie(int world_rank) const
{
  const Rank& rank = job_.rank(world_rank);
  const auto lying = std::ranges::count_if(
      sleepers_, [&](const Sleeper* sleeper) { return sleeper->lies_ && &sleeper->rank_ == &rank; });
  if (lying == 0) return false;
  // Below MPI_THREAD_MULTIPLE only one thread at a time may be in MPI, and it waits.
  if (!rank.concurrent()) return true;
  return job_.options().live_threads && lying >= job_.options().live_threads(world_rank);
}

bool DeadlockWatch::is_still(int world_rank) const
{
  if (has_ended(world_rank)) return true;
  // An arbiter may know a way on.
  if (job_.rank(world_rank).outside_events.value() > 0 && !is_hasty()) return false;
  return all_lie(world_rank);
}

// The largest set of still ranks that only its own members could wake, by world rank; with those that have
// ended.
std::vector<bool> DeadlockWatch::stuck_ranks() const
{
  std::vector<bool> stuck(static_cast<std::size_t>(job_.size()));
  for (int i = 0; i < job_.size(); ++i) stuck[i] = is_still(i);
  for (const Sleeper* sleeper : sleepers_)
    if (sleeper->lies_ && sleeper->ready_(sleeper->closure_)) stuck[sleeper->rank_.world_rank] = false;
  const auto may_be_woken = [&](const Sleeper& sleeper) {
    for (std::size_t i = 0; i < stuck.size(); ++i)
      if (!stuck[i] && (sleeper.partners_.empty() || sleeper.partners_[i])) return true;
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Sleeper* sleeper : sleepers_) {
      if (!stuck[sleeper->rank_.world_rank] || !may_be_woken(*sleeper)) continue;
      stuck[sleeper->rank_.world_rank] = false;
      changed = true;
    }
  }
  return stuck;
}

bool DeadlockWatch::is_dead()
{
  const std::vector<bool> stuck = stuck_ranks();
  const auto is_stuck = [&](const Sleeper* sleeper) { return stuck[sleeper->rank_.world_rank]; };
  if (std::ranges::none_of(sleepers_, is_stuck)) return false;
  // What an arbiter decides may depend on all others.
  if (is_hasty() && std::ranges::find(stuck, false) != stuck.end()) return false;
  // A wait that ends clears the suspects. One of them that is up may lie down again; but if all of them lie
  // and somebody can wake them after all, the suspicion was wrong.
  const bool all_stuck =
      std::ranges::all_of(suspects_, [&](const auto& suspect) { return is_stuck(suspect.first); });
  if (!all_stuck && std::ranges::any_of(suspects_, [](const auto& suspect) { return !suspect.first->lies_; }))
    return false;
  if (!all_stuck || suspects_.empty()) {
    suspects_.clear();
    for (const Sleeper* sleeper : sleepers_)
      if (is_stuck(sleeper)) suspects_.emplace_back(sleeper, sleeper->attempts_);
    return false;
  }
  const int wanted = is_hasty() ? 1 : vain_attempts;
  return std::ranges::all_of(
      suspects_, [&](const auto& suspect) { return suspect.first->attempts_ >= suspect.second + wanted; });
}

}  // namespace ranklet
