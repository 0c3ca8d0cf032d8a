#include "ranks/deadlock.hpp"

#include <algorithm>
#include <utility>

#include "base/fortran_site.hpp"
#include "base/invariant.hpp"
#include "ranks/job.hpp"
#include "terms/error.hpp"

namespace ranklet {

namespace {

constexpr int vain_attempts = 2;  // of everybody, until a suspicion is a fact
constexpr int long_sleep = 200;   // milliseconds
constexpr int short_sleep = 2;
// Each of n sleepers gets up after n times as long, so that their number costs nothing.
constexpr int between_wakings = 10;

}  // namespace

int DeadlockWatch::reserve(int ranks)
{
  const auto wanted = static_cast<std::size_t>(ranks);
  const Holder guard(lock_);
  std::size_t first = 0;
  for (std::size_t i = 0; i < reserved_.size() && i - first < wanted; ++i)
    if (reserved_[i] != 0) first = i + 1;
  if (reserved_.size() < first + wanted) {
    reserved_.resize(first + wanted);
    ranks_.resize(first + wanted);
    if (!waits_.empty()) waits_.resize(first + wanted);
  }
  std::fill_n(reserved_.begin() + static_cast<std::ptrdiff_t>(first), wanted, char{1});
  return static_cast<int>(first);
}

void DeadlockWatch::add(Job& job)
{
  const Holder guard(lock_);
  if (job.rank(0).number == 0) arbiter_ = job.options().arbiter.get();
  for (int i = 0; i < job.size(); ++i) ranks_[static_cast<std::size_t>(job.rank(i).number)] = &job.rank(i);
}

void DeadlockWatch::remove(Job& job) noexcept
{
  const Holder guard(lock_);
  for (int i = 0; i < job.size(); ++i) {
    const auto number = static_cast<std::size_t>(job.rank(i).number);
    ranks_[number] = nullptr;
    reserved_[number] = 0;
    if (!waits_.empty()) waits_[number] = {};
  }
}

DeadlockWatch::Sleeper::Sleeper(DeadlockWatch& watch, Rank& rank, memmodel::Parking<>& spot, Ready ready,
                                const void* closure)
    : watch_(watch),
      rank_(rank),
      spot_(spot),
      ready_(ready),
      closure_(closure),
      call_(current_call()),
      site_(call_ ? users_site(call_->site) : nullptr)
{
  const Holder guard(watch_.lock_);
  if (watch_.waits_.empty()) watch_.waits_.resize(watch_.ranks_.size());
  place_ = watch_.sleepers_.size();
  watch_.sleepers_.push_back(this);
  next_ = std::exchange(watch_.waits_of_rank(rank).first, this);
}

DeadlockWatch::Sleeper::~Sleeper()
{
  const Holder guard(watch_.lock_);
  if (is_suspect()) watch_.clear_suspects();
  Sleeper* const last = watch_.sleepers_.back();
  watch_.sleepers_[place_] = last;
  last->place_ = place_;
  watch_.sleepers_.pop_back();
  Sleeper** link = &watch_.waits_of_rank(rank_).first;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
  // It may be the one that was to look.
  if (watch_.look_wanted_) watch_.wake_one();
}

int DeadlockWatch::Sleeper::lie_down()
{
  const JobOptions& options = rank_.job.options();
  if (!options.reports_deadlocks) {
    const Holder guard(watch_.lock_);
    if (!watch_.is_hasty()) return std::max(long_sleep, between_wakings * rank_.job.size());
  }
  // Fewer than before, as parts of what it waits for are done.
  WaitPartners partners;
  if (call_ && options.partners) partners = options.partners(rank_, *call_);
  std::string report;
  int sleep;
  {
    const Holder guard(watch_.lock_);
    std::swap(partners_, partners);
    sleep = watch_.lie_down(*this, report);
  }
  // A rank that lies down after this one finds the same; the first that ends the job is heard.
  if (!report.empty()) rank_.job.abort(nullptr, static_cast<int>(ErrorClass::other), report);
  return sleep;
}

int DeadlockWatch::lie_down(Sleeper& sleeper, std::string& text)
{
  const bool suspected = !suspects_.empty();
  sleeper.lies_ = true;
  ++waits_of_rank(sleeper.rank_).lying;
  if (sleeper.is_suspect()) {
    --up_;
    if (++sleeper.tries_ == (is_hasty() ? 1 : vain_attempts)) --untried_;
    invariant([&]() RANKLET_UNCHECKED { return up_ >= 0 && untried_ >= 0; }, "suspects are counted once (3)");
    full_invariant(
        [&]() RANKLET_UNCHECKED { return up_ == std::ranges::count(suspects_, false, &Sleeper::lies_); },
        "those suspects are up that do not lie (3)");
    if (untried_ == 0 && up_ == 0) {
      const auto resolution = judge(text);
      if (resolution != Arbiter::Resolution::dead) clear_suspects();
      if (resolution == Arbiter::Resolution::waits) return short_sleep;
    }
  }
  if (!sleeper.is_suspect() && !(suspected && is_hasty()) && look_from(sleeper)) suspect_stuck();
  if (is_hasty() && suspected != !suspects_.empty()) {
    hurry();
    return 0;
  }
  if (sleeper.is_suspect()) return short_sleep << std::min(sleeper.tries_, 5);
  return std::max(long_sleep, between_wakings * static_cast<int>(sleepers_.size()));
}

// When all suspects have tried in vain and lie again.
Arbiter::Resolution DeadlockWatch::judge(std::string& text)
{
  using enum Arbiter::Resolution;
  mark_stuck();
  const bool right =
      is_hasty() ? all_stuck()
                 : std::ranges::all_of(suspects_, [&](const Sleeper* suspect) RANKLET_REQUIRES(lock_) {
                     return is_stuck(suspect->rank_.number);
                   });
  if (!right) return moves;
  // Others let nothing wait for the moment when nothing moves, and have no say.
  const auto resolution = is_hasty() ? arbiter_->resolve(is_moved_from_outside()) : dead;
  if (resolution == dead) text = (is_hasty() ? arbiter_->headline() : std::string()) + report();
  return resolution;
}

DeadlockWatch::Waits& DeadlockWatch::waits_of_rank(const Rank& rank)
{
  return waits_[static_cast<std::size_t>(rank.number)];
}

void DeadlockWatch::Sleeper::get_up() noexcept
{
  const Holder guard(watch_.lock_);
  if (!lies_) return;
  lies_ = false;
  --watch_.waits_of_rank(rank_).lying;
  if (is_suspect()) ++watch_.up_;
}

bool DeadlockWatch::is_hasty() const
{
  return arbiter_ && arbiter_->holds_receives();
}

bool DeadlockWatch::is_moved_from_outside() const
{
  return std::ranges::any_of(
      ranks_, [](const Rank* rank) { return rank != nullptr && rank->outside_events.value() > 0; });
}

// Lets everybody try again.
void DeadlockWatch::hurry() noexcept
{
  for (const Sleeper* sleeper : sleepers_) sleeper->spot_.notify();
}

void DeadlockWatch::wake_all() noexcept
{
  const Holder guard(lock_);
  hurry();
}

void DeadlockWatch::wake_one() noexcept
{
  if (!sleepers_.empty()) sleepers_.back()->spot_.notify();
}

void DeadlockWatch::note_end() noexcept
{
  const Holder guard(lock_);
  if (sleepers_.empty()) return;
  look_wanted_ = true;
  wake_one();
}

// Whether somebody may be stuck since the sleeper has lain down.
bool DeadlockWatch::look_from(const Sleeper& sleeper)
{
  // What an arbiter decides may depend on all others.
  if (is_hasty()) {
    mark_stuck();
    return all_stuck();
  }
  if (std::exchange(look_wanted_, false)) {
    mark_stuck();
  } else {
    begin_look();
    mark_stuck_from(sleeper.rank_.number);
  }
  return !stuck_.empty();
}

// All of them are to try again.
void DeadlockWatch::suspect_stuck()
{
  for (const int rank : stuck_) {
    for (Sleeper* at = waits_[static_cast<std::size_t>(rank)].first; at; at = at->next_) {
      if (at->is_suspect()) continue;
      at->tries_ = 0;
      suspects_.push_back(at);
      ++untried_;
      if (at->lies_)
        at->spot_.notify();
      else
        ++up_;
    }
  }
}

void DeadlockWatch::clear_suspects() noexcept
{
  for (Sleeper* const suspect : suspects_) suspect->tries_ = -1;
  suspects_.clear();
  untried_ = 0;
  up_ = 0;
}

std::uint64_t DeadlockWatch::steps()
{
  const Holder guard(lock_);
  return steps_;
}

}  // namespace ranklet
