// What ranks assert when they synchronise on a window, against what is done there (MPI 5.0 §12.5.5):
// MPI_MODE_NOPUT, MPI_MODE_NOCHECK, and MPI_MODE_NOSTORE where no other rank can have changed the memory.
//
// Thread safety: any threads, under a lock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/guarded.hpp"
#include "check/accesses.hpp"

namespace ranklet::check {

class Promises {
 public:
  using CallRef = Ref<const RecordedCall>;
  using Bytes = std::span<const char>;

  // The rank is about to call MPI_Win_fence with that assertion; it has left the fence.
  std::optional<Conflict> fence_starts(const Origin& rank, bool no_put, const CallRef& call);
  void fenced(const Origin& rank);
  // It is about to call MPI_Win_post, or has ended the exposure.
  void posted(const Origin& target, bool no_put, const CallRef& call);
  void waited(const Origin& target);
  // It has put or accumulated to the target in an epoch of that kind.
  std::optional<Conflict> updated(const Origin& origin, int target, rma::Access epoch, const CallRef& call);

  // MPI_MODE_NOSTORE. An operation is about to change the target's part, a rank's of that number in the
  // universe; and again when it has.
  void updates(const Origin& origin, int target, int target_number, rma::Access epoch);
  // The rank is about to call MPI_Win_fence or MPI_Win_post, having asserted that it has not stored to its
  // part since it last was told of: true if it has.
  bool has_stored(const Origin& rank, Bytes part);
  // It has left MPI_Win_fence, or MPI_Win_wait. The part is read then and by has_stored(): while nobody is
  // about to change it.
  void synchronized(const Origin& rank, Bytes part);
  // It has synchronised otherwise, and may store then.
  void may_store(const Origin& rank);
  // Members see each other's parts.
  void share(const void* window);

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
  // A member's part as it was when it had synchronised.
  struct Kept {
    std::uint64_t sum;
    std::uint64_t updates;  // of the rank's memory by then, but between this window's fences
  };
  struct Member {
    std::uint64_t fences = 0;
    InPhase no_put[2];          // the last two phases that are to leave its memory as it is
    InPhase last_update;        // of its memory, between fences
    std::uint64_t updates = 0;  // how often that was told of
    CallRef no_put_exposed;
    std::uint64_t updated_in[2] = {};  // the last two phases in which others change its memory, from 1 on
    std::optional<Kept> kept;
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
    bool is_shared = false;
    bool asks_for_large = false;  // parts are kept, too: some call has asserted that nothing was stored
  };
  // Parts of more bytes are kept if asked for, and up to so many.
  static constexpr std::size_t most_unasked = std::size_t{1} << 16;
  static constexpr std::size_t most_bytes = std::size_t{1} << 26;
  // How often it was told that others change the rank's memory, but between the window's fences.
  std::uint64_t other_updates(const Member& member, int number) const RANKLET_REQUIRES(lock_);
  State& state_of(const Origin& origin) RANKLET_REQUIRES(lock_);

  Mutex lock_;
  std::map<const void*, State> states_ RANKLET_GUARDED_BY(lock_);
  // By rank of the universe: how often it was told that others change its memory, through any window.
  std::vector<std::uint64_t> updates_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::check
