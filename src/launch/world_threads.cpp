// The threads of a world's ranks: from their start to their end.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include "base/log.hpp"
#include "launch/job_description.hpp"
#include "launch/rank_stack.hpp"
#include "launch/sanitizer_hooks.hpp"
#include "launch/world.hpp"
#include "libc/alternate_stack.hpp"
#include "machine/time_slice.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {

struct World::RankStart {
  World* world;
  int rank;
};

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
  if (shares_cores_) take_short_slices();
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

}  // namespace ranklet::launch
