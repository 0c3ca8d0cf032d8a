// The buffers that a user attaches for buffered sends, to a communicator, a session or the process (MPI 5.0
// §3.6).
//
// Messages travel in parcels of our own; an attached buffer only says how much of them may be under way. So a
// message is transmitted, in the sense of MPI_Buffer_detach, as soon as it is sent: detaching and flushing
// never wait, and nothing is left in a buffer whose communicator or session is freed.
#pragma once

#include <utility>

#include "comm/communicator.hpp"
#include "memmodel/memmodel.hpp"
#include "ranks/rank.hpp"
#include "terms/types.hpp"

namespace ranklet::p2p {

// The room of one attached buffer; lives until it is detached and the last message charged to it is
// delivered.
class BufferAccount {
 public:
  explicit BufferAccount(Count size) noexcept : size_(size) {}

  // By the owner's threads: takes room for a message of `bytes`; false if there is not enough.
  bool charge(Count bytes) noexcept;
  // By whoever delivers the message.
  void refund(Count bytes) noexcept;
  // What messages under way take of it, and how many they are; others end meanwhile.
  struct Use {
    Count bytes;
    Count messages;
  };
  Use in_use() const noexcept;
  // By the owner, when the buffer is detached.
  void close() noexcept { drop(); }

 private:
  void drop() noexcept;

  const Count size_;
  memmodel::Counter<> used_;
  memmodel::Counter<> references_{1};
};

// Where one buffer can be attached.
//
// Thread safety: the owner's threads.
class AttachedBuffer {
 public:
  explicit AttachedBuffer(Rank& owner) noexcept : owner_(owner) {}
  AttachedBuffer(const AttachedBuffer&) = delete;
  AttachedBuffer& operator=(const AttachedBuffer&) = delete;
  ~AttachedBuffer();

  // automatic: messages of any size have room. Errors: buffer (one is attached), arg.
  void attach(void* address, Count size, bool automatic = false);
  // What was attached; of automatic buffering the size is 0. Errors: buffer (none is attached), here and
  // below.
  std::pair<void*, Count> detach();
  // The same if a buffer is attached, for an object that ends.
  void detach_any();
  // All room is free again.
  void flush();
  // Takes room for a message of `bytes`: false if no buffer is attached. *account: what the message is
  // charged to, null with automatic buffering. Errors: buffer (no room).
  bool charge(Count bytes, BufferAccount** account);

  const Rank& owner() const noexcept { return owner_; }

 private:
  void check_attached() const RANKLET_REQUIRES(lock_);

  Rank& owner_;
  memmodel::SpinLock<> lock_;
  bool attached_ RANKLET_GUARDED_BY(lock_) = false;
  void* address_ RANKLET_GUARDED_BY(lock_) = nullptr;
  Count size_ RANKLET_GUARDED_BY(lock_) = 0;
  // Null: nothing is attached, or buffering is automatic.
  BufferAccount* account_ RANKLET_GUARDED_BY(lock_) = nullptr;
};

// Where the buffer of the communicator is attached; made when it is first asked for.
AttachedBuffer& comm_buffer(Communicator& comm);
// Where that of the process is.
AttachedBuffer& process_buffer(Rank& self);

// The account of a message of `bytes` on the communicator, null if its size is not counted: of the buffer of
// the communicator, else of the session that it comes from, else of the process. Errors: buffer.
BufferAccount* charge_buffer(Communicator& comm, Count bytes);

}  // namespace ranklet::p2p
