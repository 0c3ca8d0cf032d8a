// Matching under an arbiter (ranks/arbiter.hpp): probes and receives whose outcome it decides or writes down.
#pragma once

#include <optional>

#include "comm/communicator.hpp"
#include "p2p/engine.hpp"

namespace ranklet::p2p {

// The probes of p2p.hpp; source is not proc_null.
Status arbitrated_probe(Communicator& comm, int source, int tag);
std::optional<Status> arbitrated_iprobe(Communicator& comm, int source, int tag);
// Takes a message for MPI_Mprobe (waits) or MPI_Improbe; null: there is none.
Unexpected* arbitrated_take(Communicator& comm, bool waits, int source, int tag);

// Until look() finds the message among those that have come and have no receive.
template <class Look>
void wait_for_message(Rank& self, Look&& look)
{
  std::uint64_t seen = 0;
  wait_until(
      self, self.parking,
      [&] {
        // Before the look: what is kept while it goes on makes another one worth while.
        seen = self.p2p->kept();
        return look();
      },
      [&] { return self.p2p->has_mail() || self.p2p->kept() != seen; });
}

}  // namespace ranklet::p2p
