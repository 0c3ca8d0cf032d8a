// What a program has promised about its use of a communicator (MPI 5.0 §7.4.4), so that breaking the promise
// is found where it happens.
#pragma once

#include "base/info.hpp"

namespace ranklet::comm {

struct Hints {
  bool no_any_tag = false;        // no receive or probe names MPI_ANY_TAG
  bool no_any_source = false;     // none names MPI_ANY_SOURCE
  bool exact_length = false;      // messages fill their receive buffers
  bool allow_overtaking = false;  // messages need not match in the order of their sends; kept, but not used

  // Takes those keys that are hints, with the values "true" and "false". Others are ignored (§10).
  void set(const Info& info);
  // All hints with their values (MPI_Comm_get_info).
  Info info() const;
};

}  // namespace ranklet::comm
