// Where an operation's data lies at its target.
#pragma once

#include "datatype/datatype.hpp"
#include "rma/window.hpp"

namespace ranklet::rma {

// The address to which `count` elements of `type` are relative: `disp` units into the target's part, or the
// address itself in a dynamic window. Errors: rma_sync (no epoch), rma_range (some of the data lies outside
// the part, or outside what is attached).
char* place(Window& window, int target, Count disp, Count count, const Datatype& type);

// The smaller of two amounts of data. Errors: truncate, if `from` is more than `to` has room for.
Count amount(Count from_count, const Datatype& from, Count to_count, const Datatype& to);

}  // namespace ranklet::rma
