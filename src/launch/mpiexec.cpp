// mpiexec and mpirun: finds out what to run and how, then supervises it.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <limits>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/config.hpp"
#include "base/log.hpp"
#include "explore/script.hpp"
#include "handover/singleton.hpp"
#include "launch/check_all.hpp"
#include "launch/command_line.hpp"
#include "launch/explored_jobs.hpp"
#include "launch/host_start.hpp"
#include "launch/install_paths.hpp"
#include "launch/interpreters.hpp"
#include "launch/job_description.hpp"
#include "launch/option_rules.hpp"
#include "launch/output_rules.hpp"
#include "launch/processes.hpp"
#include "launch/program_search.hpp"
#include "launch/standard_descriptors.hpp"
#include "launch/supervisor.hpp"
#include "loader/loader.hpp"
#include "machine/placement.hpp"
#include "process/mpi_library.hpp"
#include "ranks/foreign_start.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

void say(const std::string& text)
{
  std::fprintf(stderr, "mpiexec: %s\n", text.c_str());
}

JobDescription describe(const CommandLine& line, const Config& settings)
{
  const std::string here = current_directory();
  JobDescription job;
  job.universe_size = line.universe_size;
  job.verbose = line.verbose;
  job.print_all_exit_codes = line.print_all_exit_codes;
  for (const ProgramRequest& request : line.programs) {
    Program program;
    program.directory = request.directory.empty() ? here : absolute(request.directory, here);
    if (!exists(program.directory))
      fail(ErrorClass::no_such_file, "there is no directory %s", program.directory.c_str());
    program.path = find_program(request.arguments[0], request.search_path, program.directory, here);
    program.ranks = request.ranks;
    if (program.ranks == 0) program.ranks = ranks_by_mapping(settings.map_by);
    if (program.ranks == 0) program.ranks = static_cast<int>(settings.ranks);
    if (program.ranks == 0) program.ranks = Topology::machine().usable_cpus();
    if (program.ranks > std::numeric_limits<int>::max() - job.size()) too_many_ranks();
    program.arguments = request.arguments;
    program.environment = request.environment;
    if (const std::string note = use_interpreter(program, settings.interpreters);
        !note.empty() && !line.quiet)
      say("warning: " + note);
    job.programs.push_back(std::move(program));
  }
  return job;
}

bool same_file(const std::string& a, const std::string& b)
{
  struct stat first {};
  struct stat second {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// The ABI lets ranks use our library whichever one their program was linked to, but nobody shall be
// surprised.
void warn_of_other_library(const JobDescription& job)
{
  const std::string own = install_paths().library_dir + "/" + loader::mpi_library;
  for (const Program& program : job.programs) {
    const std::string other = loader::mpi_library_of_program(program.path);
    if (other.empty() || same_file(other, own)) continue;
    say("warning: by its own paths " + base_name(program.path) + " would use " + other + "; its ranks use " +
        own);
    return;
  }
}

int run_ranks(const JobDescription& job, const Config& config)
{
  input_receiver(config, job.size());  // complains about --stdin before anything starts
  const int description = write_description(job);
  const ProcessStart start = host_start(job, config, description);
  if (config.explore) return explore(start, config, job.size());
  if (config.check == CheckMode::all) return check_all(start, config, job.size());
  Supervisor supervisor(config.timeout, SIGUSR1);
  supervisor.add_child(start_process(start));
  ::close(description);

  int result = 0;
  supervisor.run([&](pid_t, int status) {
    result = exit_code_of(status);
    // The host reports its ranks' ends and crashes itself, unless it had no chance.
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !supervisor.timed_out() &&
        supervisor.interrupted_by() == 0)
      say("all ranks were killed by signal 9 (Killed): by the system if memory ran out, or by a user");
  });
  if (supervisor.timed_out()) {
    std::fprintf(stderr, "mpiexec: the job was ended after its timeout of %g s\n", config.timeout);
    return 124;
  }
  return supervisor.interrupted_by() != 0 ? 128 + supervisor.interrupted_by() : result;
}

Config settings_of(const CommandLine& line)
{
  Config settings = config();
  const Config defaults;
  if (settings.timeout == defaults.timeout) {
    if (const char* const text = environment_variable("MPIEXEC_TIMEOUT"))  // MPICH's and Open MPI's
      find_config_option("timeout")->set(settings, text);
  }
  for (const auto& [option, given] : line.settings) {
    // The host may run in another directory.
    const bool file = option->name == "record" || option->name == "check-report" ||
                      (option->name == "replay" && !Script::is_token(given));
    const std::string value = file ? absolute(given, current_directory()) : given;
    option->set(settings, value);
    ::setenv(option->variable().c_str(), value.c_str(), 1);  // for the host
  }
  return settings;
}

// handover::singleton_word
[[noreturn]] void run_singleton(const std::vector<std::string>& arguments)
{
  Program program;
  program.path = arguments.at(1);
  program.arguments.assign(arguments.begin() + 2, arguments.end());
  for (char** entry = environ; *entry != nullptr; ++entry) program.environment.emplace_back(*entry);
  // Another launcher's process says so itself, in MPI_Init.
  if (foreign_start().empty()) {
    try {
      program.directory = current_directory();
      loader::check_loadable(program.path);
      JobDescription job;
      job.programs = {program};
      job.is_singleton = true;
      execute(host_start(job, config(), write_description(job)));
    } catch (const Error& error) {
      log(LogLevel::info, "no host for %s: %s", program.path.c_str(), error.message().c_str());
    }
  }
  ::setenv("RANKLET_SINGLETON", "plain", 1);  // not again
  ProcessStart itself;
  itself.path = program.path;
  itself.arguments = program.arguments;
  for (char** entry = environ; *entry != nullptr; ++entry) itself.environment.emplace_back(*entry);
  execute(itself);
  fail(ErrorClass::access, "%s cannot be started: %s", program.path.c_str(), std::strerror(errno));
}

int run_mpiexec(const std::vector<std::string>& arguments)
{
  if (arguments.size() > 2 && arguments[0] == handover::singleton_word) run_singleton(arguments);
  const CommandLine line = parse_command_line(arguments, environ);
  switch (line.action) {
    case CommandLine::Action::help:
      std::fputs(help_text().c_str(), stdout);
      return 0;
    case CommandLine::Action::help_options:
      std::fputs(config_help().c_str(), stdout);
      return 0;
    case CommandLine::Action::version:
      std::fputs(version_text().c_str(), stdout);
      return 0;
    case CommandLine::Action::run:
      break;
  }
  const Config settings = settings_of(line);
  if (!line.quiet) {
    for (const std::string& warning : settings.warnings) say("warning: " + warning);
    for (const std::string& note : line.notes) say("warning: " + note);
    if (const std::string start = foreign_start();
        !start.empty() && foreign_launcher() != ForeignLauncher::allow)
      say("warning: mpiexec itself was started " + start + ": there will be as many jobs");
  }
  const bool repeats = settings.explore || settings.check == CheckMode::all;
  if (!settings.record.empty() + !settings.replay.empty() + settings.explore +
          (settings.check == CheckMode::all) >
      1)
    fail(ErrorClass::arg, "of --record, --replay, --explore and --check=all only one can be given");
  if (!settings.universe.empty() && (!settings.record.empty() || !settings.replay.empty() || repeats))
    fail(ErrorClass::arg,
         "--record, --replay, --explore and --check=all take a job alone, without --universe");
  if (settings.explore && !settings.check_report.empty())
    fail(ErrorClass::arg, "--check-report takes a job alone, not the runs of --explore");
  const JobDescription job = describe(line, settings);
  // Refuse a bad policy here, with mpiexec's name on the message.
  if (settings.bind_to + settings.map_by + settings.rank_by != "autoautoauto")
    plan_binding(Topology("pu:1"), CpuSet(), {1, 1, settings.bind_to, settings.map_by, settings.rank_by});
  const bool mpi = uses_mpi(job);
  if (!mpi && (repeats || !settings.universe.empty()))
    fail(ErrorClass::arg, "%s does not use MPI: %s takes ranks alone",
         base_name(
             std::ranges::find_if(
                 job.programs, [](const Program& program) { return !loader::is_mpi_program(program.path); })
                 ->path)
             .c_str(),
         settings.explore ? "--explore"
         : repeats        ? "--check=all"
                          : "--universe");
  if (job.verbose) {
    for (const Program& program : job.programs)
      say(std::to_string(program.ranks) + (mpi ? " ranks of " : " processes of ") +
          (shown_name(program) == base_name(program.path) ? program.path : program.arguments[0]) + " in " +
          program.directory);
  }
  if (mpi && !line.quiet) warn_of_other_library(job);
  return mpi ? run_ranks(job, settings) : run_processes(job, settings);
}

}  // namespace
}  // namespace ranklet::launch

int main(int argc, char** argv)
{
  ranklet::launch::open_standard_descriptors();
  try {
    return ranklet::launch::run_mpiexec(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const ranklet::Error& error) {
    std::fprintf(stderr, "mpiexec: %s\n", error.what());
    switch (error.error_class()) {  // as shells do
      case ranklet::ErrorClass::no_such_file:
        return 127;
      case ranklet::ErrorClass::access:
        return 126;
      default:
        return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpiexec: the job cannot be started: %s\n", error.what());
    return 1;
  }
}
