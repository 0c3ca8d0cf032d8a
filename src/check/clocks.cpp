#include "check/clocks.hpp"

#include <algorithm>

#include "base/invariant.hpp"

namespace ranklet::check {

namespace {

void join(Clock& clock, const Clock& other)
{
  if (clock.size() < other.size()) clock.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace

Clock& Clocks::own(int rank)
{
  const auto place = static_cast<std::size_t>(rank);
  if (place >= clocks_.size()) clocks_.resize(place + 1);
  Clock& clock = clocks_[place];
  if (clock.size() <= place) clock.resize(place + 1);
  // 0 is known by all.
  clock[place] = std::max<std::uint64_t>(clock[place], 1);
  return clock;
}

void Clocks::release(int rank, const Token& token)
{
  Clock& clock = own(rank);
  if (token.told_)
    join(*token.told_, clock);
  else
    token.told_ = std::make_unique<Clock>(clock);
  ++clock[static_cast<std::size_t>(rank)];
  invariant([&] { return !Moment{rank, clock[static_cast<std::size_t>(rank)]}.is_known_by(*token.told_); },
            "what a rank does after a release is known to nobody");
}

void Clocks::acquire(int rank, const Token& token)
{
  if (token.told_) join(own(rank), *token.told_);
}

void Clocks::begins(int rank)
{
  if (are_running()) order_after_all(rank);
}

void Clocks::from(int rank, const Token& token)
{
  const Holder guard(lock_);
  release(rank, token);
}

void Clocks::to(int rank, const Token& token)
{
  const Holder guard(lock_);
  acquire(rank, token);
}

void Clocks::order(int one, int other)
{
  if (one == other) return;
  const Holder guard(lock_);
  const Token between;
  release(one, between);
  acquire(other, between);
  // Whose memory it is need not be who sees it.
  if (is_sharer(other)) release(one, shared_);
  if (is_sharer(one)) acquire(other, shared_);
}

void Clocks::order_before_all(int rank)
{
  const Holder guard(lock_);
  const Token between;
  release(rank, between);
  for (std::size_t i = 0; i < clocks_.size(); ++i) acquire(static_cast<int>(i), between);
}

void Clocks::order_after_all(int rank)
{
  const Holder guard(lock_);
  const Token between;
  for (std::size_t i = 0; i < clocks_.size(); ++i)
    if (static_cast<int>(i) != rank) release(static_cast<int>(i), between);
  acquire(rank, between);
}

void Clocks::share(int rank)
{
  const Holder guard(lock_);
  const auto place = static_cast<std::size_t>(rank);
  if (place >= sharers_.size()) sharers_.resize(place + 1);
  sharers_[place] = true;
  acquire(rank, shared_);
  release(rank, shared_);
  is_shared_.set();
}

void Clocks::meets_sharers(int rank)
{
  if (!is_shared_.is_set()) return;
  const Holder guard(lock_);
  if (!is_sharer(rank)) return;
  acquire(rank, shared_);
  release(rank, shared_);
}

bool Clocks::is_sharer(int rank) const
{
  const auto place = static_cast<std::size_t>(rank);
  return place < sharers_.size() && sharers_[place];
}

Moment Clocks::now(int rank)
{
  const Holder guard(lock_);
  return {rank, own(rank)[static_cast<std::size_t>(rank)]};
}

Clock Clocks::clock_of(int rank)
{
  const Holder guard(lock_);
  return own(rank);
}

Clock Clocks::known_by_all(const std::vector<int>& ranks)
{
  const Holder guard(lock_);
  Clock least;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Clock& clock = own(ranks[i]);
    if (i == 0) least = clock;
    if (clock.size() < least.size()) least.resize(clock.size());
    for (std::size_t j = 0; j < least.size(); ++j) least[j] = std::min(least[j], clock[j]);
  }
  return least;
}

}  // namespace ranklet::check
