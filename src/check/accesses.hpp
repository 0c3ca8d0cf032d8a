// Which one-sided accesses to a window conflict (MPI 5.0 §12.7): the data of two that are not ordered by
// synchronisation overlaps, and one of them writes. Accumulates with the same operator go together.
//
// An access is open until a synchronising call of its origin (of the target, with post and wait) completes
// it; what only reads, until such a call completes it at its origin, where its data is then. Two that are
// open at once are unordered whatever else happens, so nothing is reported wrongly. Not seen are conflicts in
// lock epochs that happen not to be open at once, and local loads and stores of the program.
//
// Thread safety: any threads, under a lock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/guarded.hpp"
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
};

class Accesses {
 public:
  // An operation to that target, in an epoch of that kind. stays_open: until it is synchronised.
  std::vector<Conflict> add(const Origin& origin, int target, rma::Access epoch, RemoteAccess access,
                            bool stays_open);

  // How many are kept that are open at the target; alike ones of one rank are one.
  std::size_t open_at(const Origin& origin, int target);

  // Synchronising calls of the rank: MPI_Win_fence; MPI_Win_complete; MPI_Win_wait at a target; flush and
  // unlock of one target, or of all (-1), and their local forms.
  void fenced(const Origin& origin);
  void completed(const Origin& origin);
  void waited(const Origin& target);
  void flushed(const Origin& origin, int target);
  void flushed_locally(const Origin& origin, int target);
  // MPI_Win_free has ended.
  void forget(const void* window);

 private:
  // Accesses to one target that may be open at once; beyond that they are forgotten.
  static constexpr std::size_t most_open = 8192;

  struct Entry {
    RemoteAccess access;
    int origin;
    rma::Access epoch;
    std::uint64_t fence;  // after how many fences of its origin
  };
  struct State {
    std::vector<RangeMap<Entry>> parts;  // by target
    std::vector<std::uint64_t> fences;   // by member
  };
  State& state_of(const Origin& origin) RANKLET_REQUIRES(lock_);
  // The origin's entries at the target, or at all (-1), for which gone(entry).
  template <class F>
  void erase(const Origin& origin, int target, F&& gone) RANKLET_REQUIRES(lock_);

  Mutex lock_;
  std::map<const void*, State> states_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::check
