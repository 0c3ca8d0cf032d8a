// The job's host takes in ranks one by one, as processes hand their programs over (src/handover).
//
// A rank that has run a program which never called MPI_Init may run another one: scripts ask programs for
// their version. One that has called it is used up: the rank's next program belongs to the next job.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.hpp"
#include "handover/packet.hpp"
#include "handover/program_state.hpp"
#include "launch/job_description.hpp"
#include "launch/stand_ins.hpp"

namespace ranklet::launch {

struct Arrival {
  handover::ProgramState program;
  int directory = -1;              // a descriptor of the working directory
  std::map<int, int> descriptors;  // by the program's number: ours

  Arrival() = default;
  ~Arrival();  // closes the directory; the others are the rank's
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
};

// Thread-safe.
class Arrivals {
 public:
  // Called on one thread, which blocks all signals, without a lock.
  struct Events {
    std::function<void(int rank, std::shared_ptr<Arrival>)> comes;
    std::function<void(int rank, int signal)> is_signalled;
    // The process that stood for it is gone while the program runs.
    std::function<void(int rank)> is_killed;
    // It has not called MPI_Init and never will.
    std::function<void(int rank)> is_missing;
    // Its process has ended, with this code.
    std::function<void(int rank, int code)> is_gone;
    // The starter has gone, and all that it has brought: the last call.
    std::function<void()> all_gone;
  };

  // `control`: the socket to mpiexec, or to a starter (starter.hpp), which ends before all is over; closed by
  // this object.
  enum class From { mpiexec, starter };
  Arrivals(From from, int control, int ranks, Events events);
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;
  ~Arrivals();  // when all is over

  // Begins to take them in.
  void start();
  // The rank's program has ended. used: it had called MPI_Init.
  void ended(int rank, int code, bool used);
  // Returns when no rank runs and none will come, and no starter is left.
  void wait_for_all();
  bool is_over_now() const;

  // The ranks that never came, if others did; sorted.
  std::vector<int> missing() const;
  bool is_missing(int rank) const;
  bool is_running(int rank) const;

 private:
  void work();
  bool take_control();
  void take_in(int socket, int rank);
  bool has_gone(int rank) const;
  void note_gone(int rank, int code);
  bool is_over() const RANKLET_REQUIRES(mutex_);

  const From from_;
  const int control_;
  const int ranks_;
  const Events events_;
  StandIns stand_ins_;  // by rank
  mutable Mutex mutex_;
  std::condition_variable over_;
  std::vector<Attendance> attendance_ RANKLET_GUARDED_BY(mutex_);  // by rank
  std::vector<char> gone_ RANKLET_GUARDED_BY(mutex_);              // by rank: its process has ended
  bool all_gone_ RANKLET_GUARDED_BY(mutex_) = false;
};

}  // namespace ranklet::launch
