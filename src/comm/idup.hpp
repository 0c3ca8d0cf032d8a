// MPI_Comm_idup (MPI 5.0 §7.4.2).
#pragma once

#include "comm/communicator.hpp"

namespace ranklet::comm {

// The request of an operation that was complete when its call returned. Making a duplicate waits for nobody
// (create.hpp), and a message on it to a member that has not made its own yet waits in that member's mailbox:
// so nothing is left to do after the call.
class DoneRequest final : public Request {
 public:
  explicit DoneRequest(Rank& owner) : Request(owner)
  {
    active_ = true;
    finish();
  }

  bool advance() override { return true; }
  bool ready_to_advance() const noexcept override { return true; }
  ErrorClass reap(Status* status) override
  {
    if (status) peek(status);
    active_ = false;
    return ErrorClass::success;
  }
  void peek(Status* status) const override { *status = Status{}; }
  void release() override { delete this; }
};

}  // namespace ranklet::comm
