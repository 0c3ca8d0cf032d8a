// Making communicators from others (MPI 5.0 §7.4.2, §7.6.2), comparing and freeing them.
#pragma once

#include "comm/communicator.hpp"

namespace ranklet::comm {

// Collective calls return the caller's own new communicator with one count, which the handle holds, or null
// where the standard says MPI_COMM_NULL. The new one inherits the error handler; only dup copies attributes
// and topology; nothing copies hints (MPI 4.0 changed that for dup).

// Does not wait for the other members, so it serves MPI_Comm_idup as well. Errors: what a copy function of an
// attribute returns.
CommRef dup(Communicator& parent);
// §7.4.2: `group` is a subset of the parent's (local) group. On an intracommunicator it does not wait and
// disjoint groups may be made at once. Errors: group, if not a subset.
CommRef create(Communicator& parent, const GroupPtr& group);
// Collective over the group only; does not wait. Errors: group, if the caller is not a member or it is not a
// subset; tag.
CommRef create_group(Communicator& parent, const GroupPtr& group, int tag);
// color >= 0 or `undefined`. Equal keys keep the order of the parent. Errors: arg, for another color.
CommRef split(Communicator& parent, int color, int key);

// §7.6.2. Local arguments only matter at the leaders. Errors: rank, comm, tag, group (the groups overlap).
CommRef intercomm_create(Communicator& local, int local_leader, Communicator* peer, int remote_leader,
                         int tag);
// The group that says `high` comes second; if both say the same, that of side 0 comes first.
CommRef merge(Communicator& inter, bool high);

Comparison compare(const Communicator& first, const Communicator& second);

// What MPI_Comm_free does before the handle ends: calls the delete functions of the attributes. When one of
// them fails, the handle stays. Errors: comm, for MPI_COMM_WORLD and MPI_COMM_SELF.
void prepare_to_free(Communicator& comm);

}  // namespace ranklet::comm
