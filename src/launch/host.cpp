// ranklet-host: the process in which a job's ranks run as threads, each with its private image of the
// program.
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
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config.hpp"
#include "base/log.hpp"
#include "launch/arrivals.hpp"
#include "launch/interpreters.hpp"
#include "launch/job_description.hpp"
#include "launch/output_rules.hpp"
#include "launch/rank_ends.hpp"
#include "launch/rank_stack.hpp"
#include "launch/rank_threads.hpp"
#include "launch/sanitizer_hooks.hpp"
#include "launch/standard_descriptors.hpp"
#include "launch/state_signal.hpp"
#include "libc/crash_report.hpp"
#include "libc/directory.hpp"
#include "libc/ending_signals.hpp"
#include "libc/state.hpp"
#include "loader/loader.hpp"
#include "machine/placement.hpp"
#include "ranks/hosting.hpp"
#include "ranks/start_info.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

// How long the job's end waits: for ranks that compute, for locks that may stay taken.
constexpr std::chrono::milliseconds time_to_rest{100};
constexpr std::chrono::milliseconds time_for_locks{1000};
// LeakSanitizer's own.
constexpr int exit_code_of_leaks = 23;

[[noreturn]] void sleep_for_ever()
{
  while (true) ::pause();
}

int nonzero_code(int code)
{
  return (code & 0xff) != 0 ? code & 0xff : 1;
}

// Splits RANKLET_SHARE_LIBRARIES.
std::vector<std::string> split_names(const std::string& text)
{
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

loader::LoaderOptions loader_options()
{
  loader::LoaderOptions options;
  options.shared_libraries = split_names(config().share_libraries);
  return options;
}

class HostProcess final : public loader::Host {
 public:
  HostProcess(JobDescription description, std::vector<std::unique_ptr<loader::Program>> programs)
      : description_(std::move(description)),
        programs_(std::move(programs)),
        ranks_(description_.size()),
        placement_(Topology::machine(), ranks_, config()),
        // Of ranks that come from processes, mpiexec has the streams.
        output_(description_.control < 0 ? output_settings(config(), ranks_)
                                         : std::vector<loader::RankOutputSettings>(description_.size())),
        input_(ranks_,
               description_.control < 0 ? input_receiver(config(), ranks_) : loader::JobInput::nobody),
        crash_reports_(output_),
        ends_(ranks_),
        threads_(ranks_),
        states_(static_cast<std::size_t>(ranks_)),
        runs_(static_cast<std::size_t>(ranks_))
  {
    HostedJobOptions options;
    options.size = ranks_;
    options.wait = placement_.wait_policy();
    options.eager_limit = config().eager_bytes();
    options.universe_size = description_.universe_size > 0
                                ? description_.universe_size
                                : std::max(ranks_, Topology::machine().usable_cpus());
    for (int rank = 0; rank < ranks_; ++rank) options.app_numbers.push_back(description_.program_of(rank));
    for (const Program& program : description_.programs)
      options.programs.push_back(start_info(program.arguments, program.directory, program.ranks));
    options.live_threads = [this](int rank) { return live_threads(rank); };
    options.reports_deadlocks = config().deadlock_report == Choice::yes;
    options.places = [this] { return placement_.places(); };
    options.checks = config().check;
    options.on_finding = [this](const std::string& text, bool wrong) { note_finding(text, wrong); };
    options.on_abort = [this](int rank, int code, const std::string& why) { abort(rank, code, why); };
    job_ = make_hosted_job(std::move(options));
  }

  // Runs the job and returns its exit code.
  int run()
  {
    ending_signals_.emplace([this](const loader::SignalCause& cause) { end_by_signal(cause); },
                            [this](int signal) { return all_take(signal); });
    the_process = this;
    before_sanitizer_ends_process(end_by_sanitizer);
    print_state_on_signal([this] { output_.note("mpiexec: the ranks at this moment:\n" + job_->state()); });
    if (config().report_bindings && description_.control < 0)
      output_.note(placement_.report() + thread_counts_text());
    log(LogLevel::info, "%s", Topology::machine().summary().c_str());
    if (description_.control >= 0) {
      take_in_ranks();
    } else {
      const std::size_t size = stack_size(config().stack);
      for (int rank = 0; rank < ranks_; ++rank) start_thread(rank, run_of_description(rank), size);
      ends_.wait_for_all();
    }
    output_.flush();
    std::string text;
    const std::vector<int> missing = arrivals_ ? arrivals_->missing() : std::vector<int>();
    if (!missing.empty())
      text += std::string("mpiexec: ") + (missing.size() > 1 ? "ranks " : "rank ") + ranges_text(missing) +
              " " + clause_of_missing + ", but others have\n";
    const std::vector<std::string> losses = output_.losses();
    for (const std::string& line : losses) text += "mpiexec: " + line + "\n";
    const std::lock_guard guard(mutex_);
    if (wrong_ > 0)
      text += "mpiexec: the usage checks have found " + std::to_string(wrong_) +
              (wrong_ == 1 ? " error or leak\n" : " errors or leaks\n");
    // Processes that stand for ranks end in their own ways.
    if (!arrivals_)
      for (const std::string& line : ends_.lines(description_.print_all_exit_codes))
        text += "mpiexec: " + line + "\n";
    if (!text.empty()) output_.note(text);
    const int code = ends_.job_code();
    // The ranks' threads are still there: what only their thread-local variables point to is not lost.
    if (report_leaks()) {
      output_.note("mpiexec: LeakSanitizer has found memory that no rank can reach any more\n");
      if (code == 0) return exit_code_of_leaks;
    }
    crash_reports_.await_report();
    return code == 0 && (wrong_ > 0 || !losses.empty() || !missing.empty()) ? 1 : code;
  }

  // --- loader::Host

  void image_ready(loader::ProcessState& process) override
  {
    process.libc = std::make_shared<loader::LibcState>(process, output_, input_);
    {
      const std::lock_guard guard(mutex_);
      states_[static_cast<std::size_t>(process.rank)] = process.libc;
    }
    crash_reports_.add(process.libc);
    const RankRun& run = run_of(process.rank);
    if (run.arrival)
      take_over(*run.arrival, process);
    else if (directories_differ() && (!process.libc->own_directory || ::chdir(run.directory.c_str()) != 0))
      abort(process.rank, 1, "cannot have its working directory " + run.directory);
    allocate_for_program();
  }

  void thread_starts(loader::ProcessState& process) override
  {
    job_->bind_thread(process.rank);
    loader::use_alternate_stack();
    process.libc->enter_thread();
    // Inherited, which a sanitizer does not know.
    if (char name[16]; sanitizer_is_present() && ::prctl(PR_GET_NAME, name) == 0) ::prctl(PR_SET_NAME, name);
  }

  void thread_ends(loader::ProcessState& process) override
  {
    process.libc->leave_thread();
    loader::drop_alternate_stack();
    job_->bind_thread(-1);
  }

  void process_exits(loader::ProcessState& process, int) override { process.libc->finish(); }

  void exited_on_other_thread(loader::ProcessState& process, int code) override
  {
    rank_ended(process.rank, code);
  }

  // _exit: the rank ends without its exit handlers. Its other threads would have died in a process of their
  // own.
  [[noreturn]] void end_job(loader::ProcessState& process, int code) override
  {
    if ((code & 0xff) != 0) {
      if (job_->mpi_active(process.rank)) job_->rank_fails(process.rank);
      abort(process.rank, code, exit_text(code & 0xff));
    }
    rank_ended(process.rank, code);
    sleep_for_ever();
  }

 private:
  // What a rank runs.
  struct RankRun {
    loader::Program* program;
    std::vector<std::string> arguments, environment;
    std::string directory;             // absolute
    std::shared_ptr<Arrival> arrival;  // null: it is in the description
  };

  struct RankStart {
    HostProcess* host;
    int rank;
  };

  static constexpr const char* clause_of_missing = "ended without a program that calls MPI_Init";

  // Threads that are being made count: they will run soon. Many, while the program is not loaded.
  int live_threads(int rank)
  {
    const std::shared_ptr<loader::LibcState> state = state_of(rank);
    if (!state) return std::numeric_limits<int>::max();
    const std::lock_guard guard(state->process.threads_mutex);
    return static_cast<int>(state->process.threads.size()) + state->process.starting_threads;
  }

  void note_finding(const std::string& text, bool wrong)
  {
    {
      const std::lock_guard guard(mutex_);
      wrong_ += wrong ? 1 : 0;
    }
    output_.note(text);
  }

  RankRun run_of_description(int rank) const
  {
    const auto index = static_cast<std::size_t>(description_.program_of(rank));
    const Program& program = description_.programs[index];
    std::vector<std::string> environment = rank_environment(description_, rank);
    set_thread_counts(program, placement_.cores_of(rank), environment);
    return {programs_[index].get(), program.arguments, std::move(environment), program.directory, nullptr};
  }

  // For --report-bindings, if some rank interprets.
  std::string thread_counts_text() const
  {
    std::vector<std::string> none;
    for (const Program& program : description_.programs)
      if (const std::string names = set_thread_counts(program, 1, none); !names.empty())
        return names + ": the cores of the rank, where they are not set\n";
    return "";
  }

  // Of a rank that has begun.
  const RankRun& run_of(int rank) const { return *runs_[static_cast<std::size_t>(rank)]; }

  void take_in_ranks()
  {
    Arrivals::Events events;
    events.comes = [this](int rank, std::shared_ptr<Arrival> arrival) {
      rank_comes(rank, std::move(arrival));
    };
    events.is_signalled = [this](int rank, int signal) {
      const std::shared_ptr<loader::LibcState> state = state_of(rank);
      if (state) state->signals.send(state->process, signal, nullptr);
    };
    events.is_killed = [this](int rank) { abort(rank, 128 + SIGKILL, "was killed: its process has gone"); };
    events.is_missing = [this](int rank) { job_->rank_ended(rank, 0); };
    arrivals_.emplace(description_.control, ranks_, std::move(events));
    arrivals_->start();
    arrivals_->wait_for_all();
  }

  void rank_comes(int rank, std::shared_ptr<Arrival> arrival)
  {
    allocate_for_host();
    handover::ProgramState& state = arrival->program;
    state.raise_limits();
    try {
      const std::size_t size =
          stack_size(config().stack, state.limits[static_cast<std::size_t>(RLIMIT_STACK)]);
      RankRun run{&program_at(state.path), std::move(state.arguments),
                  rank_environment(description_, rank, state.environment), "", std::move(arrival)};
      start_thread(rank, std::move(run), size);
    } catch (const Error& error) {
      cannot_run(rank, error.message().c_str());
    }
  }

  // On the thread that takes ranks in.
  loader::Program& program_at(const std::string& path)
  {
    for (const auto& program : programs_)
      if (program->path() == path) return *program;
    auto program = std::make_unique<loader::Program>(path, loader_options());
    const loader::StorageNeed need = program->thread_storage();
    const loader::StorageNeed have = loader::thread_storage_capacity();
    if (need.bytes > have.bytes || need.alignment > have.alignment)
      fail(ErrorClass::no_mem,
           "its thread-local variables need %zu bytes, but the job has begun with room for %zu: start it "
           "by mpiexec itself",
           need.bytes, have.bytes);
    return *programs_.emplace_back(std::move(program));
  }

  // What belongs to the process, on the rank's main thread.
  void take_over(const Arrival& arrival, loader::ProcessState& process)
  {
    if (process.libc->own_directory) {
      if (::fchdir(arrival.directory) != 0) abort(process.rank, 1, "cannot have its working directory");
      ::umask(arrival.program.mask);
    } else if (!loader::is_working_directory(arrival.directory)) {
      abort(
          process.rank, 1,
          "cannot have its working directory, as the system forbids unshare(CLONE_FS): allow it (docker run "
          "--security-opt seccomp=unconfined)");
    }
    process.libc->descriptors.replace_all(arrival.descriptors);
  }

  std::shared_ptr<loader::LibcState> state_of(int rank)
  {
    const std::lock_guard guard(mutex_);
    return states_[static_cast<std::size_t>(rank)];
  }

  bool directories_differ() const
  {
    return std::ranges::any_of(description_.programs, [this](const Program& program) {
      return program.directory != description_.programs[0].directory;
    });
  }

  void start_thread(int rank, RankRun run, std::size_t size)
  {
    {
      const std::lock_guard guard(mutex_);
      states_[static_cast<std::size_t>(rank)] = nullptr;
      runs_[static_cast<std::size_t>(rank)] = std::make_unique<const RankRun>(std::move(run));
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, map_stack(size), size);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // The thread that takes ranks in blocks all signals.
    sigset_t none;
    sigemptyset(&none);
    pthread_attr_setsigmask_np(&attributes, &none);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, thread_main, new RankStart{this, rank});
    pthread_attr_destroy(&attributes);
    if (error != 0)
      fail(ErrorClass::no_mem, "no thread for rank %d: %s (ulimit -u, pids limit of the container)", rank,
           std::strerror(error));
  }

  static void* thread_main(void* argument)
  {
    const RankStart start = *std::unique_ptr<RankStart>(static_cast<RankStart*>(argument));
    start.host->threads_.started(start.rank);
    const int code = start.host->run_rank(start.rank);
    // All that the rank had was given back by now: a damaged heap has been noticed before its end counts. The
    // thread stays, as its end would give back more.
    start.host->rank_ended(start.rank, code);
    sleep_for_ever();
  }

  int run_rank(int rank)
  {
    std::optional<loader::Image> image;
    std::vector<char*> environment;
    allocate_for_host();
    const RankRun& run = run_of(rank);
    try {
      // Pinned first: what the rank touches from here on lies in its NUMA domain.
      if (!placement_.bind_this_thread(rank)) log(LogLevel::info, "rank %d cannot be pinned", rank);
      if (run.arrival) run.arrival->program.adopt_on_this_thread(own_cpus_);
      // At most 15 characters: "app.3".
      const std::string number = "." + std::to_string(rank);
      const std::string name =
          shown_name(
              {.path = run.program->path(), .arguments = run.arguments, .directory = {}, .environment = {}})
              .substr(0, 15 - number.size()) +
          number;
      ::prctl(PR_SET_NAME, name.c_str());
      loader::use_alternate_stack();
      job_->bind_thread(rank);
      // For ever: threads that the program leaves behind may look at it.
      auto* const process = new loader::ProcessState(rank, *this);
      image.emplace(*run.program, *process);
      for (const std::string& variable : run.environment)
        environment.push_back(const_cast<char*>(variable.c_str()));
      environment.push_back(nullptr);
    } catch (const Error& error) {
      cannot_run(rank, error.message().c_str());
    } catch (const std::bad_alloc&) {
      no_memory(rank);
    } catch (const std::exception& error) {
      cannot_run(rank, error.what());
    }
    // Only ours: the program's own exceptions end it as they do everywhere.
    try {
      const int code = image->run(run.arguments, environment.data());
      allocate_for_host();
      return code;
    } catch (const Error& error) {
      cannot_run(rank, error.message().c_str());
    } catch (const std::bad_alloc&) {
      no_memory(rank);
    }
  }

  [[noreturn]] void cannot_run(int rank, const char* why)
  {
    std::string text;
    try {
      text = std::string("cannot run: ") + why;
    } catch (const std::bad_alloc&) {
      no_memory(rank);
    }
    abort(rank, 1, text);
  }

  [[noreturn]] void no_memory(int rank)
  {
    abort(rank, 1,
          "cannot run: there is no memory for its copy of the program (ulimit -v, or a container's limit)");
  }

  void rank_ended(int rank, int code)
  {
    const bool active = job_->mpi_active(rank);
    // A process that fails in the midst of its communication takes the job with it, as under any MPI.
    if (active && (code & 0xff) != 0) {
      job_->rank_fails(rank);
      abort(rank, code, exit_text(code & 0xff) + " without MPI_Finalize");
    }
    if (arrivals_) return process_of_rank_ended(rank, code);
    job_->rank_ended(rank, code);
    ends_.ended(rank, code);
  }

  void process_of_rank_ended(int rank, int code)
  {
    const bool used = job_->mpi_started(rank);
    if (used) job_->rank_ended(rank, code);
    // Who reads its pipes sees their end before its process ends.
    if (const std::shared_ptr<loader::LibcState> state = state_of(rank)) state->descriptors.close_all();
    arrivals_->ended(rank, code, used);
  }

  // Ends the process; of threads that come here together only one does. There may be no memory left, also after
  // the last has been given back, as other ranks take some.
  [[noreturn]] void abort(int rank, int code, std::string_view why)
  {
    // Others wait for it in vain.
    if (arrivals_ && rank >= 0 && arrivals_->is_missing(rank)) why = clause_of_missing;
    if (!ending_.try_lock()) sleep_for_ever();
    last_memory_.reset();
    try {
      say_why(rank, code, why);
    } catch (const std::bad_alloc&) {
      constexpr std::string_view text = "mpiexec: the job ended: there is no memory left\n";
      if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(nonzero_code(code));
    }
    ::_exit(nonzero_code(code));
  }

  void say_why(int rank, int code, std::string_view why)
  {
    write_out_everything(rank);
    const std::string who = rank >= 0 ? rank_text(description_, rank) + " ended the job" : "the job ended";
    // A report of several lines stands for itself; a line that says who and why follows in any case.
    std::string text(why);
    if (why.find('\n') != why.npos)
      text += std::string(why.ends_with('\n') ? "" : "\n") + "mpiexec: " + who + " with code " +
              std::to_string(nonzero_code(code)) + "\n";
    else
      text = "mpiexec: " + (rank >= 0 ? rank_text(description_, rank) : "the job") + " " + text + "\n";
    output_.note(text);
  }

  // What the ranks have printed so far, buffers included, from any thread. A rank that is just printing may
  // do so.
  void write_out_everything(int except)
  {
    threads_.await_rest(except, time_to_rest);
    std::vector<std::shared_ptr<loader::LibcState>> states;
    {
      const std::lock_guard guard(mutex_);
      states = states_;
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
    bool any = false;
    for (int rank = 0; rank < ranks_; ++rank) {
      if (!(arrivals_ ? arrivals_->is_running(rank) : ends_.is_running(rank))) continue;
      any = true;
      const std::shared_ptr<loader::LibcState> state = state_of(rank);
      all = state && state->signals.takes(state->process, signal) && all;
    }
    return all && any;
  }

  // Called on a thread that belongs to nobody; the process ends by the signal when it returns.
  void end_by_signal(const loader::SignalCause& cause)
  {
    if (!ending_.try_lock()) sleep_for_ever();
    std::string who = cause.rank >= 0 ? rank_text(description_, cause.rank) : "the job";
    who += " " + signal_text(cause.signal);
    // What mpiexec sends it explains itself, and who types ctrl-C knows.
    const bool is_known = cause.rank < 0 && (cause.sender == 0 || cause.sender == ::getppid());
    if (cause.rank < 0 && !is_known) who += ", sent by process " + std::to_string(cause.sender);
    write_out_everything(cause.rank);
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
    const int rank = process != nullptr ? process->rank : -1;
    the_process->write_out_everything(rank);
    const std::string who = rank >= 0 ? rank_text(the_process->description_, rank) : "the job";
    the_process->output_.note("mpiexec: " + who + " was ended by a sanitizer\n");
  }

  static inline HostProcess* the_process = nullptr;  // for the sanitizer

  const JobDescription description_;
  // With ranks that come later: more come on the thread that takes them in.
  std::vector<std::unique_ptr<loader::Program>> programs_;
  const int ranks_;
  const std::vector<unsigned long> own_cpus_ = handover::allowed_cpus();
  const Placement placement_;
  loader::JobOutput output_;
  loader::JobInput input_;
  loader::CrashReports crash_reports_;
  RankEnds ends_;
  RankThreads threads_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<loader::LibcState>> states_;  // by rank; empty until its image is ready
  std::vector<std::unique_ptr<const RankRun>> runs_;        // by rank; empty until it begins
  std::optional<Arrivals> arrivals_;                        // of ranks that come from processes
  int wrong_ = 0;  // findings that are errors or leaks; guarded by mutex_
  std::unique_ptr<HostedJob> job_;
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
  std::vector<std::unique_ptr<loader::Program>> programs;
  loader::StorageNeed need;
  for (const std::string& path : paths) {
    programs.push_back(std::make_unique<loader::Program>(path, loader_options()));
    const loader::StorageNeed own = programs.back()->thread_storage();
    need.bytes = std::max(need.bytes, own.bytes);
    need.alignment = std::max(need.alignment, own.alignment);
  }
  loader::ensure_thread_storage(need, argv);  // may execute this program again
  ::close(descriptor);
  if (description.control >= 0) ::fcntl(description.control, F_SETFD, FD_CLOEXEC);
  if (::chdir(description.programs[0].directory.c_str()) != 0)
    fail(ErrorClass::no_such_file, "the directory %s cannot be entered",
         description.programs[0].directory.c_str());
  ::prctl(PR_SET_NAME, shown_name(description.programs[0]).c_str());
  // Never destroyed: threads that the ranks left behind may still run when the job's code is known.
  auto* const host = new HostProcess(std::move(description), std::move(programs));
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
