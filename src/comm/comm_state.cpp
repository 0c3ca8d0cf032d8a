#include "comm/comm_state.hpp"

#include "comm/ports.hpp"
#include "comm/virtual_topology.hpp"

namespace ranklet::comm {

namespace {

CommRef make_predefined(Rank& rank, std::shared_ptr<CommShared> shared, const char* name)
{
  CommRef made = CommRef::adopt(new Communicator(rank, std::move(shared)));
  made->name = name;
  made->predefined = true;
  return made;
}

std::shared_ptr<CommShared> share(Job& job, std::vector<Rank*> members)
{
  return std::make_shared<CommShared>(job, std::make_shared<const Group>(std::move(members)));
}

// One thread makes all ranks' states, rank 0 first (Job's constructor).
void create_state(Rank& rank)
{
  Job& job = rank.job;
  std::shared_ptr<CommShared> world;
  if (rank.world_rank == 0) {
    std::vector<Rank*> members;
    members.reserve(static_cast<std::size_t>(job.size()));
    for (int i = 0; i < job.size(); ++i) members.push_back(&job.rank(i));
    world = share(job, std::move(members));
  } else {
    world = job.rank(0).comm->world->shared_part();
  }
  rank.comm = new RankState;
  rank.comm->world = make_predefined(rank, std::move(world), "MPI_COMM_WORLD");
  rank.comm->self = make_predefined(rank, share(job, {&rank}), "MPI_COMM_SELF");
  rank.comm->universe_size = job.size();
  const Rank* const senior = rank.world_rank > 0 ? &job.rank(0) : job.options().spawner;
  rank.comm->ports = senior ? senior->comm->ports : std::make_shared<Ports>();
}

void destroy_state(Rank& rank) noexcept
{
  delete rank.comm;
  rank.comm = nullptr;
}

}  // namespace

Extension extension()
{
  return {create_state, destroy_state};
}

}  // namespace ranklet::comm
