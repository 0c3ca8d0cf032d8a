#include "launch/explored_jobs.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "explore/arbiters.hpp"
#include "launch/kept_run.hpp"

namespace ranklet::launch {

namespace {

// The lines of tagged output rank by rank: between ranks their order means nothing.
std::string by_rank(const std::string& text)
{
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const auto rank = [](const std::string& line) {
    return line.starts_with('[') ? std::atoi(line.c_str() + 1) : -1;
  };
  std::ranges::stable_sort(lines, {}, rank);
  std::string result;
  for (const std::string& line : lines) result += line + "\n";
  return result;
}

RunResult result_of(const RunEnd& end, double timeout, const std::string& state, const std::string& output,
                    const std::string& errors)
{
  RunResult result;
  result.failed = end.status != 0;
  result.timed_out = end.timed_out;
  const std::string sorted = by_rank(output);
  result.report = errors + sorted;
  if (!result.failed)
    result.what = sorted;
  else if (end.timed_out)
    result.what = timeout_text(timeout) + "; nothing is decided while a rank's thread does not wait in MPI";
  else if (!state.empty())
    result.what = state;
  else
    result.what = last_word(errors);
  if (result.failed && result.what.empty())
    result.what = "exit code " + std::to_string(exit_code_of(end.status));
  return result;
}

}  // namespace

Search search_of(const Config& config, int ranks)
{
  Script every_token;
  every_token.ranks = ranks;
  every_token.modes = matching_modes(config, config.checks());
  return Search({config.explore_runs, config.explore_time}, every_token);
}

int explore_runs(const ProcessStart& start, const Config& config, Search& search, RunResults& results,
                 const std::function<void(Supervisor&, ProcessStart&)>& before_run,
                 const std::function<void()>& after_run)
{
  const TemporaryFile log;  // the script for a run, then its log
  const double timeout = config.timeout > 0 ? config.timeout : longest_run;
  int interrupted = 0;
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  while (const std::optional<Script> script = search.next()) {
    std::string lines;
    for (const Decision& decision : script->decisions) lines += Script::line(decision) + "\n";
    log.write(lines);
    const Capture output, errors;
    ProcessStart run = start;
    set_variable(run.environment, "RANKLET_EXPLORE_LOG", log.path());
    set_variable(run.environment, "RANKLET_TAG_OUTPUT", "yes");
    set_variable(run.environment, "RANKLET_PREPEND_PATTERN", "");
    set_variable(run.environment, "RANKLET_TIMESTAMP_OUTPUT", "no");
    run.standard = {input, output.descriptor(), errors.descriptor()};
    const RunEnd end = run_to_end(run, timeout, before_run);
    interrupted = end.interrupted_by;
    if (interrupted != 0) break;
    // Without the log's beginning the run has not come so far.
    const std::string text = log.read();
    search.learn(text.starts_with(log_begin) ? text.substr(std::strlen(log_begin)) : "", end.status != 0);
    results.add(search, result_of(end, timeout, search.state(), output.text(), errors.text()));
    if (after_run) after_run();
  }
  ::close(input);
  return interrupted;
}

int explore(const ProcessStart& start, const Config& config, int ranks)
{
  Search search = search_of(config, ranks);
  RunResults results;
  const int interrupted = explore_runs(start, config, search, results);
  std::fputs(results.text(search).c_str(), stdout);
  if (interrupted != 0) return 128 + interrupted;
  return results.failures() > 0 ? 1 : 0;
}

}  // namespace ranklet::launch
