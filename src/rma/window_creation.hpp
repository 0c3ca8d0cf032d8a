// Making and freeing windows (MPI 5.0 §12.2).
#pragma once

#include "rma/window.hpp"

namespace ranklet::rma {

// Collective over the communicator, an intracommunicator. What is wrong at one member is thrown at all.
// Sizes are in bytes. Errors: comm (an intercommunicator), disp (disp_unit is not positive), size, no_mem.
Window* create(Communicator& comm, void* base, Count size, Count disp_unit, const Info* info);
Window* create_dynamic(Communicator& comm, const Info* info);
// `shared`: one piece of memory in the order of the ranks, without gaps unless hinted otherwise; else a piece
// for each.
Window* allocate(Communicator& comm, Count size, Count disp_unit, const Info* info, bool shared);

// Collective; returns when all members have called it. Errors: rma_sync, if an epoch is open; what a delete
// function of an attribute returns.
void free(Window& window);

// Where a member's part is; proc_null: that of the first rank that has any. Errors: rma_flavor (dynamic).
struct Segment {
  char* base;
  Count size;
  Count disp_unit;
};
Segment query(const Window& window, int rank);

// Of dynamic windows (§12.2.4). Errors: rma_flavor, rma_attach.
void attach(Window& window, void* base, Count size);
void detach(Window& window, const void* base);

}  // namespace ranklet::rma
