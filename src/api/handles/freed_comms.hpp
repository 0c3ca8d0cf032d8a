// Communicators of a rank that were freed while requests of theirs were left: those still use them (MPI 5.0
// §7.4.3), and what they fail with belongs to their error handlers (§9.3). Requests themselves know a context
// only.
//
// Thread safety: any threads of the rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "memmodel/memmodel.hpp"

namespace ranklet::api {

class FreedComms {
 public:
  // contexts: of the requests that are left; what none of them belongs to goes.
  void update(CommRef freed, const std::vector<std::uint32_t>& contexts)
  {
    std::vector<CommRef> past;  // ends after the lock
    const Holder guard(lock_);
    comms_.push_back(std::move(freed));
    const auto unused = std::partition(comms_.begin(), comms_.end(), [&](const CommRef& comm) {
      return std::ranges::find(contexts, comm->context()) != contexts.end();
    });
    past.assign(std::make_move_iterator(unused), std::make_move_iterator(comms_.end()));
    comms_.erase(unused, comms_.end());
  }
  // Null if there is none.
  CommRef find(std::uint32_t context)
  {
    const Holder guard(lock_);
    for (const CommRef& comm : comms_)
      if (comm->context() == context) return comm;
    return {};
  }
  bool empty()
  {
    const Holder guard(lock_);
    return comms_.empty();
  }

 private:
  memmodel::SpinLock<> lock_;
  std::vector<CommRef> comms_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::api
