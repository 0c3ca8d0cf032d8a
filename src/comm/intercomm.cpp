// Intercommunicators (MPI 5.0 §7.6.2).
#include "base/error.hpp"
#include "comm/confer.hpp"
#include "comm/create.hpp"
#include "comm/meetings.hpp"

namespace ranklet::comm {

namespace {

using SharedPtr = std::shared_ptr<CommShared>;

// The leader's part: meets the other leader. Errors: those of intercomm_create.
SharedPtr meet(Communicator& local, Communicator* peer, int remote_leader, int tag)
{
  if (!peer) fail(ErrorClass::comm, "the peer communicator is MPI_COMM_NULL at the local leader");
  if (remote_leader < 0 || remote_leader >= peer->peer_count())
    fail(ErrorClass::rank, "remote leader %d is not in the peer communicator of %d", remote_leader,
         peer->peer_count());
  if (tag < 0) fail(ErrorClass::tag, "tag %d is negative", tag);
  Rank& self = local.self();
  Rank& other = peer->peer(remote_leader);
  // Checked here as well as after the meeting: then the remote leader would be waited for in vain.
  if (local.group()->contains(other))
    fail(ErrorClass::group, "remote leader %d is a member of the local group", remote_leader);
  const SharedPtr shared = peer->shared().meetings->meet(
      self, other, tag, local.group(), [&](const GroupPtr& first, const GroupPtr& second) {
        return std::make_shared<CommShared>(self.job.next_context_id(), first, second);
      });
  // Both leaders see the same groups, so that both fail.
  if (intersect(*shared->group, *shared->other_group)->size() != 0)
    fail(ErrorClass::group, "the local and the remote group overlap");
  return shared;
}

}  // namespace

CommRef intercomm_create(Communicator& local, int local_leader, Communicator* peer, int remote_leader,
                         int tag)
{
  if (local.is_inter()) fail(ErrorClass::comm, "the local communicator is an intercommunicator");
  if (local_leader < 0 || local_leader >= local.size())
    fail(ErrorClass::rank, "local leader %d is not in the local communicator of %d", local_leader,
         local.size());
  struct Arrival {
    SharedPtr shared;
    std::optional<Error> error;
  };
  Arrival mine;
  if (local.rank() == local_leader) {
    try {
      mine.shared = meet(local, peer, remote_leader, tag);
    } catch (const Error& error) {
      mine.error = error;
    }
  }
  const SharedPtr shared = confer<SharedPtr>(local, mine, [&](std::span<const Arrival* const> all) {
    const Arrival& leader = *all[static_cast<std::size_t>(local_leader)];
    if (leader.error) throw Error(*leader.error);
    return std::vector<SharedPtr>(all.size(), leader.shared);
  });
  CommRef child = CommRef::adopt(new Communicator(local.self(), shared));
  child->inherit(local);
  return child;
}

CommRef merge(Communicator& inter, bool high)
{
  if (!inter.is_inter()) fail(ErrorClass::comm, "the communicator is an intracommunicator");
  const SharedPtr shared = confer<SharedPtr>(inter, high, [&](std::span<const bool* const> all) {
    const std::vector<Rank*>& a = inter.shared().group->members();
    const std::vector<Rank*>& b = inter.shared().other_group->members();
    for (std::size_t i = 1; i < all.size(); ++i)
      if (i != a.size() && *all[i] != *all[i - 1])
        fail(ErrorClass::arg, "the members of a group give different values of high");
    const bool swapped = *all[0] && !*all[a.size()];
    std::vector<Rank*> members = swapped ? b : a;
    const std::vector<Rank*>& rest = swapped ? a : b;
    members.insert(members.end(), rest.begin(), rest.end());
    return std::vector<SharedPtr>(
        all.size(), std::make_shared<CommShared>(inter.self().job.next_context_id(),
                                                 std::make_shared<const Group>(std::move(members))));
  });
  CommRef child = CommRef::adopt(new Communicator(inter.self(), shared));
  child->inherit(inter);
  return child;
}

}  // namespace ranklet::comm
