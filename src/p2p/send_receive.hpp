// The request of MPI_Isendrecv and MPI_Isendrecv_replace (MPI 5.0 §3.10).
#pragma once

#include <memory>

#include "base/memory.hpp"
#include "p2p/p2p_request.hpp"

namespace ranklet::p2p {

// The packed data of a send whose buffer receives as well.
class PackedCopy {
 public:
  PackedCopy() = default;
  // Errors: no_mem.
  PackedCopy(const void* buffer, Count count, const Datatype& type);

  const void* data() const noexcept { return memory_.get(); }
  Count bytes() const noexcept { return bytes_; }

 private:
  struct Free {
    void operator()(void* memory) const noexcept { free_shared(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  Count bytes_ = 0;
};

// A send and a receive under one request, whose result is the receive's.
class SendReceiveRequest final : public Request {
 public:
  explicit SendReceiveRequest(Rank& owner) noexcept : Request(owner) {}

  // The parts are active and belong to this request from now on. copy: what the send reads from, or nothing.
  void set(Request& send, Request& receive, PackedCopy copy);

  const Request& receive() const noexcept { return *receive_; }

  bool advance() override;
  bool ready_to_advance() const noexcept override;
  ErrorClass reap(Status* status) override;
  void peek(Status* status) const override;
  void release() override;
  void discard() noexcept override {}  // the stock has it

 private:
  friend class Stock<SendReceiveRequest>;

  Request* send_ = nullptr;
  Request* receive_ = nullptr;
  PackedCopy copy_;
  Stocked<SendReceiveRequest> stocked_;
};

}  // namespace ranklet::p2p
