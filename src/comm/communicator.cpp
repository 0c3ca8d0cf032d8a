#include "comm/communicator.hpp"

#include <algorithm>

#include "comm/meetings.hpp"
#include "comm/virtual_topology.hpp"

namespace ranklet {

namespace {

bool have_own_cores(const Group& group)
{
  return std::ranges::all_of(group.members(),
                             [](const Rank* member) { return member->job.wait_policy().spins > 0; });
}

}  // namespace

CommShared::CommShared(Job& job, GroupPtr in_group, GroupPtr in_other)
    : context(job.universe->context_ids.take()),
      group(std::move(in_group)),
      other_group(std::move(in_other)),
      own_cores(have_own_cores(*group) && (!other_group || have_own_cores(*other_group))),
      meetings(std::make_unique<comm::Meetings>()),
      universe_(job.universe)
{
}

CommShared::~CommShared()
{
  universe_->context_ids.give_back(context);
}

// Not by memmodel::Lazy: all members may come first together, and of all but one the board would be thrown
// away.
Board& CommShared::board()
{
  const Holder guard(board_lock_);
  if (!board_) board_ = std::make_unique<Board>(members());
  return *board_;
}

namespace {

void count_foreign(const Rank& self, const CommShared& shared, int change)
{
  for (const GroupPtr& group : {shared.group, shared.other_group}) {
    if (!group) continue;
    for (const Group::SpawnedJob& spawned : group->spawned_jobs())
      if (spawned.job != &self.job) spawned.job->foreign_communicators.add(change);
  }
}

}  // namespace

Communicator::Communicator(Rank& self, std::shared_ptr<CommShared> shared)
    : self_(self), shared_(std::move(shared)), side_(0), rank_(shared_->group->rank_of(self))
{
  if (shared_->other_group && rank_ == undefined) {
    side_ = 1;
    rank_ = shared_->other_group->rank_of(self);
  }
  size_ = group()->size();
  peer_count_ = peers()->size();
  peer_ranks_ = peers()->members().data();
  count_foreign(self_, *shared_, 1);
}

Communicator::~Communicator()
{
  count_foreign(self_, *shared_, -1);
}

}  // namespace ranklet
