#include "explore/search.hpp"

#include <algorithm>
#include <utility>

#include "base/wording.hpp"
#include "terms/error.hpp"

namespace ranklet {

namespace {

Decision one_decision(const std::string& line)
{
  Script script = Script::parse(line);
  if (script.decisions.size() != 1) fail(ErrorClass::arg, "\"%s\" is no decision", line.c_str());
  return std::move(script.decisions[0]);
}

}  // namespace

std::optional<Script> Search::next()
{
  state_.clear();
  const bool late = limits_.seconds > 0 && std::chrono::steady_clock::now() - begin_ >
                                               std::chrono::duration<double>(limits_.seconds);
  if (begun_ && (known() == 0 || late)) return std::nullopt;
  if (limits_.runs > 0 && runs_ + impossible_ >= limits_.runs) return std::nullopt;
  if (begun_) {
    while (stack_.back().untried.empty()) stack_.pop_back();
    Entry& entry = stack_.back();
    entry.decision.outcome = std::move(entry.untried.front());
    entry.untried.erase(entry.untried.begin());
  }
  begun_ = under_way_ = true;
  ended_ = false;
  return decisions();
}

void Search::learn(std::string_view log, bool failed)
{
  // A crash may cut the last line off.
  std::istringstream lines{std::string(log.substr(0, log.rfind('\n') + 1))};
  for (std::string line; std::getline(lines, line);) add(line);
  under_way_ = false;
  if (state_ == "impossible" && !replays_)
    ++impossible_;
  else
    ++runs_;
  if (failed && !ended_ && state_.empty()) ++cut_short_;
  most_decisions_ = std::max(most_decisions_, static_cast<Count>(stack_.size()));
}

void Search::add(const std::string& line)
{
  if (line.empty()) return;
  if (line == "deadlock" || line == "livelock" || line == "impossible") {
    state_ = line;
    return;
  }
  if (line == "failed" || line == "end") {
    ended_ = true;
    return;
  }
  constexpr std::string_view note = "note ", late = "late ";
  if (line.starts_with(note)) {
    notes_.insert(line.substr(note.size()));
    return;
  }
  if (line.starts_with(late)) {
    const Decision decision = one_decision(line.substr(late.size()));
    for (Entry& entry : stack_) {
      const bool same = entry.decision.rank == decision.rank && entry.decision.index == decision.index;
      if (!same || contains(entry.seen, decision.outcome)) continue;
      entry.seen.push_back(decision.outcome);
      entry.untried.push_back(decision.outcome);
    }
    return;
  }
  std::size_t bar = line.find('|');
  Entry entry;
  entry.decision = one_decision(line.substr(0, bar));
  while (bar != line.npos) {
    const std::size_t next = line.find('|', bar + 1);
    entry.untried.push_back(
        parse_outcome(line.substr(bar + 1, next == line.npos ? line.npos : next - bar - 1)));
    bar = next;
  }
  const ChoiceKind kind = entry.decision.kind;
  some_ = some_ || kind == ChoiceKind::waitsome || kind == ChoiceKind::testsome;
  tests_ = tests_ || may_find_nothing(kind);
  entry.seen = entry.untried;
  entry.seen.push_back(entry.decision.outcome);
  stack_.push_back(std::move(entry));
}

Script Search::decisions() const
{
  Script script;
  script.ranks = ranks_;
  script.modes = modes_;
  for (const Entry& entry : stack_) script.decisions.push_back(entry.decision);
  return script;
}

bool Search::complete() const
{
  return begun_ && !replays_ && untried() == 0 && cut_short_ == 0 && !is_noted("tests");
}

Count Search::untried() const
{
  return known() + (under_way_ ? 1 : 0);
}

Count Search::known() const
{
  Count count = 0;
  for (const Entry& entry : stack_) count += static_cast<Count>(entry.untried.size());
  return count;
}

std::string Search::missing() const
{
  std::string text;
  const auto add = [&](const std::string& reason) { text += (text.empty() ? "" : "; ") + reason; };
  if (untried() > 0)
    add("at least " + counted(untried(), "outcome was", "outcomes were") +
        " seen to be possible and not tried");
  if (cut_short_ > 0)
    add(counted(cut_short_, "run") + " failed before all had happened that might have come first");
  if (is_noted("tests"))
    add("what tests could have found that failed together with others, had the others failed earlier");
  return text;
}

std::string Search::left_out() const
{
  std::string text;
  if (some_)
    text +=
        "  MPI_Waitsome and MPI_Testsome: all complete requests together, and each alone, but no other "
        "subsets\n";
  if (tests_) text += "  tests and probes that could find something: find nothing at most once in a row\n";
  if (is_noted("look"))
    text +=
        "  MPI_Parrived, MPI_Win_test and MPI_Cancel of a send: only what they find when nothing else "
        "moves\n";
  if (is_noted("cancel")) text += "  MPI_Cancel: a receive that already has its message is not cancelled\n";
  if (most_decisions_ > 0 && modes_.find("sends=") == modes_.npos)
    text +=
        "  sends end as under --sends auto: --sends buffer may allow more matches, --sends synchronise shows "
        "deadlocks\n";
  return text;
}

void RunResults::add(const Search& search, RunResult result)
{
  if (search.state() == "impossible" && !search.replays()) return;
  if (result.failed) ++failures_;
  const auto same = [&](const EqualRuns& group) {
    return group.first.failed == result.failed && group.first.what == result.what;
  };
  auto group = std::ranges::find_if(groups_, same);
  if (group == groups_.end()) {
    groups_.push_back({std::move(result), search.decisions().token(), 0});
    group = groups_.end() - 1;
  }
  ++group->runs;
}

int RunResults::results() const noexcept
{
  return static_cast<int>(
      std::ranges::count_if(groups_, [](const EqualRuns& group) { return !group.first.failed; }));
}

std::string RunResults::text(const Search& search) const
{
  std::string text = "explored " + counted(search.runs(), "run") + ": " +
                     (failures_ > 0 ? counted(failures_, "fails", "fail") : std::string("none fails")) +
                     ", " + counted(results(), "result", "different results") + "\n";
  for (const EqualRuns& group : groups_) {
    if (!group.first.failed && results() < 2) continue;
    text += "  " + counted(group.runs, "run") +
            (group.first.failed ? ": " + group.first.what : std::string(" with this result:")) + "\n" +
            indented(group.first.report, "    ") + "    replay: " + group.token + "\n";
  }
  if (search.replays())
    text += "  one way in which messages can match, as the token says";
  else
    text += search.complete() ? "  complete: every way in which messages can match"
                              : "  not complete: " + search.missing();
  text += " (" + counted(search.most_decisions(), "decision") + " in the longest run";
  if (search.impossible() > 0)
    text += ", " + counted(search.impossible(), "attempt") + " turned out impossible";
  return text + ")\n" + (search.replays() ? std::string() : search.left_out());
}

}  // namespace ranklet
