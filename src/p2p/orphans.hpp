// Active requests that their user has let go of by MPI_Request_free (MPI 5.0 §3.7.3): their operations
// complete all the same, and what they fail with is told afterwards.
//
// Thread safety: the owner's threads, with MPI_THREAD_MULTIPLE under a lock; note_failure() by any thread.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "memmodel/memmodel.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::p2p {

// What an operation failed with that nobody waits for. comm is null if it was freed before its request was.
struct LateError {
  CommRef comm;
  Error error;
};

class Orphans {
 public:
  explicit Orphans(Rank& rank) noexcept : rank_(rank) {}

  // Takes charge of an active request.
  void add(Request& request, CommRef comm);
  // Advances all and gives back those that are complete. Whether some are left.
  bool advance();
  // Whether advance() might achieve something.
  bool ready_to_advance();

  // By whoever delivers a message to a receive that it does not fit, after the receive is finished: it may be
  // one of ours.
  void note_failure() noexcept { noted_.add(1); }
  // Whether a look for late errors is due: one load.
  bool suspicious() const noexcept { return noted_.value() != 0; }
  std::vector<LateError> take_errors();

 private:
  void sweep() RANKLET_REQUIRES(lock_);

  struct Orphan {
    Request* request;
    CommRef comm;
  };

  Rank& rank_;
  memmodel::SpinLock<> lock_;
  std::vector<Orphan> orphans_ RANKLET_GUARDED_BY(lock_);
  std::vector<LateError> errors_ RANKLET_GUARDED_BY(lock_);
  // How many orphans there may be before add() looks for complete ones.
  std::size_t next_sweep_ RANKLET_GUARDED_BY(lock_) = 16;
  memmodel::Counter<> noted_;
};

}  // namespace ranklet::p2p
