#include "explore/explorer.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "p2p/engine.hpp"
#include "terms/types.hpp"

namespace ranklet {

namespace {

// Tests in vain of all ranks, until it counts as a livelock: so many rounds, and so long. Loops end by the
// clock as well.
constexpr int most_vain_rounds = 1000;
constexpr std::chrono::milliseconds least_vain_time(3000);
// Where the script waits for something that mostly cannot come, and where a rank has failed already.
constexpr std::chrono::milliseconds short_vain_time(300);
constexpr int few_vain_rounds = 100;

}  // namespace

Explorer::Explorer(const Script& script, Log log)
    : script_(script.decisions), followed_(script_.size()), log_(std::move(log))
{
}

Arbiter::Ruling Explorer::begin(Rank& self, Question& question)
{
  Asker asker{self, question, 0, {}, {}};
  const bool waits = question.kind != ChoiceKind::receive;
  {
    const Holder guard(lock_);
    job_ = &self.job;
    ranks_.resize(static_cast<std::size_t>(self.job.size()));
    auto& choices = ranks_[static_cast<std::size_t>(self.world_rank)].choices;
    asker.index = static_cast<int>(choices.size());
    choices.push_back(
        {question.kind, question.context, question.source, question.tag, present_, none, 0, {}});
    if (question.kind == ChoiceKind::look) note("look");
    if (waits) askers_.push_back(&asker);
  }
  if (!waits) return {asker.index, std::nullopt};
  const auto leave = [&] {
    const Holder guard(lock_);
    std::erase(askers_, &asker);
  };
  try {
    wait_until(
        self, self.parking,
        [&] {
          question.advance();
          return asker.decided.is_set();
        },
        [&] { return asker.decided.is_set() || question.ready_to_advance(); });
  } catch (...) {
    leave();
    throw;
  }
  leave();
  // It was to wait for the moment when nothing moves.
  if (question.kind == ChoiceKind::look) return {asker.index, std::nullopt};
  return {asker.index, std::move(asker.outcome)};
}

void Explorer::end(Rank&, int, const Outcome& outcome)
{
  // Without the lock, which resolve() holds when it delivers a message.
  if (!outcome.empty()) vain_rounds_.add(-vain_rounds_.value());
}

Arbiter::Resolution Explorer::resolve(bool outside)
{
  bool moved = false;
  for (int i = 0; job_ && i < job_->size(); ++i) moved = job_->rank(i).p2p->settle_all() || moved;
  if (moved) return Resolution::moves;
  const std::vector<Point> open = points();
  const Holder guard(lock_);
  look_at_watched();
  if (follow_script(open) || decide_freely(open) || let_tests_fail(open, outside)) return Resolution::moves;
  if (let_fail()) return Resolution::moves;
  if (outside && state_.empty()) return Resolution::waits;
  if (state_ != "livelock") state_ = "deadlock";
  if (!is_followed()) state_ = "impossible";
  write(state_);
  return Resolution::dead;
}

// In the order of ranks, receives first; but before a receive is matched it is cancelled, where it can be.
std::vector<Explorer::Point> Explorer::points()
{
  std::vector<Point> found;
  for (int i = 0; job_ && i < job_->size(); ++i) {
    Rank& rank = job_->rank(i);
    for (auto& open : rank.p2p->open_receives())
      found.push_back({&rank, open.choice, ChoiceKind::receive, std::move(open.options), nullptr});
  }
  std::vector<Asker*> askers;
  {
    const Holder guard(lock_);
    askers = askers_;
  }
  for (Asker* const asker : askers)
    if (!asker->decided.is_set())
      found.push_back({&asker->rank, asker->index, asker->question.kind, asker->question.options(), asker});
  std::ranges::sort(found, {}, [](const Point& point) {
    // Tests last: what else can happen happens before they look.
    return std::tuple(point.kind != ChoiceKind::cancel, may_find_nothing(point.kind),
                      !is_about_messages(point.kind), point.rank->world_rank, point.index);
  });
  return found;
}

Explorer::RankChoice& Explorer::choice(int rank, int index)
{
  return ranks_[static_cast<std::size_t>(rank)].choices[static_cast<std::size_t>(index)];
}

void Explorer::write(const std::string& line)
{
  if (log_) log_(line);
}

void Explorer::note(const std::string& what)
{
  if (noted_.insert(what).second) write("note " + what);
}

bool Explorer::is_followed() const
{
  return std::ranges::find(followed_, false) == followed_.end();
}

bool Explorer::follow_script(const std::vector<Point>& points)
{
  for (std::size_t i = 0; i < script_.size(); ++i) {
    if (followed_[i]) continue;
    const Decision& decision = script_[i];
    for (const Point& point : points) {
      if (point.rank->world_rank != decision.rank || point.index != decision.index) continue;
      const bool cancels = point.kind == ChoiceKind::cancel;
      const bool nothing = decision.outcome.empty() && may_find_nothing(point.kind) &&
                           (!cancels || point.asker->question.may_miss());
      if (point.kind != decision.kind || !(nothing || contains(point.options, decision.outcome))) continue;
      followed_[i] = true;
      choice(point).known = point.options;
      // Where it was decided earlier there may have been fewer.
      for (const Outcome& other : point.options)
        if (other != decision.outcome)
          write("late " + Script::line({decision.rank, decision.index, decision.kind, other}));
      if (!cancels) ranks_[static_cast<std::size_t>(decision.rank)].found_nothing = nothing;
      apply(point, decision.outcome);
      return true;
    }
  }
  return false;
}

bool Explorer::is_reserved(const Point& point) const
{
  for (std::size_t i = 0; i < script_.size(); ++i)
    if (!followed_[i] && script_[i].rank == point.rank->world_rank && script_[i].index == point.index)
      return true;
  return false;
}

bool Explorer::decide_freely(const std::vector<Point>& points)
{
  for (const Point& point : points) {
    if (point.options.empty() || is_reserved(point)) continue;
    std::vector<Outcome> outcomes = point.options;
    OfRank& mine = ranks_[static_cast<std::size_t>(point.rank->world_rank)];
    // A loop of tests ends; a receive is cancelled once.
    const bool cancels = point.kind == ChoiceKind::cancel;
    if (may_find_nothing(point.kind) && point.asker->question.may_miss() && (cancels || !mine.found_nothing))
      outcomes.emplace_back();
    if (!cancels) mine.found_nothing = false;
    choice(point).known = outcomes;
    std::string line = Script::line({point.rank->world_rank, point.index, point.kind, outcomes[0]});
    for (std::size_t i = 1; i < outcomes.size(); ++i) line += " | " + outcome_text(outcomes[i]);
    write(line);
    apply(point, outcomes[0]);
    return true;
  }
  return false;
}

void Explorer::apply(const Point& point, const Outcome& outcome)
{
  RankChoice& made = choice(point);
  made.decision = static_cast<int>(after_.size());
  after_.push_back(made.after);
  in_present_.push_back(false);
  set_present(made.decision);
  vain_rounds_.add(-vain_rounds_.value());
  if (!point.asker) {
    point.rank->p2p->decide(point.index, outcome[0]);
    return;
  }
  watch_pending(point);
  point.asker->outcome = outcome;
  answer(point);
}

void Explorer::answer(const Point& point)
{
  point.asker->decided.set();
  point.rank->parking.notify();
}

void Explorer::set_present(int decision)
{
  if (decision >= 0 && after_[static_cast<std::size_t>(decision)] == present_) {
    in_present_[static_cast<std::size_t>(decision)] = true;
  } else {
    const auto mark = [this](int last, bool in) RANKLET_REQUIRES(lock_) {
      for (int i = last; i >= 0; i = after_[static_cast<std::size_t>(i)])
        in_present_[static_cast<std::size_t>(i)] = in;
    };
    mark(present_, false);
    mark(decision, true);
  }
  present_ = decision;
}

bool Explorer::vain_for_too_long()
{
  const auto rounds = vain_rounds_.add(1);
  const Clock::time_point now = Clock::now();
  if (rounds == 1) vain_since_ = now;
  if (!failing_.empty()) return rounds > few_vain_rounds;
  return rounds > most_vain_rounds && now - vain_since_ > (is_followed() ? least_vain_time : short_vain_time);
}

bool Explorer::let_tests_fail(const std::vector<Point>& points, bool outside)
{
  bool some = false;
  for (const Point& point : points) {
    if (!point.asker || !may_find_nothing(point.kind) || is_reserved(point)) continue;
    // Events from outside take their time.
    if (!some && (!outside || !failing_.empty()) && vain_for_too_long()) {
      if (failing_.empty()) state_ = "livelock";
      return false;
    }
    if (!some) ++round_;
    some = true;
    if (point.kind == ChoiceKind::cancel) {
      note("cancel");
    } else {
      choice(point).vain = round_;
      ranks_[static_cast<std::size_t>(point.rank->world_rank)].last_vain = round_;
      watch_pending(point);
    }
    answer(point);
  }
  if (some && outside) outside_round_ = round_;
  // Events from here on follow from no decision.
  if (some) set_present(none);
  return some;
}

}  // namespace ranklet
