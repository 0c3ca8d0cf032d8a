// The search over the runs of a program: which outcomes of its choices to try next. It knows nothing of how a
// run is made; explorer.hpp makes its log.
//
// Depth first. The stack holds the decisions of the last run, each with the outcomes of its choice that are
// known and not tried. The next run follows the stack up to the last decision with one left, and takes it
// there. Two runs thus differ in at least one decision: none is made twice. Runs whose script is impossible
// count as attempts. A run that failed before all that it could show had happened leaves the search
// incomplete.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "explore/script.hpp"
#include "terms/types.hpp"

namespace ranklet {

struct SearchLimits {
  Count runs = 1000;   // attempts that turn out impossible included; 0: no limit
  double seconds = 0;  // no run begins later; 0: no limit
};

class Search {
 public:
  // first: what the first run is to follow, and what all tokens say of the job. replays: only that run.
  explicit Search(SearchLimits limits, const Script& first = {}, bool replays = false)
      : limits_(limits), ranks_(first.ranks), modes_(first.modes), replays_(replays)
  {
    for (const Decision& decision : first.decisions) stack_.push_back({decision, {}, {decision.outcome}});
  }

  // What the next run is to follow; nullopt: all has been tried, or a limit is reached.
  std::optional<Script> next();
  // The log of that run, and whether it failed. A last line without its end is left out. Throws Error{arg}.
  void learn(std::string_view log, bool failed = false);

  // --- about the last run
  // Its decisions: enough to repeat it.
  Script decisions() const;
  // "deadlock", "livelock", "impossible", or empty.
  const std::string& state() const noexcept { return state_; }

  // --- about all runs
  Count runs() const noexcept { return runs_; }  // without the impossible ones
  Count impossible() const noexcept { return impossible_; }
  bool replays() const noexcept { return replays_; }
  bool complete() const;  // nothing is left to be tried, as far as can be known
  Count untried() const;  // outcomes that are known and not tried
  // Why it is not complete, in one line.
  std::string missing() const;
  Count most_decisions() const noexcept { return most_decisions_; }  // of one run
  // Whether runs ended because the program starts others, which cannot be explored.
  bool starts_jobs() const { return is_noted("spawn"); }
  // Outcomes of some calls that are left out on purpose, in whole lines.
  std::string left_out() const;

 private:
  struct Entry {
    Decision decision;
    std::vector<Outcome> untried;
    std::vector<Outcome> seen;  // all ever known
  };
  void add(const std::string& line);
  Count known() const;  // outcomes that are left
  bool is_noted(const char* what) const { return notes_.contains(what); }

  const SearchLimits limits_;
  const int ranks_;
  const std::string modes_;
  const bool replays_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<Entry> stack_;
  std::string state_;
  Count runs_ = 0;
  Count impossible_ = 0;
  Count cut_short_ = 0;  // failed runs that had not come to their end
  Count most_decisions_ = 0;
  bool some_ = false;            // MPI_Waitsome or MPI_Testsome had a choice
  bool tests_ = false;           // a call that does not wait had one
  std::set<std::string> notes_;  // of the logs: what was no choice
  bool begun_ = false;
  bool under_way_ = false;  // next() has given out a run of which nothing was learned
  bool ended_ = false;      // the last run has come to its end
};

// The first line of a log's file, which held the script before.
inline constexpr const char* log_begin = "log\n";

// What came out of the runs.
struct RunResult {
  bool failed = false;
  std::string what;  // of a failure, one line: "deadlock", "rank 1 exited with code 3"; of others a text that
                     // is equal in runs with equal results
  std::string report;      // the whole story
  bool timed_out = false;  // a failure only in that
};

class RunResults {
 public:
  struct EqualRuns {
    RunResult first;
    std::string token;
    Count runs = 0;
  };
  const std::vector<EqualRuns>& groups() const noexcept { return groups_; }

  // The run that the search has learned of last.
  void add(const Search& search, RunResult result);

  Count failures() const noexcept { return failures_; }  // runs that failed
  int results() const noexcept;                          // different ones, among those that did not
  // Each kind of failure and each result with how often it came, a token and the first run's report; then how
  // much was covered.
  std::string text(const Search& search) const;

 private:
  std::vector<EqualRuns> groups_;
  Count failures_ = 0;
};

}  // namespace ranklet
