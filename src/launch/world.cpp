#include "launch/world.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/config.hpp"
#include "launch/interpreters.hpp"
#include "launch/output_rules.hpp"
#include "launch/rank_stack.hpp"
#include "process/thread_record.hpp"
#include "ranks/start_info.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

namespace {

constexpr const char* clause_of_missing = "ended without a program that calls MPI_Init";

}  // namespace

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
      loader::Program& loaded = parts_.programs.at(program.path, program.environment);
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
  options.unexpected_limit = settings_.unexpected_bytes();
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

World::RankRun World::run_of_description(int rank) const
{
  const auto index = static_cast<std::size_t>(description_.program_of(rank));
  const Program& program = description_.programs[index];
  std::vector<std::string> environment = rank_environment(description_, rank);
  set_thread_counts(program, placement_.cores_of(rank), environment);
  return {programs_[index], program.arguments, std::move(environment), program.directory, nullptr};
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
