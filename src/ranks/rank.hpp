// A rank: one MPI process, here one thread of the job (and the threads that it makes).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/interpreter_frames.hpp"
#include "memmodel/lone_gate.hpp"
#include "memmodel/memmodel.hpp"
#include "ranks/progress.hpp"
#include "ranks/yielding.hpp"
#include "terms/types.hpp"

namespace ranklet {

namespace p2p {
class Engine;
}
namespace comm {
struct RankState;
}
namespace api {
struct RankState;
}

class Job;

// Where a rank stands between its start and its end.
// finalized: nothing of MPI is open, but sessions may start it again (MPI 5.0 §11.3); left: its program has
// ended.
enum class Phase : std::uint32_t { before_init, active, finalized, left };

class Rank {
 public:
  Rank(Job& in_job, int in_world_rank, int in_number) noexcept
      : job(in_job), world_rank(in_world_rank), number(in_number)
  {
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  Job& job;
  const int world_rank;
  const int number;  // in its universe, while it lives

  // For reports: "rank 3", "rank 3 of world 2".
  std::string name() const;
  // Where the rank stands among all that mpiexec and its ranks have started, the same in each run: behind the
  // path of its job (JobOptions) its number there.
  std::vector<int> path() const;
  memmodel::Counter<> jobs_started;  // by this rank

  // Set by MPI_Init_thread, and when a session is opened beside something else, which other threads may use
  // at the same time: one of them may be in MPI meanwhile.
  void set_thread_level(ThreadLevel level) noexcept;
  ThreadLevel thread_level() const noexcept { return thread_level_.get(); }
  bool concurrent() const noexcept { return thread_level() == ThreadLevel::multiple; }

  // For Section (section.hpp).
  memmodel::LoneGate<> lone_gate;  // ended when several threads may be in MPI at once

  // Slots that the layers above fill through Extension (job.hpp); null where a layer is not part of the job.
  p2p::Engine* p2p = nullptr;
  // That of the engine: whoever holds it may be about to end a wait of this rank, whatever rank it is.
  const memmodel::Token<>* matching = nullptr;
  comm::RankState* comm = nullptr;
  api::RankState* api = nullptr;

  // Where in its program the rank has last asked in vain whether something is done, and how often: for
  // reports. Written by its threads.
  struct alignas(64) VainTests {
    memmodel::Latest<const void*> site;
    memmodel::Counter<> count;
    void note(const void* where) noexcept
    {
      site.set(where);
      count.add(1);
    }
  } vain_tests;

  // Of the interpreter that the rank's program is; null: it is none. Set before the rank calls MPI.
  memmodel::Latest<DumpFrames> dump_frames;
  // Where the script is in a call that the thread is in; empty without one.
  std::string script_place(pthread_t thread) const { return interpreter_place(dump_frames.get(), thread); }

  memmodel::Counter<> inside;  // threads in MPI that are counted: see Job::enter

  // Waits of this rank that something outside MPI may end, such as generalized requests that are not
  // complete.
  memmodel::Counter<> outside_events;

  // Where the rank's threads sleep; a thread that completes something of this rank notifies it.
  alignas(64) memmodel::Parking<> parking;

  // What only the rank's own threads may advance.
  alignas(64) ProgressList<> progress{parking};
  Yielding yielding;
  // Does some of that, if there is something; for the loops of those threads.
  void serve()
  {
    if (!progress.is_empty()) [[unlikely]]
      progress.serve();
  }
  // For who has published what an operation on that list may wait for: wherever the rank's threads sleep.
  void wake() noexcept { progress.wake(); }

 private:
  memmodel::Latest<ThreadLevel> thread_level_{ThreadLevel::single};
};

namespace detail {
// initial-exec: one instruction to read; the library is always loaded at program start.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local Rank* current = nullptr;
// How often the thread was bound: what it remembers of a rank is worth nothing after that.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local std::uint64_t bindings = 0;
// The rank in whose count of threads inside MPI this one is (Job::enter); null: in none.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local Rank* inside = nullptr;
}  // namespace detail

// The rank that the calling thread belongs to; null in threads that belong to none.
inline Rank* current_rank() noexcept
{
  return detail::current;
}
// Makes the calling thread one of the rank's (null: of none) and returns what it was before.
inline Rank* bind_current_rank(Rank* rank) noexcept
{
  ++detail::bindings;
  return std::exchange(detail::current, rank);
}

}  // namespace ranklet
