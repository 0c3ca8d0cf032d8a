// How a run of an exploration ends, and what is said of it.
#include <algorithm>

#include "base/log.hpp"
#include "explore/explorer.hpp"
#include "p2p/engine.hpp"

namespace ranklet {

void Explorer::fails(Rank& self)
{
  Failing failing{self, {}};
  {
    const Holder guard(lock_);
    job_ = &self.job;
    failing_.push_back(&failing);
  }
  const auto leave = [&] {
    const Holder guard(lock_);
    std::erase(failing_, &failing);
  };
  try {
    wait_until(self, self.parking, [&] { return failing.may_go.is_set(); });
  } catch (...) {
    leave();
    throw;
  }
  leave();
}

void Explorer::wants_job(Rank&)
{
  const Holder guard(lock_);
  note("spawn");
}

void Explorer::ends(Rank& rank)
{
  {
    const Holder guard(lock_);
    ranks_.resize(static_cast<std::size_t>(rank.job.size()));
    ranks_[static_cast<std::size_t>(rank.world_rank)].ended = true;
    if (!std::ranges::all_of(ranks_, &OfRank::ended)) return;
  }
  // Nobody sends any more. Messages that have come and were not looked at may be late.
  for (int i = 0; i < rank.job.size(); ++i) rank.job.rank(i).p2p->settle_all();
  const Holder guard(lock_);
  if (is_followed()) return write("end");
  write("impossible");
  if (!log_) log(LogLevel::warning, "%s", misfit().c_str());
}

bool Explorer::let_fail()
{
  if (failing_.empty()) return false;
  Failing& first = *failing_.front();
  failing_.erase(failing_.begin());
  if (!is_followed()) state_ = "impossible";
  write(is_followed() ? "failed" : "impossible");
  first.may_go.set();
  first.rank.parking.notify();
  return true;
}

// Why the script cannot be followed.
std::string Explorer::misfit() const
{
  const auto first = static_cast<std::size_t>(std::ranges::find(followed_, false) - followed_.begin());
  const Decision& decision = script_[first];
  std::string text = "the token does not fit: decision " + std::to_string(first + 1) + " of " +
                     std::to_string(script_.size()) + " has not become possible\n  rank " +
                     std::to_string(decision.rank) + "  choice " + std::to_string(decision.index) +
                     " was to be " + name(decision.kind) + ": " + describe(decision.kind, decision.outcome);
  if (decision.rank < static_cast<int>(ranks_.size())) {
    const auto& choices = ranks_[static_cast<std::size_t>(decision.rank)].choices;
    const auto index = static_cast<std::size_t>(decision.index);
    text += index >= choices.size()                ? ", but it has not come so far"
            : choices[index].kind != decision.kind ? std::string(", but is ") + name(choices[index].kind)
                                                   : ", and waits for that";
  }
  return text + "\n";
}

std::string Explorer::headline()
{
  const Holder guard(lock_);
  told_ = true;
  return is_followed() ? std::string() : misfit();
}

std::string Explorer::remark()
{
  const Holder guard(lock_);
  if (state_ == "impossible" && !told_) return misfit();
  if (state_ != "livelock") return {};
  return "livelock: every rank waits or tests, in vain for thousands of times and some seconds\n";
}

}  // namespace ranklet
