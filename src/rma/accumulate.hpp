// Operations that combine data with a target's, element by element (MPI 5.0 §12.3.4). They are complete when
// they return. Each element is changed atomically with regard to all other such operations on the same basic
// type, and those of one origin on one element come in the program's order.
//
// How: elements of 1, 2, 4 or 8 bytes at an aligned address by atomic instructions, others under the target's
// lock for accumulates; which one follows from the type and the address alone, hence is the same for all who
// meet at an element. Many elements in one call close the target's gate for those instructions (which makes
// them wait, but costs them nothing otherwise), and run at the speed of vectors. An origin that holds
// the target's window lock exclusively needs none of it.
//
// Of types of one byte several in one call are changed as one thing with regard to other such calls, as
// programs use them for small structs: beyond what §12.7.1 promises. They go under the lock for accumulates.
//
// Errors: rma_sync, rma_range, truncate, op (user-defined, or not for the type), type (the data do not
// consist of one predefined type, or of different ones).
#pragma once

#include "datatype/op.hpp"
#include "rma/put_get.hpp"

namespace ranklet::rma {

void accumulate(Window& window, const OriginData& origin, const TargetData& target, const Op& op);
// `result` gets what was at the target before. origin is not looked at if `op` is no_op.
void get_accumulate(Window& window, const OriginData& origin, const OriginData& result,
                    const TargetData& target, const Op& op);
// One element of a predefined type.
void fetch_and_op(Window& window, const void* origin, void* result, const Datatype& type, int target,
                  Count disp, const Op& op);
// The element becomes *origin if it equals *compare, in all of its bytes; *result is what it was. Errors:
// type, unless it is an integer, logical, multi-language or byte type.
void compare_and_swap(Window& window, const void* origin, const void* compare, void* result,
                      const Datatype& type, int target, Count disp);

}  // namespace ranklet::rma
