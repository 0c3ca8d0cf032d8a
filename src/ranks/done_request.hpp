// The request of operations that were complete when their call returned.
#pragma once

#include "ranks/request.hpp"

namespace ranklet {

// One of a rank serves all such operations, many at once: nothing changes in it, and nothing is given back;
// but one that stands for a single operation.
class DoneRequest final : public Request {
 public:
  // may_be_cancelled: as that of a message (MPI 5.0 §3.8.4), which was sent and stays so.
  explicit DoneRequest(Rank& owner, bool single = false, bool may_be_cancelled = false)
      : Request(owner), single_(single), may_be_cancelled_(may_be_cancelled)
  {
    active_ = true;
    finish();
  }

  bool advance() override { return true; }
  bool ready_to_advance() const noexcept override { return true; }
  ErrorClass reap(Status* status) override
  {
    if (status) peek(status);
    return ErrorClass::success;
  }
  void peek(Status* status) const override { *status = Status{}; }
  void cancel() override
  {
    if (!may_be_cancelled_) Request::cancel();
  }
  void release() override
  {
    if (single_) delete this;
  }
  void discard() noexcept override { release(); }

 private:
  const bool single_, may_be_cancelled_;
};

}  // namespace ranklet
