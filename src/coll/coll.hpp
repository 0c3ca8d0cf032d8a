// The front header of coll: the blocking collectives (MPI 5.0 chapter 6 and §8.6) on any communicator; their
// other forms are in nonblocking.hpp.
//
// Every call is collective over the communicator's members and is made by one thread of each at a time. Data
// is copied, or reduced, straight between the members' buffers, without messages (round.hpp says how members
// find each other); up to 48 bytes travel in the cache line that carries the flag. Members wait only for
// those whose data they need, or who need theirs.
//
// Reductions: the operands are combined in rank order, and where the brackets close depends on the number of
// members, the operator and the communicator's hint only, not on the algorithm (fold.hpp). Results are
// therefore the same on all members and in all runs. A user's function runs on the thread that called the
// collective, but it may be given the data of other members.
//
// Errors: root, op, and, where the sizes of the two sides disagree, truncate; `other` when members call
// different collectives at once, or another member has failed in this one. A member that fails still lets
// the others go on: they end normally or with an error, unless they need what it did not provide.
// `root` of an intercommunicator is the root's rank in the remote group, intercomm_root or proc_null
// (§6.2.3).
#pragma once

#include "coll/buffers.hpp"
#include "coll/nonblocking.hpp"
#include "comm/communicator.hpp"
#include "datatype/op.hpp"

namespace ranklet::coll {

// For reports, while this member waits in a blocking collective: the members that have not come to it. In an
// intercommunicator nobody is named.
std::vector<int> absent_members(Communicator& comm);

// Tells members that are in another collective, by mistake, that this one makes a communicator. Waits for
// nobody.
void note_new_communicator(Communicator& comm);

void barrier(Communicator& comm);
// Whether every member waits in it for every other one itself: such a barrier need not be one of ours.
bool members_look_at_all(const Communicator& comm);
// The same for MPI_Finalize, which is not taken for MPI_Barrier.
void finalize(Communicator& world);
void bcast(Communicator& comm, Part data, int root);

// recv matters at the root only. send may be in_place at the root.
void gather(Communicator& comm, Part send, const Blocks& recv, int root);
// send matters at the root only. recv may be in_place at the root.
void scatter(Communicator& comm, const Blocks& send, Part recv, int root);
// send may be in_place, here and below.
void allgather(Communicator& comm, Part send, const Blocks& recv);
void alltoall(Communicator& comm, const Blocks& send, const Blocks& recv);

// recv matters at the root only.
void reduce(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type, const Op& op,
            int root);
void allreduce(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
               const Op& op);
// Member i gets count, or counts[i], elements.
void reduce_scatter_block(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
                          const Op& op);
void reduce_scatter(Communicator& comm, const void* send, void* recv, Array counts, const Datatype& type,
                    const Op& op);
void scan(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type, const Op& op);
void exscan(Communicator& comm, const void* send, void* recv, Count count, const Datatype& type,
            const Op& op);

// The communicator has a topology (§8.6); block i belongs to neighbour i in the order of its lists.
void neighbor_allgather(Communicator& comm, Part send, const Blocks& recv);
void neighbor_alltoall(Communicator& comm, const Blocks& send, const Blocks& recv);

}  // namespace ranklet::coll
