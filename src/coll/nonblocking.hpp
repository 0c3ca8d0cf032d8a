// Nonblocking and persistent collectives (MPI 5.0 §6.12, §6.13, §8.7, §8.8): the calls of coll.hpp with a
// request. Part of the front header.
//
// Each call is local. With Life::once the operation has started when it returns, with Life::persistent each
// start() starts it. Members make these calls in the same order; starts of different persistent requests may
// come in any order. Buffers must stay until the request completes (persistent: until it is freed); arrays
// are read by the call alone, and types and operators may be freed at once. Memory: 384
// bytes for each member of an operation under way, of which up to 16 members take 8 at once, more of them 2;
// a persistent request keeps those from its first start on. Some 700 bytes and 48 for each step (mostly two
// or three for each member) for each request; of up to 48 bytes from each member (lines.hpp) 400 bytes for
// each request, and 192 more for each that is more than 32 ahead of a member that has not read it, a
// persistent one 2.5 KiB for each member. When there is none left, the start fails with no_mem.
//
// Errors of the operation come out when the request is completed.
#pragma once

#include <vector>

#include "coll/buffers.hpp"
#include "comm/communicator.hpp"
#include "datatype/op.hpp"
#include "ranks/request.hpp"

namespace ranklet::coll {

enum class Life { once, persistent };

Request& ibarrier(Communicator& comm, Life life);
Request& ibcast(Communicator& comm, Part data, int root, Life life);
// Whether all members give, or get, as much: MPI_Igather, or MPI_Igatherv, at all of them.
enum class Sizes { equal, own };
Request& igather(Communicator& comm, Part send, const Blocks& recv, Sizes sizes, int root, Life life);
Request& iscatter(Communicator& comm, const Blocks& send, Part recv, Sizes sizes, int root, Life life);
Request& iallgather(Communicator& comm, Part send, const Blocks& recv, Life life);
Request& ialltoall(Communicator& comm, const Blocks& send, const Blocks& recv, Life life);

Request& ireduce(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
                 const Op& op, int root, Life life);
Request& iallreduce(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
                    const Op& op, Life life);
Request& ireduce_scatter_block(Communicator& comm, const void* send, void* recv, Count count,
                               const Datatype& type, const Op& op, Life life);
Request& ireduce_scatter(Communicator& comm, const void* send, void* recv, Array counts, const Datatype& type,
                         const Op& op, Life life);
Request& iscan(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
               const Op& op, Life life);
Request& iexscan(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
                 const Op& op, Life life);

Request& ineighbor_allgather(Communicator& comm, Part send, const Blocks& recv, Life life);
Request& ineighbor_alltoall(Communicator& comm, const Blocks& send, const Blocks& recv, Life life);

}  // namespace ranklet::coll
