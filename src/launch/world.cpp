#include "launch/world.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/config.hpp"
#include "base/log.hpp"
#include "launch/interpreters.hpp"
#include "launch/output_rules.hpp"
#include "launch/rank_stack.hpp"
#include "launch/sanitizer_hooks.hpp"
#include "libc/directory.hpp"
#include "process/thread_record.hpp"
#include "ranks/start_info.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

namespace {

constexpr const char* clause_of_missing = "ended without a program that calls MPI_Init";

// Where directories are all ranks', it must be the one that they have.
bool enter_directory(const std::string& path, bool is_own)
{
  if (is_own) return ::chdir(path.c_str()) == 0;
  const int directory = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const bool same = directory >= 0 && loader::is_working_directory(directory);
  if (directory >= 0) ::close(directory);
  return same;
}

}  // namespace

struct World::RankStart {
  World* world;
  int rank;
};

World::World(JobDescription description, const HostParts& parts, const Config& settings,
             const WorldPlace& place)
    : parts_(parts),
      settings_(settings),
      description_(std::move(description)),
      number_(place.number),
      shown_number_(place.started_by != nullptr ? place.number : 1),
      guest_(place.guest),
      seat_(place.seat),
      ranks_(description_.size()),
      mask_(place.mask),
      own_descriptor_(place.input),
      starter_(place.starter),
      placement_(Topology::machine(), ranks_, settings_),
      ends_(ranks_),
      threads_(ranks_),
      sleeping_threads_(ranks_),
      states_(static_cast<std::size_t>(ranks_)),
      runs_(static_cast<std::size_t>(ranks_)),
      own_threads_(static_cast<std::size_t>(is_later() ? ranks_ : 0))
{
  if (own_descriptor_ >= 0)
    own_input_.emplace(ranks_, input_receiver(settings_, ranks_), own_descriptor_, seat_);
  if (description_.control < 0)
    for (const Program& program : description_.programs) {
      loader::Program& loaded = parts_.programs.at(program.path);
      if (is_later()) check_fits(loaded);
      programs_.push_back(&loaded);
    }
  job_ = make_hosted_job(job_options(place));
  if (description_.control >= 0) expect_ranks();
}

World::~World()
{
  join_threads();
  // What the ranks had of MPI before their code, which it may refer to.
  job_.reset();
  for (int rank = 0; rank < static_cast<int>(own_threads_.size()); ++rank) forget_program(rank);
  if (is_later()) parts_.output.remove(seat_, ranks_);
  if (own_descriptor_ >= 0) ::close(own_descriptor_);
  arrivals_.reset();
  if (starter_ > 0) ::waitpid(starter_, nullptr, 0);
}

HostedJobOptions World::job_options(const WorldPlace& place)
{
  HostedJobOptions options;
  options.size = ranks_;
  options.wait = placement_.wait_policy();
  options.eager_limit = settings_.eager_bytes();
  options.universe_size = description_.universe_size > 0
                              ? description_.universe_size
                              : std::max(ranks_, Topology::machine().usable_cpus());
  for (int rank = 0; rank < ranks_; ++rank) options.app_numbers.push_back(description_.program_of(rank));
  for (const Program& program : description_.programs)
    options.programs.push_back(start_info(program.arguments, program.directory, program.ranks));
  options.live_threads = [this](int rank) { return live_threads(rank); };
  options.sleeping_threads = [this](int rank) { return sleeping_threads(rank); };
  options.reports_deadlocks = settings_.deadlock_report == Choice::yes;
  options.places = [this] { return placement_.places(); };
  options.checks = settings_.checks();
  options.on_finding = parts_.on_finding;
  options.on_abort = [this](int rank, int code, const std::string& why) { abort(rank, code, why); };
  options.start_programs = parts_.start_programs;
  options.started_by = place.started_by;
  options.beside = place.beside;
  options.takes_in_jobs = !settings_.universe.empty();
  options.world = number_;
  return options;
}

void World::start()
{
  if (arrivals_) return arrivals_->start();
  const std::size_t size = stack_size(settings_.stack);
  for (int rank = 0; rank < ranks_; ++rank) start_thread(rank, run_of_description(rank), size);
}

void World::end_input() noexcept
{
  const int nothing = own_descriptor_ >= 0 ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
  if (nothing < 0) return;
  ::dup3(nothing, own_descriptor_, O_CLOEXEC);
  ::close(nothing);
}

void World::wait_for_all()
{
  if (arrivals_)
    arrivals_->wait_for_all();
  else
    ends_.wait_for_all();
}

bool World::is_over() const
{
  return arrivals_ ? arrivals_->is_over_now() : ends_.have_all();
}

bool World::is_past() const
{
  if (!is_later() || !is_over() || !job_->is_forgotten()) return false;
  const Holder guard(mutex_);
  return std::ranges::all_of(own_threads_,
                             [](const Thread& thread) { return thread.state == Thread::State::ends; });
}

void World::note_thread(int rank, Thread::State state)
{
  if (!is_later()) return;
  {
    const Holder guard(mutex_);
    own_threads_[static_cast<std::size_t>(rank)].state = state;
  }
  thread_noted_.notify_all();
}

void World::await_threads()
{
  {
    MutexHolder lock(mutex_);
    while (std::ranges::any_of(own_threads_,
                               [](const Thread& thread) { return thread.state == Thread::State::runs; }))
      lock.wait(thread_noted_);
  }
  join_threads();
}

// Which has ended; of a rank that is past, or whose process brings one more.
void World::forget_program(int rank)
{
  Thread& thread = own_threads_[static_cast<std::size_t>(rank)];
  if (thread.image) thread.image->give_back();
  if (thread.process && thread.process->libc) parts_.crash_reports.remove(*thread.process->libc);
  {
    const Holder guard(mutex_);
    states_[static_cast<std::size_t>(rank)] = nullptr;
  }
  thread.image.reset();
  thread.process.reset();
}

void World::join_threads()
{
  for (Thread& thread : own_threads_)
    if (thread.state == Thread::State::ends) join_thread(thread);
}

void World::join_thread(Thread& thread)
{
  if (thread.stack == nullptr) return;
  ::pthread_join(thread.thread, nullptr);
  unmap_stack(std::exchange(thread.stack, nullptr), thread.stack_bytes);
}

std::string World::thread_counts_text() const
{
  std::vector<std::string> none;
  for (const Program& program : description_.programs)
    if (const std::string names = set_thread_counts(program, 1, none); !names.empty())
      return names + ": the cores of the rank, where they are not set\n";
  return "";
}

std::string World::last_words() const
{
  std::string text;
  const std::vector<int> missing = arrivals_ ? arrivals_->missing() : std::vector<int>();
  if (!missing.empty())
    text += std::string("mpiexec: ") + (missing.size() > 1 ? "ranks " : "rank ") + ranges_text(missing) +
            " " + clause_of_missing + ", but others have\n";
  // Processes that mpiexec has started for ranks, or that are one, end in their own ways.
  if ((!arrivals_ || is_later()) && !description_.is_singleton)
    for (const std::string& line : ends_.lines(description_.print_all_exit_codes, shown_number_))
      text += "mpiexec: " + line + "\n";
  return text;
}

std::string_view World::reason(int rank, std::string_view why) const
{
  return arrivals_ && rank >= 0 && arrivals_->is_missing(rank) ? clause_of_missing : why;
}

std::vector<std::shared_ptr<loader::LibcState>> World::states() const
{
  const Holder guard(mutex_);
  return states_;
}

std::shared_ptr<loader::LibcState> World::state_of(int rank) const
{
  const Holder guard(mutex_);
  return states_[static_cast<std::size_t>(rank)];
}

bool World::all_take(int signal, int& running)
{
  bool all = true;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!(arrivals_ ? arrivals_->is_running(rank) : ends_.is_running(rank))) continue;
    ++running;
    const std::shared_ptr<loader::LibcState> state = state_of(rank);
    all = state && state->signals.takes(state->process, signal) && all;
  }
  return all;
}

// --- loader::Host

void World::image_ready(loader::ProcessState& process)
{
  process.libc =
      std::make_shared<loader::LibcState>(process, parts_.output, own_input_ ? *own_input_ : parts_.input);
  {
    const Holder guard(mutex_);
    states_[static_cast<std::size_t>(process.rank)] = process.libc;
  }
  parts_.crash_reports.add(process.libc);
  const RankRun& run = run_of(process.rank);
  const bool moves = is_later() || directories_differ();
  if (run.arrival)
    take_over(*run.arrival, process);
  else if (moves && !enter_directory(run.directory, process.libc->own_directory))
    abort(process.rank, 1, "cannot have its working directory " + run.directory);
  if (mask_ >= 0 && process.libc->own_directory) ::umask(static_cast<mode_t>(mask_));
  allocate_for_program();
}

void World::thread_starts(loader::ProcessState& process)
{
  job_->bind_thread(process.rank);
  loader::use_alternate_stack();
  process.libc->enter_thread();
  // Inherited, which a sanitizer does not know.
  if (char name[16]; sanitizer_is_present() && ::prctl(PR_GET_NAME, name) == 0) ::prctl(PR_SET_NAME, name);
}

void World::thread_ends(loader::ProcessState& process)
{
  process.libc->leave_thread();
  loader::drop_alternate_stack();
  job_->bind_thread(-1);
}

void World::process_exits(loader::ProcessState& process, int)
{
  process.libc->finish();
}

void World::exited_on_other_thread(loader::ProcessState& process, int code)
{
  rank_ended(process.rank, code);
  note_thread(process.rank, Thread::State::stays);
}

void World::end_job(loader::ProcessState& process, int code)
{
  if ((code & 0xff) != 0) {
    if (job_->mpi_active(process.rank)) job_->rank_fails(process.rank);
    // Nobody asks a process why it has exited.
    abort(process.rank, code, description_.is_singleton && guest_ == 0 ? "" : exit_text(code & 0xff));
  }
  rank_ended(process.rank, code);
  note_thread(process.rank, Thread::State::stays);
  sleep_for_ever();
}

// Threads that are being made count: they will run soon. Many, while the program is not loaded.
int World::live_threads(int rank) const
{
  const std::shared_ptr<loader::LibcState> state = state_of(rank);
  if (!state) return std::numeric_limits<int>::max();
  const Holder guard(state->process.threads_mutex);
  return static_cast<int>(state->process.threads.size()) + state->process.starting_threads;
}

int World::sleeping_threads(int rank) const
{
  const std::shared_ptr<loader::LibcState> state = state_of(rank);
  if (!state) return 0;
  std::vector<pid_t> threads;
  {
    const Holder guard(state->process.threads_mutex);
    for (const loader::ThreadRecord* const thread : state->process.threads) threads.push_back(thread->id);
  }
  return sleeping_threads_.count(rank, threads);
}

bool World::directories_differ() const
{
  return std::ranges::any_of(description_.programs, [this](const Program& program) {
    return program.directory != description_.programs[0].directory;
  });
}

World::RankRun World::run_of_description(int rank) const
{
  const auto index = static_cast<std::size_t>(description_.program_of(rank));
  const Program& program = description_.programs[index];
  std::vector<std::string> environment = rank_environment(description_, rank);
  set_thread_counts(program, placement_.cores_of(rank), environment);
  return {programs_[index], program.arguments, std::move(environment), program.directory, nullptr};
}

// --- threads

void World::start_thread(int rank, RankRun run, std::size_t stack_bytes)
{
  {
    const Holder guard(mutex_);
    states_[static_cast<std::size_t>(rank)] = nullptr;
    runs_[static_cast<std::size_t>(rank)] = std::make_unique<const RankRun>(std::move(run));
    if (is_later()) own_threads_[static_cast<std::size_t>(rank)].state = Thread::State::runs;
  }
  void* const stack = map_stack(stack_bytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, stack_bytes);
  if (!is_later()) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The thread that takes ranks in blocks all signals, and one that starts a world may be pinned.
  sigset_t none;
  sigemptyset(&none);
  pthread_attr_setsigmask_np(&attributes, &none);
  if (is_later())
    pthread_attr_setaffinity_np(&attributes, parts_.own_cpus.size() * sizeof(unsigned long),
                                reinterpret_cast<const cpu_set_t*>(parts_.own_cpus.data()));
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, thread_main, new RankStart{this, rank});
  pthread_attr_destroy(&attributes);
  if (error != 0)
    fail(ErrorClass::no_mem, "no thread for rank %d: %s (ulimit -u, pids limit of the container)", rank,
         std::strerror(error));
  if (!is_later()) return;
  Thread& started = own_threads_[static_cast<std::size_t>(rank)];
  started.thread = thread;
  started.stack = stack;
  started.stack_bytes = stack_bytes;
}

void* World::thread_main(void* argument)
{
  const RankStart start = *std::unique_ptr<RankStart>(static_cast<RankStart*>(argument));
  start.world->threads_.started(start.rank);
  const int code = start.world->run_rank(start.rank);
  // All that the rank had was given back by now: a damaged heap has been noticed before its end counts. A
  // thread of the first world stays, as its end would give back more.
  start.world->rank_ended(start.rank, code);
  if (start.world->is_later()) {
    start.world->end_thread(start.rank);
    return nullptr;
  }
  sleep_for_ever();
}

// The last that the rank's main thread does; never returns if threads of the program are left, which may use
// all that the rank has.
void World::end_thread(int rank)
{
  Thread& thread = own_threads_[static_cast<std::size_t>(rank)];
  if (!thread.image->has_ended_for_good()) {
    note_thread(rank, Thread::State::stays);
    sleep_for_ever();
  }
  thread.image->delete_keys();
  loader::drop_alternate_stack();
  job_->bind_thread(-1);
  note_thread(rank, Thread::State::ends);
}

std::unique_ptr<loader::Image> World::make_image(int rank, std::unique_ptr<loader::ProcessState>& process)
{
  const RankRun& run = run_of(rank);
  // Pinned first: what the rank touches from here on lies in its NUMA domain.
  if (!placement_.bind_this_thread(rank)) log(LogLevel::info, "rank %d cannot be pinned", rank);
  if (run.arrival) run.arrival->program.adopt_on_this_thread(parts_.own_cpus);
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
  process = std::make_unique<loader::ProcessState>(rank, *this, seat_ + rank);
  if (is_later()) process->name += " of world " + std::to_string(number_);
  return std::make_unique<loader::Image>(*run.program, *process);
}

int World::run_rank(int rank)
{
  std::unique_ptr<loader::ProcessState> process;
  std::unique_ptr<loader::Image> image;
  std::vector<char*> environment;
  allocate_for_host();
  const RankRun& run = run_of(rank);
  try {
    image = make_image(rank, process);
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
  // Longer than the rank, for threads that the program leaves behind: of a spawned one until its world is
  // past, of others for ever.
  loader::Image* const running = image.get();
  if (is_later()) {
    Thread& mine = own_threads_[static_cast<std::size_t>(rank)];
    mine.process = std::move(process);
    mine.image = std::move(image);
  } else {
    static_cast<void>(process.release());
  }
  // Only ours: the program's own exceptions end it as they do everywhere.
  try {
    const int code = running->run(run.arguments, environment.data());
    allocate_for_host();
    return code;
  } catch (const Error& error) {
    cannot_run(rank, error.message().c_str());
  } catch (const std::bad_alloc&) {
    no_memory(rank);
  }
}

void World::rank_ended(int rank, int code)
{
  const bool active = job_->mpi_active(rank);
  // A process that fails in the midst of its communication takes the job with it, as under any MPI.
  if (active && (code & 0xff) != 0) {
    job_->rank_fails(rank);
    abort(rank, code, exit_text(code & 0xff) + " without MPI_Finalize");
  }
  if (arrivals_) return process_of_rank_ended(rank, code);
  job_->rank_ended(rank, code);
  if (!ends_.ended(rank, code) || !ends_.have_all()) return;
  job_->programs_ended();
  parts_.over(*this);
}

// --- ends

void World::abort(int rank, int code, std::string_view why)
{
  parts_.end(*this, rank, code, why);
  std::abort();  // it has not returned
}

void World::cannot_run(int rank, const char* why)
{
  std::string text;
  try {
    text = std::string("cannot run: ") + why;
  } catch (const std::bad_alloc&) {
    no_memory(rank);
  }
  abort(rank, 1, text);
}

void World::no_memory(int rank)
{
  abort(rank, 1,
        "cannot run: there is no memory for its copy of the program (ulimit -v, or a container's limit)");
}

}  // namespace ranklet::launch
