// The request of operations that were complete when their call returned.
#pragma once

#include "ranks/request.hpp"

namespace ranklet {

// One of a rank serves all such operations, many at once: nothing changes in it, and nothing is given back.
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
    return ErrorClass::success;
  }
  void peek(Status* status) const override { *status = Status{}; }
  void release() override {}
  void discard() noexcept override {}
};

}  // namespace ranklet
