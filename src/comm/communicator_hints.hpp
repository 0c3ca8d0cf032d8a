// What a program has promised about its use of a communicator (MPI 5.0 §7.4.4), so that breaking the promise
// is found where it happens.
//
// Matching does not look at the promises, as it has nothing left to save: it knows at every moment whether
// wildcard receives are posted, and looks for them only then; the length is compared once, and the hints are
// read only where it differs; and a rank has one mailbox, in whose order messages are looked at anyway, with
// bins that find a receive among many without regard to the others.
#pragma once

#include "terms/info.hpp"

namespace ranklet::comm {

struct Hints {
  bool no_any_tag = false;        // no receive or probe names MPI_ANY_TAG
  bool no_any_source = false;     // none names MPI_ANY_SOURCE
  bool exact_length = false;      // messages fill their receive buffers
  bool allow_overtaking = false;  // messages need not match in the order of their sends; kept, but not used

  // A wish: all reductions are done in the sequential order, ((a op b) op c), as one loop over all operands
  // would.
  bool sequential_reduction = false;

  // Takes those keys that are hints, with the values "true" and "false". Others are ignored (§10).
  void set(const Info& info);
  // All hints with their values (MPI_Comm_get_info).
  Info info() const;
};

}  // namespace ranklet::comm
