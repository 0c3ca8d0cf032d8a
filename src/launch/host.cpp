// ranklet-host: the process in which ranks run as threads, each with its private image of the program.
//
// Started by mpiexec with the descriptor of a job description; settings come as RANKLET_* variables. The
// ranks' own variables are in the description: what is in this process's environment is nobody's.
//
// This executable must hold no thread_local variable (process/thread_storage.hpp), so neither may what it
// links.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/config.hpp"
#include "base/log.hpp"
#include "launch/interpreters.hpp"
#include "launch/job_description.hpp"
#include "launch/output_rules.hpp"
#include "launch/programs.hpp"
#include "launch/rank_threads.hpp"
#include "launch/sanitizer_hooks.hpp"
#include "launch/spawn.hpp"
#include "launch/standard_descriptors.hpp"
#include "launch/state_signal.hpp"
#include "launch/world.hpp"
#include "libc/ending_signals.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

// How long the job's end waits: for ranks that compute, for locks that may stay taken.
constexpr std::chrono::milliseconds time_to_rest{100};
constexpr std::chrono::milliseconds time_for_locks{1000};
// LeakSanitizer's own.
constexpr int exit_code_of_leaks = 23;

int nonzero_code(int code)
{
  return (code & 0xff) != 0 ? code & 0xff : 1;
}

// What all worlds of the process have in common, and its end.
class HostProcess {
 public:
  HostProcess(JobDescription description, Programs& programs)
      // Of ranks that come from processes, mpiexec has the streams.
      : output_(description.control < 0
                    ? output_settings(config(), description.size())
                    : std::vector<loader::RankOutputSettings>(static_cast<std::size_t>(description.size()))),
        input_(description.size(), description.control < 0 ? input_receiver(config(), description.size())
                                                           : loader::JobInput::nobody),
        crash_reports_(output_),
        parts_{programs,
               output_,
               input_,
               crash_reports_,
               handover::allowed_cpus(),
               [this](const std::string& text, bool wrong) { note_finding(text, wrong); },
               [this](const World& world, int rank, int code, std::string_view why) {
                 end(&world, rank, code, why);
               },
               [this](const JobToStart& job) { start_programs(job); }},
        reports_bindings_(config().report_bindings && description.control < 0),
        first_(std::make_shared<World>(std::move(description), parts_)),
        worlds_{first_}
  {
  }

  // Runs the job, and those that it starts, and returns the exit code.
  int run()
  {
    World& first = *first_;
    ending_signals_.emplace([this](const loader::SignalCause& cause) { end_by_signal(cause); },
                            [this](int signal) { return all_take(signal); });
    the_process = this;
    before_sanitizer_ends_process(end_by_sanitizer);
    print_state_on_signal(
        [&] { output_.note("mpiexec: the ranks at this moment:\n" + first.job().state()); });
    if (reports_bindings_) output_.note(first.placement().report() + first.thread_counts_text());
    log(LogLevel::info, "%s", Topology::machine().summary().c_str());
    first.start();
    // Only ranks that run start others.
    while (const std::shared_ptr<World> world = running_world()) world->wait_for_all();
    output_.flush();
    for (const std::shared_ptr<World>& world : worlds()) {
      world->await_threads();
      note_end(*world);
    }
    std::string text = last_words_;
    const int code = code_;
    const bool misses_ranks = first.misses_ranks();
    const std::vector<std::string> losses = output_.losses();
    for (const std::string& line : losses) text += "mpiexec: " + line + "\n";
    const std::lock_guard guard(mutex_);
    if (wrong_ > 0)
      text += "mpiexec: the usage checks have found " + std::to_string(wrong_) +
              (wrong_ == 1 ? " error or leak\n" : " errors or leaks\n");
    if (!text.empty()) output_.note(text);
    // The ranks' threads are still there: what only their thread-local variables point to is not lost.
    if (report_leaks()) {
      output_.note("mpiexec: LeakSanitizer has found memory that no rank can reach any more\n");
      if (code == 0) return exit_code_of_leaks;
    }
    crash_reports_.await_report();
    return code == 0 && (wrong_ > 0 || !losses.empty() || misses_ranks) ? 1 : code;
  }

 private:
  using Worlds = std::vector<std::shared_ptr<World>>;

  Worlds worlds() const
  {
    const std::lock_guard guard(mutex_);
    return worlds_;
  }

  std::shared_ptr<World> running_world() const
  {
    for (const std::shared_ptr<World>& world : worlds())
      if (!world->is_over()) return world;
    return nullptr;
  }

  void note_end(const World& world)
  {
    const std::lock_guard guard(mutex_);
    last_words_ += world.last_words();
    if (code_ == 0) code_ = world.code();
  }

  // What past worlds had is given back, when another one starts.
  void forget_past_worlds()
  {
    Worlds past;
    {
      const std::lock_guard guard(mutex_);
      const auto first = std::stable_partition(worlds_.begin(), worlds_.end(),
                                               [](const auto& world) { return !world->is_past(); });
      past.assign(first, worlds_.end());
      worlds_.erase(first, worlds_.end());
    }
    for (const std::shared_ptr<World>& world : past) note_end(*world);
  }

  void note_finding(const std::string& text, bool wrong)
  {
    {
      const std::lock_guard guard(mutex_);
      wrong_ += wrong ? 1 : 0;
    }
    output_.note(text);
  }

  // On the thread of the rank that asks.
  void start_programs(const JobToStart& job)
  {
    allocate_for_host();
    try {
      start_world(job);
    } catch (const Error& error) {
      allocate_for_program();
      fail(ErrorClass::spawn, "%s", error.message().c_str());
    }
    allocate_for_program();
  }

  void start_world(const JobToStart& job)
  {
    if (!config().record.empty() || !config().replay.empty() || config().explore)
      fail(ErrorClass::spawn, "a job that is recorded, replayed or explored cannot start others");
    forget_past_worlds();
    const loader::ProcessState& process = *loader::current_process();
    int universe_size = 0;
    int number = 0;
    {
      const std::lock_guard guard(mutex_);
      number = ++last_world_;
      for (const auto& world : worlds_) universe_size += world->size();
    }
    for (const ProgramToStart& program : job.programs) universe_size += program.ranks;
    universe_size = std::max(universe_size, first_->job().universe_size());
    JobDescription description = describe(job, *process.variables.environ_, universe_size);
    const int ranks = description.size();
    const int seat = output_.add(output_settings(config(), ranks, number));
    std::shared_ptr<World> world;
    try {
      world = std::make_shared<World>(std::move(description), parts_, job, number, seat);
    } catch (...) {
      output_.remove(seat, ranks);
      throw;
    }
    {
      const std::lock_guard guard(mutex_);
      worlds_.push_back(world);
    }
    try {
      world->start();
    } catch (const Error& error) {
      end(world.get(), -1, 1,
          std::string("cannot start: ") + error.message());  // others of its ranks may run
    }
  }

  // Ends the process; of threads that come here together only one does. There may be no memory left, also after
  // the last has been given back, as other ranks take some.
  [[noreturn]] void end(const World* world, int rank, int code, std::string_view why)
  {
    // Others wait for it in vain.
    why = world->reason(rank, why);
    if (!ending_.try_lock()) sleep_for_ever();
    last_memory_.reset();
    try {
      say_why(world, rank, code, why);
    } catch (const std::bad_alloc&) {
      constexpr std::string_view text = "mpiexec: the job ended: there is no memory left\n";
      if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(nonzero_code(code));
    }
    ::_exit(nonzero_code(code));
  }

  static std::string name_of(const World* world, int rank)
  {
    return rank >= 0 ? world->text_of(rank) : "the job";
  }

  void say_why(const World* world, int rank, int code, std::string_view why)
  {
    write_out_everything(world, rank);
    const std::string who = name_of(world, rank);
    // A report of several lines stands for itself; a line that says who and why follows in any case.
    std::string text(why);
    if (why.find('\n') != why.npos)
      text += std::string(why.ends_with('\n') ? "" : "\n") + "mpiexec: " + who + " ended" +
              (rank >= 0 ? " the job" : "") + " with code " + std::to_string(nonzero_code(code)) + "\n";
    else
      text = "mpiexec: " + who + " " + text + "\n";
    output_.note(text);
  }

  // What the ranks have printed so far, buffers included, from any thread. The rank `except` of the world,
  // which may be null, is just printing.
  void write_out_everything(const World* mine, int except)
  {
    const auto end = std::chrono::steady_clock::now() + time_to_rest;
    std::vector<std::shared_ptr<loader::LibcState>> states;
    const Worlds all = worlds();
    for (const std::shared_ptr<World>& world : all) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      world->await_rest(world.get() == mine ? except : -1, left);
      std::ranges::move(world->states(), std::back_inserter(states));
    }
    loader::Patience patience(time_for_locks);
    for (const std::shared_ptr<loader::LibcState>& state : states)
      if (state) loader::flush_stdio_after_crash(*state, patience);
    output_.flush_after_crash(patience);
  }

  // Gives a signal from outside to the ranks that run; false if it is to end one of them.
  bool all_take(int signal)
  {
    bool all = true;
    int running = 0;
    for (const std::shared_ptr<World>& world : worlds()) all = world->all_take(signal, running) && all;
    return all && running > 0;
  }

  // The world of a rank; null if there is none.
  static const World* world_of(const loader::ProcessState* process)
  {
    return process != nullptr ? static_cast<const World*>(&process->host) : nullptr;
  }

  // Called on a thread that belongs to nobody; the process ends by the signal when it returns.
  void end_by_signal(const loader::SignalCause& cause)
  {
    if (!ending_.try_lock()) sleep_for_ever();
    const World* const world = world_of(cause.process);
    const int rank = world != nullptr ? cause.process->rank : -1;
    std::string who = name_of(world, rank) + " " + signal_text(cause.signal);
    // What mpiexec sends it explains itself, and who types ctrl-C knows.
    const bool is_known = rank < 0 && (cause.sender == 0 || cause.sender == ::getppid());
    if (rank < 0 && !is_known) who += ", sent by process " + std::to_string(cause.sender);
    write_out_everything(world, rank);
    if (is_known) return;
    // The thread that got SIGPIPE holds what it was writing with.
    const auto lock = output_.hold_notes();
    const std::string line = "mpiexec: " + who + "\n";
    if (::write(output_.note_descriptor(), line.data(), line.size()) < 0) return;
  }

  // The runtime then ends the process, with a code of its own.
  static void end_by_sanitizer()
  {
    if (!the_process->ending_.try_lock()) return;
    const loader::ProcessState* const process = loader::current_process();
    const World* const world = world_of(process);
    const int rank = world != nullptr ? process->rank : -1;
    the_process->write_out_everything(world, rank);
    the_process->output_.note("mpiexec: " + name_of(world, rank) + " was ended by a sanitizer\n");
  }

  static inline HostProcess* the_process = nullptr;  // for the sanitizer

  loader::JobOutput output_;
  loader::JobInput input_;
  loader::CrashReports crash_reports_;
  const HostParts parts_;
  const bool reports_bindings_;
  const std::shared_ptr<World> first_;  // of mpiexec
  mutable std::mutex mutex_;            // guards the next five
  Worlds worlds_;                       // that are not past, in the order of their starts
  std::string last_words_;              // of those that are
  int code_ = 0;
  int last_world_ = 1;
  int wrong_ = 0;      // findings that are errors or leaks
  std::mutex ending_;  // taken once, by the thread that ends the process
  std::optional<loader::EndingSignals> ending_signals_;
  std::unique_ptr<char[]> last_memory_{
      new char[std::size_t{1} << 20]};  // for what is to be said when all is used
};

int run_host(int argc, char** argv)
{
  loader::restore_host_environment();
  allocate_for_host();
  if (argc != 2) {
    std::fputs("ranklet-host is started by mpiexec\n", stderr);
    return 2;
  }
  const int descriptor = std::atoi(argv[1]);
  JobDescription description = read_description(descriptor);

  std::vector<std::string> paths = {description.first_program};
  if (description.control < 0) {
    paths.clear();
    for (const Program& program : description.programs) paths.push_back(program.path);
  }
  auto& programs = *new Programs;
  for (const std::string& path : paths) programs.at(path);
  loader::ensure_thread_storage(programs.need(), argv);  // may execute this program again
  ::close(descriptor);
  if (description.control >= 0) ::fcntl(description.control, F_SETFD, FD_CLOEXEC);
  if (::chdir(description.programs[0].directory.c_str()) != 0)
    fail(ErrorClass::no_such_file, "the directory %s cannot be entered",
         description.programs[0].directory.c_str());
  ::prctl(PR_SET_NAME, shown_name(description.programs[0]).c_str());
  // Never destroyed: threads that the ranks left behind may still run when the job's code is known.
  auto* const host = new HostProcess(std::move(description), programs);
  const int code = host->run();
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace
}  // namespace ranklet::launch

int main(int argc, char** argv)
{
  ranklet::launch::open_standard_descriptors();
  try {
    return ranklet::launch::run_host(argc, argv);
  } catch (const ranklet::Error& error) {
    std::fprintf(stderr, "mpiexec: %s\n", error.what());
    ::_exit(error.error_class() == ranklet::ErrorClass::no_such_file ? 127 : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpiexec: the job cannot be started: %s\n", error.what());
    ::_exit(1);
  }
}
