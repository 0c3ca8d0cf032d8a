// What ranks assert when they synchronise on a window (MPI_MODE_NOPUT, MPI_MODE_NOCHECK), against what others
// do there (MPI 5.0 §12.5.5).
//
// Thread safety: any threads, under a lock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/guarded.hpp"
#include "check/accesses.hpp"

namespace ranklet::check {

class Promises {
 public:
  using CallRef = Ref<const RecordedCall>;

  // The rank is about to call MPI_Win_fence with that assertion; it has left the fence.
  std::optional<Conflict> fence_starts(const Origin& rank, bool no_put, const CallRef& call);
  void fenced(const Origin& rank);
  // It is about to call MPI_Win_post, or has ended the exposure.
  void posted(const Origin& target, bool no_put, const CallRef& call);
  void waited(const Origin& target);
  // It has put or accumulated to the target in an epoch of that kind.
  std::optional<Conflict> updated(const Origin& origin, int target, rma::Access epoch, const CallRef& call);

  // It is about to ask for a lock at the target, or for all (-1) shared ones; and to give it back.
  std::optional<Conflict> locks(const Origin& origin, int target, bool exclusive, bool no_check,
                                const CallRef& call);
  void unlocks(const Origin& origin, int target);

  // MPI_Win_free has ended, or a call has failed, so that it is not known who has synchronised.
  void forget(const void* window);
  void give_up(const void* window);

 private:
  // A call, and which phase between fences it belongs to.
  struct InPhase {
    std::uint64_t phase = 0;
    CallRef call;  // null: there is none
  };
  struct Member {
    std::uint64_t fences = 0;
    InPhase no_put[2];    // the last two phases that are to leave its memory as it is
    InPhase last_update;  // of its memory, between fences
    CallRef no_put_exposed;
  };
  struct Lock {
    int origin;
    int target;  // -1: all
    bool exclusive;
    bool no_check;
    CallRef call;
  };
  struct State {
    std::vector<Member> members;
    std::vector<Lock> locks;  // held or asked for
    int unchecked = 0;        // of these, with no_check
    bool given_up = false;
  };
  State& state_of(const Origin& origin) RANKLET_REQUIRES(lock_);

  Mutex lock_;
  std::map<const void*, State> states_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::check
