#include "launch/check_all.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/wording.hpp"
#include "explore/search.hpp"
#include "launch/explored_jobs.hpp"
#include "launch/finding_records.hpp"
#include "launch/kept_run.hpp"
#include "launch/problems.hpp"
#include "launch/repeated_input.hpp"
#include "ranks/findings_report.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

// How the job is run: mpiexec's options, and the variables that mean the same.
struct Way {
  const char* options;
  std::vector<std::pair<const char*, const char*>> variables;
};

const Way ways[] = {
    {"--check", {}},
    {"--check --sends synchronise --collectives synchronise",
     {{"RANKLET_SENDS", "synchronise"}, {"RANKLET_COLLECTIVES", "synchronise"}}},
    {"--check --sends buffer --collectives loose",
     {{"RANKLET_SENDS", "buffer"}, {"RANKLET_COLLECTIVES", "loose"}}},
};
constexpr const char* explored = "--check --explore";

// Limits of the exploration where the user gives none.
constexpr std::int64_t most_runs = 200;
constexpr double most_seconds = 30;

// Mpiexec's standard error, where the first run's goes as it comes; a copy is kept.
class SeenErrors {
 public:
  // The descriptor for the run; give() closes it here when the run has its own.
  int watch(Supervisor& supervisor)
  {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail(ErrorClass::no_mem, "no pipe");
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    supervisor.add_file(ends[0], POLLIN, Supervisor::FileKind::child_output,
                        [this, from = ends[0]](short) { return pass_on(from); });
    write_end_ = ends[1];
    return write_end_;
  }
  void give()
  {
    if (write_end_ >= 0) ::close(std::exchange(write_end_, -1));
  }
  const std::string& text() const { return text_; }

 private:
  bool pass_on(int from)
  {
    char bytes[65536];
    const ssize_t got = ::read(from, bytes, sizeof bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (got <= 0) {
      ::close(from);
      return false;
    }
    text_.append(bytes, static_cast<std::size_t>(got));
    std::fwrite(bytes, 1, static_cast<std::size_t>(got), stderr);
    return true;
  }

  int write_end_ = -1;
  std::string text_;
};

// Of a job that has failed, one line.
std::string reason(const RunEnd& end, double timeout, const std::string& errors)
{
  if (end.timed_out) return timeout_text(timeout);
  std::istringstream stream(errors);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("deadlock: ") || line.starts_with("suspected deadlock: ")) return "deadlock";
  const std::string word = last_word(errors);
  return word.empty() ? "exit code " + std::to_string(exit_code_of(end.status)) : word;
}

class CheckAll {
 public:
  CheckAll(const ProcessStart& start, const Config& config, int ranks)
      : start_(start), config_(config), ranks_(ranks)
  {
    set_variable(start_.environment, "RANKLET_CHECK", "yes");
    set_variable(start_.environment, "RANKLET_CHECK_REPORT", "");
    set_variable(start_.environment, "RANKLET_CHECK_LOG", records_.path());
  }

  int run()
  {
    for (const Way& way : ways)
      if (!interrupted_) run_once(way);
    if (!interrupted_) run_explored();
    if (!config_.check_report.empty()) {
      check::FindingsReport report(config_.check_report);
      for (const check::Finding& finding : problems_.findings()) report.add(finding);
    }
    std::fputs(text().c_str(), stderr);
    if (interrupted_) return 128 + interrupted_;
    return first_code_ != 0 ? first_code_ : problems_.errors() > 0 ? 1 : 0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point begin)
  {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  void run_once(const Way& way)
  {
    const bool first = &way == std::begin(ways);
    const Capture output, errors;
    SeenErrors seen;
    ProcessStart run = start_;
    for (const auto& [name, value] : way.variables) set_variable(run.environment, name, value);
    if (!first) {
      run.standard[1] = output.descriptor();
      run.standard[2] = errors.descriptor();
    }
    const double timeout = limit();
    const Clock::time_point begin = Clock::now();
    const RunEnd end = run_to_end(
        run, timeout,
        [&](Supervisor& supervisor, ProcessStart& to_start) {
          to_start.standard[0] = input_.next(supervisor);
          if (first) to_start.standard[2] = seen.watch(supervisor);
        },
        [&] { seen.give(); });
    const double seconds = since(begin);
    if (first) {
      first_seconds_ = seconds;
      first_code_ = end.timed_out ? 124 : exit_code_of(end.status);
    }
    interrupted_ = end.interrupted_by;
    if (interrupted_) return;
    take_findings(way.options);
    if (end.status != 0 || end.timed_out) {
      const std::string text = first ? seen.text() : errors.text();
      problems_.add_failure(reason(end, timeout, text), text, way.options, "", first);
    }
    add_line(way.options, "1 run", seconds, "");
  }

  // Other ways may take longer, but not for ever.
  double limit() const
  {
    if (config_.timeout > 0 || first_seconds_ < 0) return config_.timeout;
    return std::max(longest_run, 20 * first_seconds_);
  }

  void run_explored()
  {
    Config settings = config_;
    settings.check = CheckMode::yes;
    const Config defaults;
    if (settings.explore_runs == defaults.explore_runs) settings.explore_runs = most_runs;
    if (settings.explore_time == defaults.explore_time) settings.explore_time = most_seconds;
    settings.timeout = limit();
    Search search = search_of(settings, ranks_);
    RunResults results;
    const Clock::time_point begin = Clock::now();
    interrupted_ = explore_runs(
        start_, settings, search, results,
        [&](Supervisor& supervisor, ProcessStart& run) { run.standard[0] = input_.next(supervisor); },
        [&] { take_findings(explored); });
    if (interrupted_) return;
    const double seconds = since(begin);
    if (search.starts_jobs()) return add_line(explored, "-", seconds, "not tried: the program starts others");
    std::int64_t slow = 0;
    for (const RunResults::EqualRuns& group : results.groups()) {
      // A program that polls for something else than a message is not wrong.
      if (group.first.timed_out)
        slow += group.runs;
      else if (group.first.failed)
        problems_.add_failure(group.first.what, group.first.report, explored, "--replay " + group.token,
                              false);
    }
    std::string covered =
        search.complete() ? "every way in which messages can match" : "not complete: " + search.missing();
    if (slow > 0) covered += "; " + counted(slow, "run") + " had not ended after the time for one";
    if (results.results() > 1) covered += "; " + std::to_string(results.results()) + " different results";
    add_line(explored, counted(search.runs(), "run"), seconds, covered);
  }

  void take_findings(const char* way)
  {
    for (const check::Finding& finding : read_findings(records_.read())) problems_.add(finding, way);
    records_.write("");
  }

  void add_line(const char* way, const std::string& runs, double seconds, const std::string& covered)
  {
    const int found = problems_.count(way);
    const int fresh = problems_.count() - known_;
    known_ = problems_.count();
    char line[256];
    std::snprintf(line, sizeof line, "  %-56s%9s %8.2f s  ", way, runs.c_str(), seconds);
    lines_ += line + counted(found, "problem") +
              (fresh > 0 && fresh < found ? ", " + std::to_string(fresh) + " new" : "") +
              (covered.empty() ? "" : "; " + covered) + "\n";
  }

  std::string text() const
  {
    return "mpiexec --check=all: " +
           (problems_.count() == 0 ? std::string("nothing was found")
                                   : counted(problems_.count(), "problem")) +
           "\n" + problems_.text() + lines_;
  }

  ProcessStart start_;
  const Config& config_;
  const int ranks_;
  const TemporaryFile records_;
  RepeatedInput input_;
  Problems problems_;
  std::string lines_;
  int known_ = 0;  // of the problems, when the last line was made
  double first_seconds_ = -1;
  int first_code_ = 0;
  int interrupted_ = 0;
};

}  // namespace

int check_all(const ProcessStart& start, const Config& config, int ranks)
{
  return CheckAll(start, config, ranks).run();
}

}  // namespace ranklet::launch
