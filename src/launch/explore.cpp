#include "launch/explore.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/arbiters.hpp"
#include "explore/search.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

namespace {

// A file without a name, for what a run writes.
class Capture {
 public:
  Capture() : file_(std::tmpfile())
  {
    if (!file_) fail(ErrorClass::no_space, "no temporary file: %s", std::strerror(errno));
  }
  ~Capture() { std::fclose(file_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  int descriptor() const { return ::fileno(file_); }
  std::string text() const
  {
    std::string result;
    std::rewind(file_);
    char part[4096];
    while (const std::size_t bytes = std::fread(part, 1, sizeof part, file_)) result.append(part, bytes);
    return result;
  }

 private:
  std::FILE* file_;
};

// The script for a run, then its log.
class LogFile {
 public:
  LogFile()
  {
    const char* const directory = environment_variable("TMPDIR");
    path_ = std::string(directory ? directory : "/tmp") + "/ranklet-explore-XXXXXX";
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0)
      fail(ErrorClass::no_space, "no temporary file %s: %s", path_.c_str(), std::strerror(errno));
    ::close(descriptor);
  }
  ~LogFile() { ::unlink(path_.c_str()); }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  const std::string& path() const { return path_; }
  void write(const Script& script) const
  {
    std::ofstream file(path_, std::ios::trunc);
    for (const Decision& decision : script.decisions) file << Script::line(decision) << '\n';
  }
  std::string read() const
  {
    std::ifstream file(path_);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    // Without the beginning the run has not come so far.
    return text.starts_with(log_begin) ? text.substr(std::strlen(log_begin)) : std::string();
  }

 private:
  std::string path_;
};

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

// What the host's last line says: "rank 1 exited with code 3".
std::string last_word(const std::string& report)
{
  constexpr std::string_view name = "mpiexec: ";
  std::string found;
  std::istringstream stream(report);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(name)) found = line.substr(name.size());
  return found;
}

void set_variable(std::vector<std::string>& environment, const std::string& name, const std::string& value)
{
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  environment.push_back(name + "=" + value);
}

// Seconds for a run without --timeout: one that polls what no arbiter decides never ends if what it waits for
// has to be decided first.
constexpr double longest_run = 60;

std::string seconds(double time)
{
  std::ostringstream text;
  text << time;
  return text.str();
}

RunResult result_of(int status, double timeout, bool timed_out, const std::string& state,
                    const std::string& output, const std::string& errors)
{
  RunResult result;
  result.failed = status != 0;
  const std::string sorted = by_rank(output);
  result.report = errors + sorted;
  if (!result.failed)
    result.what = sorted;
  else if (timed_out)
    result.what = "had not ended after " + seconds(timeout) +
                  " s (--timeout); nothing is decided while a rank's thread does not wait in MPI";
  else if (!state.empty())
    result.what = state;
  else
    result.what = last_word(errors);
  if (result.failed && result.what.empty()) result.what = "exit code " + std::to_string(exit_code_of(status));
  return result;
}

}  // namespace

int explore(const ProcessStart& start, const Config& config, int ranks)
{
  const LogFile log;
  Script every_token;
  every_token.ranks = ranks;
  every_token.modes = matching_modes(config, config.checks());
  const double timeout = config.timeout > 0 ? config.timeout : longest_run;
  Search search({config.explore_runs, config.explore_time}, every_token);
  RunResults results;
  int interrupted = 0;
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  while (const std::optional<Script> script = search.next()) {
    log.write(*script);
    const Capture output, errors;
    ProcessStart run = start;
    set_variable(run.environment, "RANKLET_EXPLORE_LOG", log.path());
    set_variable(run.environment, "RANKLET_TAG_OUTPUT", "yes");
    set_variable(run.environment, "RANKLET_PREPEND_PATTERN", "");
    set_variable(run.environment, "RANKLET_TIMESTAMP_OUTPUT", "no");
    run.standard = {input, output.descriptor(), errors.descriptor()};
    Supervisor supervisor(timeout, SIGUSR1);
    supervisor.add_child(start_process(run));
    int status = 0;
    supervisor.run([&](pid_t, int ended) { status = ended; });
    interrupted = supervisor.interrupted_by();
    if (interrupted != 0) break;
    search.learn(log.read(), status != 0);
    results.add(search, result_of(status, timeout, supervisor.timed_out(), search.state(), output.text(),
                                  errors.text()));
  }
  ::close(input);
  std::fputs(results.text(search).c_str(), stdout);
  if (interrupted != 0) return 128 + interrupted;
  return results.failures() > 0 ? 1 : 0;
}

}  // namespace ranklet::launch
