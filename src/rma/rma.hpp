// The front header of rma: one-sided communication (MPI 5.0 chapter 12).
//
//   Window                       one member's view of a window (window.hpp)
//   create, allocate, free, ...  making and freeing windows (window_creation.hpp)
//   put, get                     moving data (put_get.hpp)
//   accumulate, fetch_and_op, .. combining data, atomically by element (accumulate.hpp)
//   fence, post, lock, sync, ..  synchronisation (synchronize.hpp)
//   Hints                        what a program says of its use of a window (window_hints.hpp)
#pragma once

#include "rma/accumulate.hpp"
#include "rma/put_get.hpp"
#include "rma/synchronize.hpp"
#include "rma/window.hpp"
#include "rma/window_creation.hpp"
#include "rma/window_hints.hpp"
