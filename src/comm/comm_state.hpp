// What the comm layer keeps in every rank.
#pragma once

#include "comm/communicator.hpp"

namespace ranklet {

namespace comm {

class Ports;

struct RankState {
  CommRef world;
  CommRef self;
  CommRef parent;  // to those who have started the rank's job; null: nobody has, or it was freed
  KeyvalTable keyvals;
  std::shared_ptr<Ports> ports;  // the same for all ranks of the universe

  // The values of the predefined attributes (§9.1.2, §11.10): MPI_Comm_get_attr hands out their addresses,
  // from every communicator.
  int tag_ub = ranklet::tag_ub;
  int host = proc_null;
  int io = any_source;      // every rank can do I/O
  int wtime_is_global = 1;  // one clock
  int universe_size = 0;    // set to the size of the job
  int appnum = 0;           // which of the programs of an MPMD start
  int last_used_code = 0;   // kept by api: MPI_LASTUSEDCODE
};

// Makes the state of every rank: MPI_COMM_WORLD, whose shared part all ranks have in common, and
// MPI_COMM_SELF. O(1) per rank after the first.
Extension extension();

inline Communicator& world(Rank& rank)
{
  return *rank.comm->world;
}
inline Communicator& self(Rank& rank)
{
  return *rank.comm->self;
}

}  // namespace comm
}  // namespace ranklet
