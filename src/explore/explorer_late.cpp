// What could have come before a choice was decided: messages and completions of requests that came later.
#include <algorithm>
#include <utility>

#include "explore/explorer.hpp"
#include "terms/types.hpp"

namespace ranklet {

// Whether what comes now could have come before a test of the rank that found nothing in that round: where
// only the rank's own tests have failed since, it follows from these.
bool Explorer::could_have_been_earlier(int rank, std::uint64_t round) const
{
  if (outside_round_ >= round) return true;
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    if (static_cast<int>(i) != rank && ranks_[i].last_vain >= round) return true;
  return false;
}

void Explorer::came_late(int rank, int index, const Outcome& outcome)
{
  RankChoice& missed = choice(rank, index);
  if (missed.vain > 0) {
    if (!noted_.contains("tests") && could_have_been_earlier(rank, missed.vain)) note("tests");
    return;
  }
  if (missed.decision < 0 || in_present_[static_cast<std::size_t>(missed.decision)]) return;
  // Of each source the first message counts: later ones cannot overtake it.
  const bool known = std::ranges::any_of(missed.known, [&](const Outcome& other) {
    return is_about_messages(missed.kind) && !other.empty() ? other[0] == outcome[0] : other == outcome;
  });
  if (known) return;
  missed.known.push_back(outcome);
  write("late " + Script::line({rank, index, missed.kind, outcome}));
}

void Explorer::arrived(Rank& to, std::uint32_t context, int source, int tag)
{
  const Holder guard(lock_);
  vain_rounds_.add(-vain_rounds_.value());
  if (ranks_.empty()) return;
  const auto& choices = ranks_[static_cast<std::size_t>(to.world_rank)].choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const RankChoice& choice = choices[i];
    const bool cancels = choice.kind == ChoiceKind::cancel;
    const bool fits = (is_about_messages(choice.kind) || cancels) && choice.context == context &&
                      (choice.source == any_source || choice.source == source) &&
                      (choice.tag == any_tag || choice.tag == tag);
    if (fits) came_late(to.world_rank, static_cast<int>(i), cancels ? Outcome{} : Outcome{source, tag});
  }
}

void Explorer::watch_pending(const Point& point)
{
  for (Question::Pending& pending : point.asker->question.pending()) {
    auto& missed = watched_[pending.request];
    const auto is_earlier_test = [&](const Missed& other) RANKLET_REQUIRES(lock_) {
      return other.rank == point.rank->world_rank && choice(other.rank, other.index).vain > 0;
    };
    // Of tests in a row that found nothing the first one tells.
    if (choice(point).vain > 0 && std::ranges::any_of(missed, is_earlier_test)) continue;
    missed.push_back({point.rank->world_rank, point.index, std::move(pending.outcome)});
    pending.request->watch(true);
  }
}

void Explorer::look_at_watched()
{
  std::erase_if(watched_, [this](const auto& entry) RANKLET_REQUIRES(lock_) {
    if (!entry.first->complete()) return false;
    for (const Missed& missed : entry.second) came_late(missed.rank, missed.index, missed.outcome);
    return true;
  });
}

// Between its completion and now nothing was decided: resolve() would have seen it.
void Explorer::ended(Request& request, bool complete)
{
  const Holder guard(lock_);
  const auto found = watched_.find(&request);
  if (found == watched_.end()) return;
  for (const Missed& missed : found->second)
    if (complete) came_late(missed.rank, missed.index, missed.outcome);
  watched_.erase(found);
}

}  // namespace ranklet
