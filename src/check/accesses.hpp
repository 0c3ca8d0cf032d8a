// Which one-sided accesses to a window conflict (MPI 5.0 §12.7): the data of two that are not ordered by
// synchronisation overlaps, and one of them writes. Accumulates with the same operator go together.
//
// An access is open until a synchronising call of its origin (of the target, with post and wait) completes
// it; what only reads, until such a call completes it at its origin, where its data is then. Two that are
// open at once are unordered whatever else happens. One that is complete comes before a later one whose
// origin knows of the completion, by the clocks; while these do not run, before all later ones.
//
// Not seen are local loads and stores of the program. The number of complete ones that are kept is bounded.
//
// Invariants:
//  1. An access that is open is in the list of its origin and target, and no other one is.
//  2. Of accesses that conflict with the same others, the last one that comes after all of them is kept.
//
// Thread safety: any threads, under a lock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/guarded.hpp"
#include "check/clocks.hpp"
#include "check/pending_buffers.hpp"
#include "check/range_map.hpp"
#include "rma/window.hpp"

namespace ranklet::check {

enum class AccessKind { put, get, accumulate };

struct RemoteAccess {
  AccessKind kind = AccessKind::put;
  int op = -1;      // of an accumulate: its OpKind; -1: a compare-and-swap, which goes with all
  BufferUse where;  // at the target; `call` is the origin's
};

// It leaves the target's data as it is.
bool only_reads(const RemoteAccess& access);

struct Conflict {
  std::string what;
  const char* rule;
  Ref<const RecordedCall> other;
};

// One rank's view of a window.
struct Origin {
  const void* window;  // stands for it
  int members;
  int rank;
  int number = rank;  // in its universe: whose clock counts
};

class Accesses {
 public:
  // The clocks live longer.
  explicit Accesses(Clocks& clocks) : clocks_(clocks) {}

  // An operation to that target, in an epoch of that kind. by_request: one that a request may complete.
  std::vector<Conflict> add(const Origin& origin, int target, rma::Access epoch, RemoteAccess access,
                            bool by_request);

  // How many are kept of the target, open or not; alike ones of one rank are one. For tests.
  std::size_t kept_of(const Origin& origin, int target);

  // Synchronising calls of the rank: MPI_Win_fence; MPI_Win_complete; MPI_Win_wait at a target, which has
  // been called at that moment; flush and unlock of one target, or of all (-1), and their local forms.
  void fenced(const Origin& origin);
  void completed(const Origin& origin);
  void waited(const Origin& target, Moment called);
  void flushed(const Origin& origin, int target);
  void flushed_locally(const Origin& origin, int target);
  // The request of that call is complete: the operation at its origin (§12.3.5).
  void request_ended(const Origin& origin, int target, const RecordedCall& call);
  // MPI_Win_free has ended.
  void forget(const void* window);

 private:
  // Accesses to one target that may be open at once; beyond that they are forgotten.
  static constexpr std::size_t most_open = 8192;
  // Complete ones of a window; beyond that the oldest are forgotten.
  static constexpr std::size_t most_complete = 65536;

  struct Entry {
    RemoteAccess access;
    int origin;
    rma::Access epoch;
    std::uint64_t fence;   // after how many fences of its origin
    std::uint64_t number;  // among those of the target
    bool by_request;
    Moment completed;  // none: it is open
    bool is_open() const noexcept { return completed.rank < 0; }
  };
  struct TargetPart {
    RangeMap<Entry> entries;
    std::size_t complete = 0;
    std::uint64_t next = 0;
  };
  using Positions = std::vector<RangeMap<Entry>::Position>;
  struct Member {
    int number = -1;  // -1: not known
    std::uint64_t fences = 0;
    std::map<int, Positions> open;  // by target
  };
  struct State {
    std::vector<TargetPart> parts;  // by target
    std::vector<Member> members;
  };
  State& state_of(const Origin& origin) RANKLET_REQUIRES(lock_);
  // Those of the member's open accesses to the target for which ends(entry) are complete from that moment on.
  template <class F>
  void complete(State& state, int member, int target, Moment moment, F&& ends) RANKLET_REQUIRES(lock_);
  template <class F>
  void complete_all(State& state, int member, Moment moment, F&& ends) RANKLET_REQUIRES(lock_);
  // Of one target, or of all (-1).
  template <class F>
  void synchronized(const Origin& origin, int target, F&& ends);
  // None while the clocks do not run.
  Moment now(const Origin& origin) const
  {
    return clocks_.are_running() ? clocks_.now(origin.number) : Moment();
  }
  void make_room(State& state, int target) RANKLET_REQUIRES(lock_);

  Clocks& clocks_;
  Mutex lock_;
  std::map<const void*, State> states_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::check
