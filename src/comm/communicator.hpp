// A communicator as one rank sees it, and what its members share.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "comm/group.hpp"

namespace ranklet {

namespace coll {
class CommState;
}

// One per communicator, made by whichever member comes first, gone when the last member has freed it.
struct CommShared {
  CommShared(std::uint32_t in_context, GroupPtr in_group)
      : context(in_context), group(in_group), board(group->size())
  {
  }

  const std::uint32_t context;  // of its point-to-point messages, unique in the job and never used again
  const GroupPtr group;
  Board board;                            // where the members meet: creation of communicators and collectives
  std::shared_ptr<coll::CommState> coll;  // slot of the coll layer
};

class Communicator {
 public:
  Communicator(Rank& self, std::shared_ptr<CommShared> shared)
      : self_(self), shared_(std::move(shared)), rank_(shared_->group->rank_of(self)), peers_(shared_->group)
  {
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  Rank& self() const noexcept { return self_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return shared_->group->size(); }
  std::uint32_t context() const noexcept { return shared_->context; }
  CommShared& shared() const noexcept { return *shared_; }
  const GroupPtr& group() const noexcept { return shared_->group; }

  // Whom point-to-point ranks name: the group itself, or the remote group of an intercommunicator.
  int peer_count() const noexcept { return peers_->size(); }
  Rank& peer(int rank) const noexcept { return peers_->member(rank); }

 private:
  Rank& self_;
  std::shared_ptr<CommShared> shared_;
  int rank_;
  GroupPtr peers_;
};

}  // namespace ranklet
