// The buffer that a user attaches for buffered sends (MPI 5.0 §3.6).
//
// Messages travel in parcels of our own; the attached buffer only says how much of them may be under way. So
// a message is transmitted, in the sense of MPI_Buffer_detach, as soon as it is sent, and detaching never
// waits.
#pragma once

#include "base/types.hpp"
#include "memmodel/memmodel.hpp"

namespace ranklet::p2p {

// The room of one attached buffer; lives until it is detached and the last message charged to it is
// delivered.
class BufferAccount {
 public:
  BufferAccount(void* address, Count size) noexcept : address_(address), size_(size) {}

  void* address() const noexcept { return address_; }
  Count size() const noexcept { return size_; }
  // By the owner's threads: takes room for a message of `bytes`; false if there is not enough.
  bool charge(Count bytes) noexcept;
  // By whoever delivers the message.
  void refund(Count bytes) noexcept;
  // By the owner, when the buffer is detached.
  void close() noexcept { drop(); }

 private:
  void drop() noexcept;

  void* const address_;
  const Count size_;
  memmodel::Counter<> used_;
  memmodel::Counter<> references_{1};
};

}  // namespace ranklet::p2p
