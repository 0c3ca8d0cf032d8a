// Ranks of a world that come from processes.
#include <csignal>
#include <cstdlib>
#include <utility>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/rank_stack.hpp"
#include "launch/sanitizer_hooks.hpp"
#include "launch/world.hpp"
#include "libc/directory.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

// Before others see the world: they ask whether its ranks have ended.
void World::expect_ranks()
{
  Arrivals::Events events;
  events.comes = [this](int rank, std::shared_ptr<Arrival> arrival) { rank_comes(rank, std::move(arrival)); };
  events.is_signalled = [this](int rank, int signal) {
    const std::shared_ptr<loader::LibcState> state = state_of(rank);
    if (state) state->signals.send(state->process, signal, nullptr);
  };
  events.is_killed = [this](int rank) { abort(rank, 128 + SIGKILL, "was killed: its process has gone"); };
  events.is_missing = [this](int rank) { job_->rank_ended(rank, 0); };
  // mpiexec knows itself how those of the first world have ended.
  events.is_gone = [this](int rank, int code) {
    if (is_later()) ends_.ended(rank, code);
  };
  events.all_gone = [this] {
    job_->programs_ended();
    parts_.over(*this);
  };
  arrivals_.emplace(is_later() ? Arrivals::From::starter : Arrivals::From::mpiexec, description_.control,
                    ranks_, std::move(events));
}

// On the thread that takes ranks in.
void World::rank_comes(int rank, std::shared_ptr<Arrival> arrival)
{
  allocate_for_host();
  handover::ProgramState& state = arrival->program;
  state.raise_limits();
  if (is_later()) await_former_program(rank);
  try {
    const std::size_t size =
        stack_size(settings_.stack, state.limits[static_cast<std::size_t>(RLIMIT_STACK)]);
    loader::Program& program = parts_.programs.at(state.path, state.environment);
    check_fits(program);
    RankRun run{&program, std::move(state.arguments), rank_environment(description_, rank, state.environment),
                "", std::move(arrival)};
    start_thread(rank, std::move(run), size);
  } catch (const Error& error) {
    cannot_run(rank, error.message().c_str());
  }
}

// Of a program that has not called MPI_Init; its process brings one more.
void World::await_former_program(int rank)
{
  Thread& thread = own_threads_[static_cast<std::size_t>(rank)];
  {
    MutexHolder lock(mutex_);
    while (thread.state == Thread::State::runs) lock.wait(thread_noted_);
  }
  if (thread.state == Thread::State::ends) {
    join_thread(thread);
    forget_program(rank);
  } else {
    static_cast<void>(thread.image.release());
    static_cast<void>(thread.process.release());
    thread.stack = nullptr;
  }
}

// What belongs to the process, on the rank's main thread.
void World::take_over(const Arrival& arrival, loader::ProcessState& process)
{
  if (process.libc->own_directory) {
    if (::fchdir(arrival.directory) != 0) abort(process.rank, 1, "cannot have its working directory");
    ::umask(arrival.program.mask);
  } else if (!loader::is_working_directory(arrival.directory)) {
    abort(process.rank, 1,
          "cannot have its working directory, as the system forbids unshare(CLONE_FS): allow it (docker run "
          "--security-opt seccomp=unconfined)");
  }
  process.libc->descriptors.replace_all(arrival.descriptors);
}

void World::process_of_rank_ended(int rank, int code)
{
  const bool used = job_->mpi_started(rank);
  if (used) job_->rank_ended(rank, code);
  // Readers of its pipes see their end before its process ends.
  if (const std::shared_ptr<loader::LibcState> state = state_of(rank)) state->descriptors.close_all();
  arrivals_->ended(rank, code, used);
}

}  // namespace ranklet::launch
