// What a program says of its use of a window (MPI 5.0 §12.2, §12.7.2), and what follows from it.
#pragma once

#include <string>

#include "terms/info.hpp"
#include "terms/types.hpp"

namespace ranklet::rma {

struct Hints {
  bool no_locks = false;        // kept: programs lock all the same, and it would save nothing
  bool noncontiguous = false;   // alloc_shared_noncontig: parts need not follow each other
  bool same_size = false;       // kept; nothing depends on it
  bool same_disp_unit = false;  // kept; nothing depends on it
  bool full_sync = true;        // ranklet_win_sync=full: MPI_Win_sync orders stores before loads too
  Count alignment = 64;         // mpi_minimum_memory_alignment, a power of two, for memory we allocate
  Count granularity = 0;        // mpi_accumulate_granularity: kept; we choose by the size of each call
  std::string ordering = "rar,raw,war,waw";      // always kept: each operation is done at once
  std::string accumulate_ops = "same_op_no_op";  // any mix is atomic

  // Takes the keys that are hints and whose value is one; others are ignored (§10). Those that decide how a
  // window is made only count when it is made.
  void set(const Info& info, bool making);
  Info info() const;
};

}  // namespace ranklet::rma
