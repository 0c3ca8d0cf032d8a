// What the narrator tells of collectives (MPI 5.0 §6): a member that gets data of another one comes after
// that one's call.
#include "api/usage/narrator.hpp"
#include "comm/virtual_topology.hpp"

namespace ranklet::api {

void Narrator::join(const Call& call, Communicator& comm, std::optional<CollectivePart>& part)
{
  CollectivePart& own = part.emplace(CollectivePart{});
  own.round = check::orders_of(comm.shared()).join(comm.board_rank());
  // Between two groups whoever has come is taken to have come before.
  if (comm.is_inter()) return;
  own.me = comm.rank();
  own.flow = story_of(call.function()).flow;
  if (const int root = find_parameter(call.function(), "root"); root >= 0)
    own.root = static_cast<int>(call.word_of(root));
  if (own.flow == Flow::from_neighbors && comm.topology) own.sources = comm.topology->sources;
}

void Narrator::begin_part(const CollectivePart& part) const
{
  if (!part.round) return detector_->order_from_everything();
  switch (part.flow) {
    case Flow::all:
      return tell_from(*part.round->of(0));
    case Flow::from_root:
      if (part.me == part.root) tell_from(*part.round->of(0));
      return;
    case Flow::to_root:
      if (part.me != part.root) tell_from(*part.round->of(0));
      return;
    case Flow::from_lower:
    case Flow::from_neighbors:
      return tell_from(*part.round->of(part.me));
  }
}

void Narrator::end_part(const CollectivePart& part) const
{
  if (!part.round) return detector_->order_to_everything();
  switch (part.flow) {
    case Flow::all:
      return tell_to(*part.round->of(0));
    case Flow::from_root:
      if (part.me != part.root) tell_to(*part.round->of(0));
      return;
    case Flow::to_root:
      if (part.me == part.root) tell_to(*part.round->of(0));
      return;
    case Flow::from_lower:
      for (int i = 0; i < part.me; ++i) tell_to(*part.round->of(i));
      return;
    case Flow::from_neighbors:
      for (const int source : part.sources)
        if (source != proc_null) tell_to(*part.round->of(source));
      return;
  }
}

}  // namespace ranklet::api
