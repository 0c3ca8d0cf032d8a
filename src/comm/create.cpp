#include "comm/create.hpp"

#include <algorithm>

#include "comm/comm_state.hpp"
#include "comm/confer.hpp"
#include "comm/ports.hpp"
#include "comm/session.hpp"
#include "comm/virtual_topology.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

namespace {

CommSharedPtr make_shared_part(Rank& self, GroupPtr group, GroupPtr other = nullptr)
{
  return std::make_shared<CommShared>(self.job, std::move(group), std::move(other));
}

// This rank's communicator for a shared part; null for null.
CommRef make(Communicator& parent, const CommSharedPtr& shared)
{
  if (!shared) return {};
  CommRef child = CommRef::adopt(new Communicator(parent.self(), shared));
  child->inherit(parent);
  return child;
}

void check_subset(const Group& group, const Group& all)
{
  for (const Rank* member : group.members())
    if (!all.contains(*member))
      fail(ErrorClass::group, "rank %d of MPI_COMM_WORLD is not in the communicator's group",
           member->world_rank);
}

// What a member asks of a split.
struct Choice {
  Rank* rank;
  int side;
  int color;
  int key;
};

// The shared part for each member, by board rank; null for those that get no communicator.
std::vector<CommSharedPtr> divide(Rank& self, bool inter, std::span<const Choice* const> choices)
{
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i]->color != undefined) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Choice &x = *choices[a], &y = *choices[b];
    if (x.color != y.color) return x.color < y.color;
    if (x.side != y.side) return x.side < y.side;
    return x.key < y.key;
  });

  std::vector<CommSharedPtr> shares(choices.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    std::vector<Rank*> sides[2];
    const int color = choices[order[begin]]->color;
    for (end = begin; end < order.size() && choices[order[end]]->color == color; ++end)
      sides[choices[order[end]]->side].push_back(choices[order[end]]->rank);
    if (inter && (sides[0].empty() || sides[1].empty())) continue;
    const auto first = std::make_shared<const Group>(std::move(sides[0]));
    const auto second = inter ? std::make_shared<const Group>(std::move(sides[1])) : nullptr;
    const CommSharedPtr share = make_shared_part(self, first, second);
    for (std::size_t i = begin; i < end; ++i) shares[order[i]] = share;
  }
  return shares;
}

}  // namespace

CommRef dup(Communicator& parent)
{
  const Nursery::Key key{Nursery::Key::Kind::numbered, parent.next_creation(), {}};
  CommShared& shared = parent.shared();
  const CommSharedPtr share = shared.nursery.join(key, shared.members(), parent.board_rank(), [&] {
    return make_shared_part(parent.self(), shared.group, shared.other_group);
  });
  CommRef child = make(parent, share);
  if (parent.topology) child->topology = std::make_unique<Topology>(*parent.topology);
  parent.attributes.copy_to(&parent, child->attributes, child.get());
  return child;
}

CommRef create(Communicator& parent, const GroupPtr& group)
{
  check_subset(*group, *parent.group());
  if (parent.is_inter()) {
    // Each side's members are those of its group: a split with one color, in the order of the groups.
    const int number = group->rank_of(parent.self());
    const Choice mine{&parent.self(), parent.side(), number == undefined ? undefined : 0, number};
    return make(parent, confer<CommSharedPtr>(parent, mine, [&](std::span<const Choice* const> all) {
                  return divide(parent.self(), true, all);
                }));
  }
  // Counted by everybody, so that the members of later groups agree on the number.
  const std::int64_t number = parent.next_creation();
  const int me = group->rank_of(parent.self());
  if (me == undefined) return {};
  const Nursery::Key key{Nursery::Key::Kind::numbered, number, group->members()};
  return make(parent, parent.shared().nursery.join(key, group->size(), me,
                                                   [&] { return make_shared_part(parent.self(), group); }));
}

CommRef create_group(Communicator& parent, const GroupPtr& group, int tag)
{
  if (parent.is_inter()) fail(ErrorClass::comm, "the communicator is an intercommunicator");
  if (tag < 0) fail(ErrorClass::tag, "tag %d is negative", tag);
  check_subset(*group, *parent.group());
  if (group->size() == 0) return {};
  const int me = group->rank_of(parent.self());
  if (me == undefined) fail(ErrorClass::group, "the calling rank is not in the group");
  const Nursery::Key key{Nursery::Key::Kind::tagged, tag, group->members()};
  return make(parent, parent.shared().nursery.join(key, group->size(), me,
                                                   [&] { return make_shared_part(parent.self(), group); }));
}

CommRef create_from_group(Rank& self, const GroupPtr& group, std::string_view tag)
{
  if (group->size() == 0) return {};
  const int me = group->rank_of(self);
  if (me == undefined) fail(ErrorClass::group, "the calling rank is not in the group");
  const Nursery::Key key{Nursery::Key::Kind::from_group, 0, group->members(), std::string(tag)};
  return CommRef::adopt(new Communicator(self, nursery_of(self, *group).join(key, group->size(), me, [&] {
    return make_shared_part(self, group);
  })));
}

CommRef split(Communicator& parent, int color, int key)
{
  if (color < 0 && color != undefined) fail(ErrorClass::arg, "color %d is negative", color);
  const Choice mine{&parent.self(), parent.side(), color, key};
  return make(parent, confer<CommSharedPtr>(parent, mine, [&](std::span<const Choice* const> all) {
                return divide(parent.self(), parent.is_inter(), all);
              }));
}

Comparison compare(const Communicator& first, const Communicator& second)
{
  if (&first.shared() == &second.shared()) return Comparison::ident;
  if (first.is_inter() != second.is_inter()) return Comparison::unequal;
  const Comparison mine = ranklet::compare(*first.group(), *second.group());
  const Comparison theirs =
      first.is_inter() ? ranklet::compare(*first.peers(), *second.peers()) : Comparison::ident;
  if (mine == Comparison::unequal || theirs == Comparison::unequal) return Comparison::unequal;
  if (mine == Comparison::similar || theirs == Comparison::similar) return Comparison::similar;
  return Comparison::congruent;
}

void prepare_to_free(Communicator& comm)
{
  if (comm.predefined) fail(ErrorClass::comm, "%s may not be freed", comm.name.c_str());
  comm.attributes.clear(&comm);
  // MPI_Comm_get_parent then finds none (§11.8.2).
  if (CommRef& parent = comm.self().comm->parent; parent && &*parent == &comm) parent = {};
}

}  // namespace ranklet::comm
