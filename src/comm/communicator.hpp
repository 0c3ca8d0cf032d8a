// A communicator as one rank sees it, and what its members share.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/ref.hpp"
#include "comm/attributes.hpp"
#include "comm/communicator_hints.hpp"
#include "comm/group.hpp"
#include "comm/nursery.hpp"

namespace ranklet {

namespace api {
class Errhandler;
}
namespace check {
class CollectiveOrders;
}
namespace coll {
class CollState;
}
namespace p2p {
class AttachedBuffer;
}
namespace comm {
class Meetings;
struct Topology;
}  // namespace comm

// One per communicator, made by whichever member comes first, gone when the last member has freed it. An
// intercommunicator has one for both its groups: `group` is that of side 0, `other_group` that of side 1.
struct CommShared {
  explicit CommShared(Job& job, GroupPtr in_group, GroupPtr in_other = nullptr);
  ~CommShared();

  const std::uint32_t context;  // of its point-to-point messages, unique in the universe
  const GroupPtr group;
  const GroupPtr other_group;  // null in an intracommunicator
  const bool own_cores;        // all members spin while they wait; worlds may differ in that
  Nursery nursery;
  const std::unique_ptr<comm::Meetings> meetings;  // leaders that make intercommunicators over this one

  // Where the members of `group`, then those of `other_group`, meet; made at the first call.
  Board& board();

  memmodel::SpinLock<> coll_lock;
  std::shared_ptr<coll::CollState> coll RANKLET_GUARDED_BY(coll_lock);  // slot of the coll layer
  memmodel::SpinLock<> orders_lock;
  std::shared_ptr<check::CollectiveOrders> orders RANKLET_GUARDED_BY(orders_lock);  // slot of the check layer

  // Those of `group` come first.
  int members() const noexcept { return group->size() + (other_group ? other_group->size() : 0); }
  Rank& member(int i) const noexcept
  {
    return i < group->size() ? group->member(i) : other_group->member(i - group->size());
  }

 private:
  const std::shared_ptr<Universe> universe_;
  memmodel::SpinLock<> board_lock_;
  std::unique_ptr<Board> board_ RANKLET_GUARDED_BY(board_lock_);
};

using CommSharedPtr = std::shared_ptr<CommShared>;

// Thread safety: used by the threads of its rank; those calls that change it (name, attributes, slots, and
// collective ones) by one at a time, as MPI demands. retain and release by any thread.
class Communicator {
 public:
  // `self` is a member of one of shared's groups.
  Communicator(Rank& self, std::shared_ptr<CommShared> shared);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  // The user's handle holds one count, every operation under way that needs the object another.
  void retain() noexcept { references_.add(); }
  void release() noexcept
  {
    if (references_.drop()) delete this;
  }

  Rank& self() const noexcept { return self_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  std::uint32_t context() const noexcept { return shared_->context; }
  CommShared& shared() const noexcept { return *shared_; }
  const std::shared_ptr<CommShared>& shared_part() const noexcept { return shared_; }
  // The group that this rank belongs to.
  const GroupPtr& group() const noexcept { return side_ == 0 ? shared_->group : shared_->other_group; }

  // Whom point-to-point ranks name: the group itself, or the remote group of an intercommunicator.
  int peer_count() const noexcept { return peer_count_; }
  Rank& peer(int rank) const noexcept { return *peer_ranks_[rank]; }
  const GroupPtr& peers() const noexcept
  {
    return is_inter() && side_ == 0 ? shared_->other_group : shared_->group;
  }
  bool is_inter() const noexcept { return shared_->other_group != nullptr; }

  // This rank's number on the board of all members, and which side of an intercommunicator it is on.
  int board_rank() const noexcept { return side_ == 0 ? rank_ : shared_->group->size() + rank_; }
  int side() const noexcept { return side_; }

  // For one made from `parent`: what all of those take over.
  void inherit(const Communicator& parent)
  {
    errhandler = parent.errhandler;
    session_buffer = parent.session_buffer;
  }

  // The collective creations on this communicator that the rank has taken part in.
  std::int64_t next_creation() noexcept { return creations_++; }

  std::string name;                             // MPI_Comm_set_name
  comm::Hints hints;                            // MPI_Comm_set_info; new communicators start without
  AttributeSet attributes;                      // see attributes.hpp
  bool predefined = false;                      // may not be freed
  bool is_parent = false;                       // what MPI_Comm_get_parent gives: always the same handle
  std::shared_ptr<comm::Topology> topology;     // null: none (virtual_topology.hpp)
  std::shared_ptr<api::Errhandler> errhandler;  // set by api, inherited by communicators made from this one
  coll::CollState* coll = nullptr;              // slot of the coll layer: shared().coll, once it was needed

  // Slots of the p2p layer: where buffers for buffered sends may be attached. That of the communicator is
  // made when it is needed, under the lock; that of the session is inherited by communicators made from this
  // one.
  memmodel::SpinLock<> buffer_lock;
  std::shared_ptr<p2p::AttachedBuffer> buffer RANKLET_GUARDED_BY(buffer_lock);
  std::shared_ptr<p2p::AttachedBuffer> session_buffer;  // null: in the world model

 private:
  Rank& self_;
  const std::shared_ptr<CommShared> shared_;
  int side_;
  int rank_;
  int size_;
  int peer_count_;
  Rank* const* peer_ranks_;  // of peers(), so many: on every message's path
  std::int64_t creations_ = 0;
  RefCount references_;
};

using CommRef = Ref<Communicator>;

}  // namespace ranklet
