// An allreduce of large vectors in two levels: what is far moves once into each group of near members.
#pragma once

#include "coll/operands.hpp"

namespace ranklet::coll {

// Each member reduces a slice of the vectors of its group, which NearGroups::block says. Those with the same
// slice in different groups reduce a part of it each, and fetch the others' parts; then the members of a
// group copy their slices from each other. The operands may be where the result goes. Ends the round. Errors:
// those of Gathering.
void allreduce_by_groups(Communicator& comm, Round& round, const Operands& operands, const Datatype& type,
                         const Op& op);

}  // namespace ranklet::coll
