// A window: what its members share, and how one of them sees it.
//
// A rank's memory is addressable by all, so every window is in the unified model (MPI 5.0 §12.4), and every
// operation is done at once in the call that asks for it, by the origin's thread: nothing is ever pending,
// and no target has to take part. What remains is order, which the synchronising calls give
// (docs/memory-model.md), and the check that calls come in a permitted order.
//
// Thread safety: a Window is used by the threads of its rank. Operations, and locks of different targets, by
// several at once; calls that open or close an epoch at all targets by one at a time, as MPI demands.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/zeroed.hpp"
#include "comm/communicator.hpp"
#include "members/announcements.hpp"
#include "members/attendance.hpp"
#include "rma/window_hints.hpp"
#include "rma/window_memory.hpp"

namespace ranklet {

namespace check {
class WindowOrders;
}

namespace rma {

// With the values of MPI_WIN_FLAVOR_*; api/ asserts that they agree.
enum class Flavor : int { create = 311, allocate = 312, dynamic = 313, shared = 314 };

// Regions of a dynamic window's member. Any thread may look, under the lock.
class Regions {
 public:
  // Errors: rma_attach (overlaps one that is attached; none begins there).
  void attach(char* base, Count size);
  void detach(const char* base);
  bool contain(const char* begin, const char* end);

 private:
  memmodel::SpinLock<> lock_;
  std::map<const char*, const char*> ends_ RANKLET_GUARDED_BY(lock_);  // by their begin
};

// A member's part of a window.
struct Target {
  // Constant once the window is made.
  char* base = nullptr;
  Count size = 0;  // bytes
  Count disp_unit = 1;

  alignas(128) memmodel::FairLock<> lock;  // of MPI_Win_lock
  // Those who wait for it, by their tickets' numbers, so that who leaves wakes few of many: as many places as
  // have room in their line.
  memmodel::Parking<> lock_sleepers[16];
  memmodel::Parking<>& sleepers(std::uint32_t number) noexcept
  {
    return lock_sleepers[number % std::size(lock_sleepers)];
  }
  // These give the lock back and wake whose turn it may be.
  void leave(memmodel::FairLock<>::Ticket ticket) noexcept { sleepers(lock.leave(ticket)).notify(); }
  void leave_shared() noexcept { sleepers(lock.leave_shared()).notify(); }
  // Behind a full fence for what the origin has done, as MPI_Win_unlock asks for.
  void complete_and_leave_shared(memmodel::FenceWord<>& fence) noexcept
  {
    sleepers(fence.full_before_leaving(lock)).notify();
  }

  memmodel::Gate<> accumulate_gate;  // who accumulates by words passes; many elements at once close it
  memmodel::Gate<>::Passer passer;   // this member as a passer of any target's gate
  alignas(
      128) memmodel::SpinLock<> accumulate_lock;  // of who closes, and of types without atomic instructions
  Regions regions;
};
static_assert(sizeof(Target) == 512, "docs/limits.md: memory of a window");

struct WindowShared {
  WindowShared(Flavor in_flavor, int members)
      : flavor(in_flavor),
        targets(std::make_unique<Target[]>(static_cast<std::size_t>(members))),
        fences(members),
        epochs(members)
  {
  }

  const Flavor flavor;
  std::unique_ptr<Target[]> targets;  // by rank
  std::vector<Memory> memory;         // what targets' bases point into, if MPI has allocated it
  members::Attendance<> fences;       // see Window::fences
  members::Epochs<> epochs;           // of MPI_Win_post and MPI_Win_start
  memmodel::FenceWord<> fence;
  memmodel::SpinLock<> orders_lock;
  std::shared_ptr<check::WindowOrders> orders RANKLET_GUARDED_BY(orders_lock);  // slot of the check layer
};

// The other members of an epoch of general active target synchronisation.
class Partners {
 public:
  bool are_open() const noexcept { return open_; }
  // Their ranks in the window.
  const std::vector<int>& ranks() const noexcept { return ranks_; }

  // Chooses the targets of the next epoch. The last group stays known, as programs open one epoch after
  // another with the same one: false. Errors: group (a member is not in the window's one).
  bool choose(const GroupPtr& group, const Group& window_group);
  bool is_chosen(const GroupPtr& group) const noexcept { return group && group == group_; }
  void open() noexcept { open_ = true; }
  void close() noexcept { open_ = false; }

 private:
  GroupPtr group_;
  std::vector<int> ranks_;
  bool open_ = false;
};

// What a member has open to a target.
enum class Access : std::uint8_t { none, fenced, started, shared, exclusive };

}  // namespace rma

class Window {
 public:
  Window(CommRef comm, std::shared_ptr<rma::WindowShared> shared, rma::Hints hints);
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  Rank& self() const noexcept { return comm_->self(); }
  int rank() const noexcept { return comm_->rank(); }
  int size() const noexcept { return size_; }
  // Of the window alone: the members' barrier, and their group.
  Communicator& comm() const noexcept { return *comm_; }
  rma::WindowShared& shared() const noexcept { return *shared_; }
  rma::Target& target(int rank) const noexcept { return targets_[rank]; }
  rma::Target& own() const noexcept { return target(rank()); }

  // The values of the predefined attributes (§12.2.7), whose addresses MPI_Win_get_attr hands out.
  Count own_size;
  int own_disp_unit;  // undefined if an int has no room for it
  int flavor;
  int model;

  std::string name;
  rma::Hints hints;
  AttributeSet attributes;
  std::shared_ptr<api::Errhandler> errhandler;

  // How this rank stands to each target. `open` is set last, and tells the rank's other threads. Begins as
  // zeros, which cost no memory in large windows.
  struct alignas(64) Path {
    memmodel::Flag<> open;
    bool holds;  // the target's lock; exclusively: with that ticket
    bool known;  // what follows: since an epoch was first opened
    memmodel::FairLock<>::Ticket ticket;
    // Of the target's part; null in a dynamic window.
    char* base;
    Count size;
    Count disp_unit;

    // Threads that ask whether any target is locked look while others lock and unlock.
    rma::Access access() const noexcept { return access_.get(); }
    void set_access(rma::Access now) noexcept { access_.set(now); }

   private:
    memmodel::Latest<rma::Access> access_;
  };
  static_assert(rma::Access{} == rma::Access::none);
  Path& path(int target) const noexcept { return paths_[static_cast<std::size_t>(target)]; }

  // Before `open` is set, or the epoch that is open to all: the path, ready for the shortest ways. By one
  // thread for each target.
  Path& know(int target) const noexcept
  {
    Path& there = path(target);
    if (!there.known) [[unlikely]]
      fill(there, target);
    return there;
  }
  void know_all() noexcept;
  bool all_known() const noexcept { return all_known_; }

  // Which epoch is open to all targets at once. A fence's is open in principle: it binds only when an
  // operation has used it (§12.5.1).
  enum class Epoch : std::uint8_t { none, fence, lock_all };
  // Locks of different targets, which end the epoch of a fence that nobody has used, may come from several
  // threads at once, while others look.
  Epoch epoch() const noexcept { return epoch_.get(); }
  void set_epoch(Epoch now) noexcept { epoch_.set(now); }
  bool fence_used = false;
  bool locked_all = false;  // lock_all without MPI_MODE_NOCHECK
  // Whether each member waits in a fence for every other one, and all fences are counted. Else the members
  // wait in a barrier of their communicator, and only fences with MPI_MODE_NOPRECEDE are.
  const bool fences_meet;
  std::uint64_t fences = 0;         // as they are counted
  bool waits_in_fence = false;      // the short way has come to the last one, and goes the long way
  memmodel::SpinLock<> fence_lock;  // guards what the first operation to a target changes in a fence's epoch

  rma::Partners started, posted;        // by MPI_Win_start, MPI_Win_post
  members::EpochCounts<> epoch_counts;  // of those

  // The target of an operation of this rank. Errors: rma_sync, if no epoch is open.
  rma::Target& open_target(int rank)
  {
    if (epoch() != Epoch::lock_all && !path(rank).open.is_set()) [[unlikely]]
      open_late(rank);
    return target(rank);
  }
  // Whether nobody else accesses the target in an epoch of his own: its lock is held exclusively.
  bool is_alone_at(int rank) const noexcept
  {
    return path(rank).access() == rma::Access::exclusive && path(rank).holds;
  }
  // For the shortest paths: where `bytes` bytes at displacement disp of the path's target are, if an epoch is
  // open to it and they lie in its part. Null sends the call the long way, which knows all cases.
  char* find(const Path& there, Count disp, Count bytes) const noexcept
  {
    if (!there.base || (epoch() != Epoch::lock_all && !there.open.is_set())) return nullptr;
    Count begin;
    if (__builtin_mul_overflow(disp, there.disp_unit, &begin) || begin < 0 || begin > there.size - bytes)
      return nullptr;
    return there.base + begin;
  }

  // Errors: rma_sync, unless a passive epoch to the target is open; to any target, without one.
  void check_passive(int rank) const;
  void check_passive() const;
  // Errors: rma_sync, if an epoch is open that excludes `call`: an access epoch other than that of a fence
  // which no operation has used.
  void check_no_access(const char* call) const;
  bool holds_any_lock() const noexcept;
  // Whether epochs and paths agree, when no call on the window is under way in this rank. Takes time in
  // proportion to the members; for tests.
  bool is_valid() const noexcept;

 private:
  void open_late(int rank);
  void fill(Path& there, int target) const noexcept;

  memmodel::Latest<Epoch> epoch_;
  bool all_known_ = false;
  const CommRef comm_;
  const std::shared_ptr<rma::WindowShared> shared_;
  const ZeroedArray<Path> paths_;
  rma::Target* const targets_;  // of shared_, and how many: on every operation's path
  const int size_;
};

}  // namespace ranklet
