// Partitioned communication (MPI 5.0 chapter 4).
//
// A send and a receive meet once, when both are initialized, and share a Channel from then on. In each round
// a partition of the send is copied straight to the receive buffer by whoever comes second: MPI_Pready, or
// the start of the receive. So nothing is left to be done in between, a partition is there as soon as it can
// be, and neither side waits before it asks for completion.
//
// Thread safety: ready() and arrived() by any threads of the rank at once; the rest as of every request.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <tuple>

#include "base/guarded.hpp"
#include "memmodel/memmodel.hpp"
#include "p2p/p2p_request.hpp"
#include "p2p/partition_flags.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::p2p {

class PartitionedSend;
class PartitionedReceive;

// One side's buffer: the partitions lie one behind the other.
struct Partitions : Division {
  Buffer buffer;  // all of them
  int named = 0;  // those that MPI_Pready and MPI_Parrived may name: `count`, or 0 of one that is empty
};

// What a send and its receive have in common.
//
// Invariants, beside those of its flags: 1. Fields of a side are written before the sides know each other,
// and are constant then. 2. The thread that copies the last partition finishes both requests.
struct Channel {
  PartitionedSend* send = nullptr;
  PartitionedReceive* receive = nullptr;
  Partitions from;
  Partitions to;
  bool receive_started = false;  // before it had a send; guarded by the lock of matching
  PartitionFlags<> flags;

  // The receive's part of the start of a round.
  void open(bool odd);
  // Both sides have come to the meeting of a partition of the send.
  void move(int partition);
};

// Finds the other side, in the order of the initializations (§4.2.1). One per rank, for what it receives.
//
// Thread safety: any thread, under a lock.
class PartitionedMatching {
 public:
  // The send's or the receive's end of a channel; true: the other end is there.
  std::shared_ptr<Channel> add_send(std::uint32_t context, int source, int tag, PartitionedSend& send,
                                    Partitions from);
  std::shared_ptr<Channel> add_receive(std::uint32_t context, int source, int tag,
                                       PartitionedReceive& receive, Partitions to);
  // Starts the first round of a receive: at once if it has a send, else when that comes.
  void start(Channel& channel);

 private:
  using Key = std::tuple<std::uint32_t, int, int>;

  // The first channel with this key that lacks the side which `missing` says, else a new one.
  std::shared_ptr<Channel> match(const Key& key, bool send_is_missing) RANKLET_REQUIRES(lock_);

  memmodel::SpinLock<> lock_;
  std::map<Key, std::deque<std::shared_ptr<Channel>>> unmatched_ RANKLET_GUARDED_BY(lock_);
};

class PartitionedSend final : public Request {
 public:
  // dest may be MPI_PROC_NULL.
  PartitionedSend(Communicator& comm, Partitions from, int dest, int tag);

  // MPI_Pready. Errors: request (inactive), arg (no such partition, or it is ready).
  void ready(int partition);

  void start() override;
  bool advance() override { return complete(); }
  bool ready_to_advance() const noexcept override { return complete(); }
  ErrorClass reap(Status* status) override;
  void peek(Status* status) const override { *status = Status{}; }
  void check_may_be_let_go() const override;
  void release() override { delete this; }

 private:
  friend struct Channel;

  void mark(int partition);

  bool odd_ = false;
  bool to_nobody_;
  std::shared_ptr<Channel> channel_;
};

class PartitionedReceive final : public Request {
 public:
  // source may be MPI_PROC_NULL.
  PartitionedReceive(Communicator& comm, Partitions to, int source, int tag);

  // MPI_Parrived. Errors: arg, for no such partition.
  bool arrived(int partition) const;

  void start() override;
  bool advance() override { return complete(); }
  bool ready_to_advance() const noexcept override { return complete(); }
  ErrorClass reap(Status* status) override;
  void peek(Status* status) const override;
  void check_may_be_let_go() const override;
  void release() override { delete this; }

 private:
  friend struct Channel;

  int source_;
  int tag_;
  bool odd_ = false;
  std::shared_ptr<Channel> channel_;
};

}  // namespace ranklet::p2p
