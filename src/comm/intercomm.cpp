// Intercommunicators (MPI 5.0 §7.6.2).
#include "comm/comm_state.hpp"
#include "comm/confer.hpp"
#include "comm/create.hpp"
#include "comm/follow.hpp"
#include "comm/meetings.hpp"
#include "comm/ports.hpp"
#include "comm/session.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

namespace {

// The leader's part: meets the other leader. Errors: group (the groups overlap).
CommSharedPtr meet(Rank& self, Rank& other, Meetings& meetings, const std::string& tag, const GroupPtr& local)
{
  // Checked here as well as after the meeting: then the remote leader would be waited for in vain. The remote
  // leader is not told of this leader's wrong arguments: the call has changed nothing, and may be repeated.
  if (local->contains(other)) fail(ErrorClass::group, "the remote leader is a member of the local group");
  const CommSharedPtr shared =
      meetings.meet(self, other, tag, local, [&](const GroupPtr& first, const GroupPtr& second) {
        return std::make_shared<CommShared>(self.job, first, second);
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
  CommRef child = follow(local, local_leader, "leader", [&] {
    if (!peer) fail(ErrorClass::comm, "the peer communicator is MPI_COMM_NULL at the local leader");
    if (remote_leader < 0 || remote_leader >= peer->peer_count())
      fail(ErrorClass::rank, "remote leader %d is not in the peer communicator of %d", remote_leader,
           peer->peer_count());
    if (tag < 0) fail(ErrorClass::tag, "tag %d is negative", tag);
    return meet(local.self(), peer->peer(remote_leader), *peer->shared().meetings, std::to_string(tag),
                local.group());
  });
  child->inherit(local);
  return child;
}

CommRef intercomm_create_from_groups(Rank& self, const GroupPtr& local, int local_leader,
                                     const GroupPtr* remote, int remote_leader, std::string_view tag)
{
  const int me = local->rank_of(self);
  if (me == undefined) fail(ErrorClass::group, "the calling rank is not in the local group");
  if (local_leader < 0 || local_leader >= local->size())
    fail(ErrorClass::rank, "local leader %d is not in the local group of %d", local_leader, local->size());
  // The local group confers on a communicator that lasts as long as this call.
  const Nursery::Key key{Nursery::Key::Kind::from_groups, 0, local->members(), std::string(tag)};
  const CommRef council =
      CommRef::adopt(new Communicator(self, nursery_of(self, *local).join(key, local->size(), me, [&] {
        return std::make_shared<CommShared>(self.job, local);
      })));
  return follow(*council, local_leader, "leader", [&] {
    if (!remote) fail(ErrorClass::group, "the remote group is MPI_GROUP_NULL at the local leader");
    if (remote_leader < 0 || remote_leader >= (*remote)->size())
      fail(ErrorClass::rank, "remote leader %d is not in the remote group of %d", remote_leader,
           (*remote)->size());
    Rank& other = (*remote)->member(remote_leader);
    // Not a number, as the tags of intercomm_create over MPI_COMM_WORLD are.
    return meet(self, other, meetings_with(self, other), "groups " + std::string(tag), local);
  });
}

CommRef merge(Communicator& inter, bool high)
{
  if (!inter.is_inter()) fail(ErrorClass::comm, "the communicator is an intracommunicator");
  const CommSharedPtr shared = confer<CommSharedPtr>(inter, high, [&](std::span<const bool* const> all) {
    const std::vector<Rank*>& a = inter.shared().group->members();
    const std::vector<Rank*>& b = inter.shared().other_group->members();
    for (std::size_t i = 1; i < all.size(); ++i)
      if (i != a.size() && *all[i] != *all[i - 1])
        fail(ErrorClass::arg, "the members of a group give different values of high");
    const bool swapped = *all[0] && !*all[a.size()];
    std::vector<Rank*> members = swapped ? b : a;
    const std::vector<Rank*>& rest = swapped ? a : b;
    members.insert(members.end(), rest.begin(), rest.end());
    return std::vector<CommSharedPtr>(
        all.size(),
        std::make_shared<CommShared>(inter.self().job, std::make_shared<const Group>(std::move(members))));
  });
  CommRef child = CommRef::adopt(new Communicator(inter.self(), shared));
  child->inherit(inter);
  return child;
}

}  // namespace ranklet::comm
