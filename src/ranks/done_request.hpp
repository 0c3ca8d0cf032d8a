// The request of operations that were complete when their call returned.
#pragma once

#include <cstdint>

#include "ranks/request.hpp"

namespace ranklet {

// One of a rank serves all such operations, many at once: nothing changes in it, and nothing is given back;
// but one that stands for a single operation. That of sends may be cancelled (MPI 5.0 §3.8.4): they are sent,
// and stay so.
class DoneRequest final : public Request {
 public:
  enum class Of : std::uint8_t { many, many_sends, one };

  explicit DoneRequest(Rank& owner, Of of = Of::many) : Request(owner), of_(of)
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
  bool end_at_once(const Section&, Status* status) override
  {
    if (of_ == Of::one) return false;
    if (status) peek(status);
    return true;
  }
  void peek(Status* status) const override { *status = Status{}; }
  void cancel() override
  {
    if (of_ != Of::many_sends) Request::cancel();
  }
  void release() override
  {
    if (of_ == Of::one) delete this;
  }
  void discard() noexcept override { release(); }

 private:
  const Of of_;
};

}  // namespace ranklet
