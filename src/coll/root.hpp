// The root of a collective, in intra- and intercommunicators alike.
#pragma once

#include "coll/round.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

// The part that a member plays in a rooted collective.
struct Role {
  bool is_root;     // has the root's buffer
  bool takes_part;  // exchanges data with the root; the root itself does so in an intracommunicator
  int root;  // the root's member number; on the root's side of an intercommunicator only its own is known
};

// Errors: root.
inline Role role(const Communicator& comm, int root)
{
  if (!comm.is_inter()) {
    if (root < 0 || root >= comm.size())
      fail(ErrorClass::root, "root %d is not in the communicator of %d", root, comm.size());
    return {root == comm.rank(), true, root};
  }
  if (root == intercomm_root) return {true, false, comm.board_rank()};
  if (root == proc_null) return {false, false, -1};
  if (root < 0 || root >= comm.peer_count())
    fail(ErrorClass::root, "root %d is not in the remote group of %d", root, comm.peer_count());
  return {false, true, comm.side() == 0 ? comm.size() + root : root};
}

// What Round compares: nothing in an intercommunicator, where not all members know the root.
inline int compared_root(const Communicator& comm, int root)
{
  return comm.is_inter() ? 0 : root;
}

inline const Op* compared_op(const Communicator& comm, const Op& op)
{
  return comm.is_inter() ? nullptr : &op;
}

// The members with whom this one exchanges data: those of its group, or of the remote group. Peer i is member
// first + i.
struct Peers {
  int first;
  int count;
};
inline Peers peers(const Communicator& comm)
{
  if (!comm.is_inter()) return {0, comm.size()};
  return {comm.side() == 0 ? comm.size() : 0, comm.peer_count()};
}

}  // namespace ranklet::coll
