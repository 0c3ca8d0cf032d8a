// ranklet::explore: the search over runs (explore/search.hpp), each made by ranklet::run.
#include <ranklet/explore.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>

#include "api/testing/run_ranks.hpp"
#include "base/config.hpp"
#include "explore/arbiters.hpp"
#include "explore/explorer.hpp"
#include "explore/search.hpp"
#include "terms/error.hpp"

namespace ranklet {

struct ExplorationMaker {
  static Exploration make(const Search& search, const RunResults& results)
  {
    Exploration made;
    made.runs_ = search.runs();
    made.complete_ = search.complete();
    made.text_ = results.text(search);
    for (const RunResults::EqualRuns& group : results.groups())
      made.groups_.push_back(
          {group.first.failed, group.first.what, group.runs, group.token, group.first.report});
    return made;
  }
};

namespace {

// Of a run without a timeout: one that polls what no arbiter decides may never end.
constexpr std::chrono::minutes longest_run(1);

// Of a run that has failed: equal where runs fail alike.
std::string failure_of(const Report& report, const std::string& state)
{
  if (state == "impossible") return "the token does not fit";
  if (report.deadlock()) return state.empty() ? "deadlock" : state;
  const auto line = [](int rank, const std::string& text) {
    return (rank >= 0 ? "rank " + std::to_string(rank) + ": " : "") + text.substr(0, text.find('\n'));
  };
  if (const int rank = report.first_failure(); rank >= 0) return line(rank, report.rank(rank).what);
  for (const Finding& finding : report.findings())
    if (finding.kind != Finding::Kind::advice) return line(finding.rank, finding.what);
  for (std::size_t i = 0; i < report.ranks().size(); ++i)
    if (const int code = report.ranks()[i].code; code != 0)
      return line(static_cast<int>(i), "returned " + std::to_string(code));
  return "failed";
}

RunResult result_of(const Report& report, const std::string& state, Arbiter& arbiter)
{
  RunResult result;
  result.failed = !report.ok() || state == "impossible";
  if (result.failed) {
    result.what = failure_of(report, state);
    // A deadlock's report begins with it.
    if (state == "impossible" && !report.deadlock()) result.report = arbiter.headline();
    result.report += report.text();
    return result;
  }
  for (std::size_t i = 0; i < report.ranks().size(); ++i)
    if (const std::string& output = report.ranks()[i].output; !output.empty())
      result.what += "[" + std::to_string(i) + "] " + output + (output.back() == '\n' ? "" : "\n");
  result.report = result.what;
  return result;
}

}  // namespace

namespace detail {

Exploration explore_ranks(int ranks, Body body, void* closure, const ExploreOptions& options,
                          std::uint64_t program_layout)
{
  api::check_layout(program_layout, explore_layout);
  const bool replays = !options.replay.empty();
  const std::string modes = matching_modes(config(), options.run.checks);
  Script first;
  if (replays) {
    try {
      first = Script::of_token(options.replay);
      check_token(first, ranks, modes);
    } catch (const Error& error) {
      throw std::invalid_argument("ranklet::explore: " + error.message());
    }
  }
  first.ranks = ranks;
  first.modes = modes;
  Options each = options.run;
  if (each.timeout.count() == 0) each.timeout = longest_run;
  Search search({replays ? 1 : options.most_runs, options.seconds}, first, replays);
  RunResults results;
  while (const std::optional<Script> script = search.next()) {
    std::string log;
    const auto arbiter =
        std::make_shared<Explorer>(*script, [&log](const std::string& line) { log += line + "\n"; });
    const Report report = api::run_ranks(ranks, body, closure, each, arbiter);
    search.learn(log, !report.ok());
    results.add(search, result_of(report, search.state(), *arbiter));
  }
  return ExplorationMaker::make(search, results);
}

}  // namespace detail
}  // namespace ranklet
