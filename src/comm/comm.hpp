// The front header of comm: groups, communicators and what hangs on them.
//
//   Group, include, exclude, unite, ...      ordered sets of ranks (group.hpp)
//   Communicator, CommShared                 one rank's view, and what all members share (communicator.hpp)
//   dup, create, create_group, split, ...    making and freeing them (create.hpp)
//   split_type                               by hardware (split_type.hpp)
//   Session, create_from_group, ...          without a parent (session.hpp)
//   Hints                                    what programs promise of one (communicator_hints.hpp)
//   Topology, cart_create, ...               virtual topologies (virtual_topology.hpp)
//   map_nodes                                which member is which node of a topology (mapping.hpp)
//   Keyval, AttributeSet                     attributes of communicators, datatypes, windows (attributes.hpp)
//   RankState, extension, world, self        what each rank has from the start (comm_state.hpp)
//
// Communicators are made without messages. Where each member knows the new group by itself nobody waits for
// anybody (nursery.hpp); else all meet at the parent's board and one decides (confer.hpp); the leaders of an
// intercommunicator meet each other (meetings.hpp). Context ids are unique in the job, so that a
// communicator may be used before all members have made theirs.
#pragma once

#include "comm/attributes.hpp"
#include "comm/comm_state.hpp"
#include "comm/communicator.hpp"
#include "comm/create.hpp"
#include "comm/group.hpp"
#include "comm/mapping.hpp"
#include "comm/session.hpp"
#include "comm/split_type.hpp"
#include "comm/virtual_topology.hpp"
