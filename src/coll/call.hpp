// Which collective a member is in: what is compared when members meet.
#pragma once

#include <cstdint>

namespace ranklet::coll {

enum class Call : std::uint8_t {
  barrier,
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_alltoall,
};
const char* name(Call call);

}  // namespace ranklet::coll
