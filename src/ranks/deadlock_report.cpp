// What the deadlock watch says about the ranks.
#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "base/source_line.hpp"
#include "ranks/deadlock.hpp"
#include "ranks/job.hpp"

namespace ranklet {

namespace {

constexpr std::size_t shown_each = 4;  // of what waits at a rank, by kind
constexpr auto between_looks = std::chrono::milliseconds(20);
constexpr int most_looks = 10;

std::string rank_title(const Rank& rank)
{
  return "  " + rank.name() + "  ";
}

std::string label(const Rank& rank)
{
  return rank.job.label_of(rank.world_rank);
}

// The first of these, each in a line with that before it.
void add_lines(std::string& text, const std::vector<std::string>& lines, const std::string& before,
               const std::string& kind)
{
  for (std::size_t i = 0; i < lines.size() && i < shown_each; ++i) text += before + lines[i] + "\n";
  if (lines.size() > shown_each)
    text += before + "and " + std::to_string(lines.size() - shown_each) + " " + kind + " more\n";
}

// "at main() at ring.c:12", of a call that returns there, or was made by the library itself.
std::string place(const void* site)
{
  return "at " + describe_call_site(site);
}

}  // namespace

// "0, 2 and 5"
std::string DeadlockWatch::enumeration(const std::vector<int>& numbers) const
{
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + label(*rank_of(numbers[i]));
  return text;
}

// "0 -> 2 -> 0": stuck ranks of which each waits for the next and nobody else; empty if there are none.
std::string DeadlockWatch::cycle() const
{
  std::vector<int> next(waits_.size(), -1);
  for (const Sleeper* sleeper : sleepers_) {
    const int me = sleeper->rank_.number;
    const WaitPartners& partners = sleeper->partners_;
    if (is_stuck(me) && !partners.anybody && partners.sets.empty() && partners.ranks.size() == 1)
      next[me] = partners.ranks[0];
  }
  for (std::size_t start = 0; start < next.size(); ++start) {
    int at = next[start];
    if (at < 0) continue;
    std::string text = label(*ranks_[start]);
    for (std::size_t steps = 0; at >= 0 && rank_of(at) && steps < next.size(); ++steps, at = next[at]) {
      text += " -> " + label(*rank_of(at));
      if (at == static_cast<int>(start)) return text;
    }
  }
  return {};
}

// A rank's calls that wait, with their places. Handles mean something in their own rank only, and may be
// looked up, like the messages there that no receive takes, while all threads of the rank lie.
std::string DeadlockWatch::waits_of(int number) const
{
  Rank& rank = *rank_of(number);
  const std::string name = rank_title(rank);
  const std::string indent(name.size(), ' ');
  const bool quiet = all_lie(number);
  Rank* const self = bind_current_rank(quiet ? &rank : nullptr);
  std::string text;
  const Sleeper* const first = waits_.empty() ? nullptr : waits_[static_cast<std::size_t>(number)].first;
  for (const Sleeper* sleeper = first; sleeper; sleeper = sleeper->next_) {
    if (const CallNote* const call = sleeper->call_)
      text += name + call->text(*call) + "\n" + indent + place(sleeper->site_) + "\n";
    else
      text += name + "waits\n";
    const auto& awaited = rank.job.options().awaited;
    if (quiet && sleeper->call_ && awaited)
      add_lines(text, awaited(rank, *sleeper->call_), indent, "requests");
    if (const std::string script = sleeper->rank_.script_place(sleeper->thread_); !script.empty())
      text += indent + "at " + script + "\n";
  }
  const JobOptions& options = rank.job.options();
  if (quiet && options.unmatched) add_lines(text, options.unmatched(rank), indent, "messages");
  if (quiet && options.not_started) add_lines(text, options.not_started(rank), indent, "requests");
  bind_current_rank(self);
  return text;
}

// Behind mark_stuck().
std::string DeadlockWatch::report() const
{
  std::vector<int> waiting;
  for (int i = 0; i < size(); ++i)
    if (is_stuck(i) && !has_ended(i)) waiting.push_back(i);
  const bool certain = std::ranges::all_of(
      waiting, [&](int number) RANKLET_REQUIRES(lock_) { return elsewhere(number) <= 0; });
  std::string text = certain ? "deadlock: " : "suspected deadlock: ";
  if (all_stuck())
    text += "every rank waits for another one\n";
  else if (waiting.size() == 1)
    text += "rank " + enumeration(waiting) + " waits for what nobody can do\n";
  else
    text += "ranks " + enumeration(waiting) + " can only wait for each other\n";
  if (const std::string found = cycle(); !found.empty())
    text += "  each waits for the next one: " + found + "\n";
  std::vector<std::pair<Rank*, const CallNote*>> calls;
  for (const Sleeper* const sleeper : sleepers_)
    if (sleeper->call_ && is_stuck(sleeper->rank_.number))
      calls.emplace_back(&sleeper->rank_, sleeper->call_);
  std::ranges::sort(calls, {}, [](const auto& call) { return call.first->number; });
  if (!calls.empty() && calls[0].first->job.options().explain)
    text += calls[0].first->job.options().explain(calls);
  for (int i = 0; i < size(); ++i) {
    if (!rank_of(i)) continue;
    const std::string name = rank_title(*rank_of(i));
    if (has_ended(i))
      text += name + "has ended\n";
    else if (!is_stuck(i))
      text += name + "can go on\n";
    if (is_stuck(i)) text += waits_of(i);
    if (!is_stuck(i) || has_ended(i)) continue;
    const int others = elsewhere(i);
    if (others > 0 && rank_of(i)->job.options().others_sleep)
      text += std::string(name.size(), ' ') +
              "has, or may have, further threads, but all others of the process have slept for seconds until "
              "another thread wakes them\n";
    else if (others > 0)
      text += std::string(name.size(), ' ') + std::to_string(others) +
              (others == 1 ? " further thread has" : " further threads have") +
              " slept for seconds until another thread of the rank wakes " +
              (others == 1 ? "it\n" : "them\n");
  }
  return text;
}

std::string DeadlockWatch::state()
{
  std::map<const Rank*, std::int64_t> tests;
  {
    const Holder guard(lock_);
    for (const Rank* const rank : ranks_)
      if (rank) tests[rank] = rank->vain_tests.count.value();
  }
  const auto goes_round = [&](const Rank& rank) {
    return tests.contains(&rank) && rank.vain_tests.count.value() != tests[&rank];
  };
  bool all_told = false;
  for (int look = 0; look < most_looks && !all_told; ++look) {
    std::this_thread::sleep_for(between_looks);
    const Holder guard(lock_);
    begin_look();
    all_told = true;
    // One that has asked may go round still, if busy cores have given it no time since.
    for (int i = 0; i < size(); ++i)
      if (const Rank* const rank = rank_of(i); rank && tests.contains(rank) && tests[rank] > 0)
        all_told = all_told && (goes_round(*rank) || has_ended(i) || !waits_of(i).empty());
  }
  std::string text;
  const Holder guard(lock_);
  begin_look();  // what an earlier one found of threads that sleep is no news
  for (int i = 0; i < size(); ++i) {
    if (!rank_of(i)) continue;
    const Rank& rank = *rank_of(i);
    const std::string waits = waits_of(i);
    if (has_ended(i))
      text += rank_title(rank) + "has ended\n";
    else if (!waits.empty())
      text += waits;
    else if (goes_round(rank))
      text += rank_title(rank) + "asks again and again whether something is done, " +
              place(rank.vain_tests.site.get()) + "\n";
    else
      text += rank_title(rank) + "computes, or is in a call that has not lasted\n";
  }
  return text;
}

}  // namespace ranklet
