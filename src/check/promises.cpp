#include "check/promises.hpp"

#include <algorithm>
#include <utility>

namespace ranklet::check {

namespace {

constexpr const char* rule = "MPI 5.0 §12.5.5";

Conflict broken_no_put(int target, const Promises::CallRef& other)
{
  return {"the memory of target " + std::to_string(target) +
              " is updated in an epoch for which it has asserted MPI_MODE_NOPUT",
          rule, other};
}

}  // namespace

Promises::State& Promises::state_of(const Origin& origin)
{
  State& state = states_[origin.window];
  if (state.members.empty()) state.members.resize(static_cast<std::size_t>(origin.members));
  return state;
}

std::optional<Conflict> Promises::fence_starts(const Origin& rank, bool no_put, const CallRef& call)
{
  const Holder guard(lock_);
  State& state = state_of(rank);
  Member& own = state.members[static_cast<std::size_t>(rank.rank)];
  if (!no_put || state.given_up) return std::nullopt;
  const std::uint64_t phase = own.fences + 1;
  own.no_put[phase % 2] = {phase, call};
  // With MPI_MODE_NOPRECEDE others need not wait for this rank.
  if (!own.last_update.call || own.last_update.phase != phase) return std::nullopt;
  return broken_no_put(rank.rank, own.last_update.call);
}

void Promises::fenced(const Origin& rank)
{
  const Holder guard(lock_);
  ++state_of(rank).members[static_cast<std::size_t>(rank.rank)].fences;
}

void Promises::posted(const Origin& target, bool no_put, const CallRef& call)
{
  const Holder guard(lock_);
  state_of(target).members[static_cast<std::size_t>(target.rank)].no_put_exposed = no_put ? call : CallRef();
}

void Promises::waited(const Origin& target)
{
  const Holder guard(lock_);
  state_of(target).members[static_cast<std::size_t>(target.rank)].no_put_exposed = {};
}

std::optional<Conflict> Promises::updated(const Origin& origin, int target, rma::Access epoch,
                                          const CallRef& call)
{
  const Holder guard(lock_);
  State& state = state_of(origin);
  if (state.given_up) return std::nullopt;
  Member& theirs = state.members[static_cast<std::size_t>(target)];
  if (epoch == rma::Access::started && theirs.no_put_exposed)
    return broken_no_put(target, theirs.no_put_exposed);
  if (epoch != rma::Access::fenced) return std::nullopt;
  const std::uint64_t phase = state.members[static_cast<std::size_t>(origin.rank)].fences;
  theirs.last_update = {phase, call};
  const InPhase& promise = theirs.no_put[phase % 2];
  if (!promise.call || promise.phase != phase) return std::nullopt;
  return broken_no_put(target, promise.call);
}

void Promises::updates(const Origin& origin, int target, int target_number, rma::Access epoch)
{
  const Holder guard(lock_);
  if (epoch == rma::Access::fenced) {
    State& state = state_of(origin);
    const std::uint64_t phase = state.members[static_cast<std::size_t>(origin.rank)].fences;
    Member& theirs = state.members[static_cast<std::size_t>(target)];
    theirs.updated_in[phase % 2] = phase + 1;
    ++theirs.updates;
  }
  // Other windows may have the same memory.
  const auto place = static_cast<std::size_t>(target_number);
  if (place >= updates_.size()) updates_.resize(place + 1);
  ++updates_[place];
}

std::uint64_t Promises::other_updates(const Member& member, int number) const
{
  const auto place = static_cast<std::size_t>(number);
  return place < updates_.size() ? updates_[place] - member.updates : 0;
}

bool Promises::has_stored(const Origin& rank, Bytes part)
{
  const Holder guard(lock_);
  State& state = state_of(rank);
  Member& own = state.members[static_cast<std::size_t>(rank.rank)];
  state.asks_for_large = true;
  if (!own.kept || state.given_up || state.is_shared) return false;
  if (own.updated_in[own.fences % 2] == own.fences + 1 ||
      own.kept->updates != other_updates(own, rank.number))
    return false;
  return own.kept->sum != checksum(part);
}

void Promises::synchronized(const Origin& rank, Bytes part)
{
  const Holder guard(lock_);
  State& state = state_of(rank);
  Member& own = state.members[static_cast<std::size_t>(rank.rank)];
  own.kept.reset();
  if (state.given_up || state.is_shared || part.size() > (state.asks_for_large ? most_bytes : most_unasked))
    return;
  // Those who have left a fence before this rank may be at it.
  if (own.updated_in[own.fences % 2] == own.fences + 1) return;
  own.kept = Kept{checksum(part), other_updates(own, rank.number)};
}

void Promises::may_store(const Origin& rank)
{
  const Holder guard(lock_);
  state_of(rank).members[static_cast<std::size_t>(rank.rank)].kept.reset();
}

void Promises::share(const void* window)
{
  const Holder guard(lock_);
  states_[window].is_shared = true;
}

std::optional<Conflict> Promises::locks(const Origin& origin, int target, bool exclusive, bool no_check,
                                        const CallRef& call)
{
  const Holder guard(lock_);
  State& state = state_of(origin);
  if (state.given_up) return std::nullopt;
  std::optional<Conflict> found;
  // Only locks with the assertion can be in conflict, so others cost nothing.
  if (no_check || state.unchecked > 0) {
    const auto other = std::ranges::find_if(state.locks, [&](const Lock& lock) {
      return lock.origin != origin.rank && (lock.no_check || no_check) && (lock.exclusive || exclusive) &&
             (lock.target == target || lock.target < 0 || target < 0);
    });
    if (other != state.locks.end())
      found =
          Conflict{"MPI_MODE_NOCHECK was given for a lock, but two ranks ask for conflicting ones at once",
                   rule, other->call};
  }
  state.locks.push_back({origin.rank, target, exclusive, no_check, call});
  state.unchecked += no_check ? 1 : 0;
  return found;
}

void Promises::unlocks(const Origin& origin, int target)
{
  const Holder guard(lock_);
  State& state = state_of(origin);
  const auto own = std::ranges::find_if(
      state.locks, [&](const Lock& lock) { return lock.origin == origin.rank && lock.target == target; });
  if (own == state.locks.end()) return;
  state.unchecked -= own->no_check ? 1 : 0;
  *own = std::move(state.locks.back());
  state.locks.pop_back();
}

void Promises::forget(const void* window)
{
  const Holder guard(lock_);
  states_.erase(window);
}

void Promises::give_up(const void* window)
{
  const Holder guard(lock_);
  states_[window].given_up = true;
}

}  // namespace ranklet::check
