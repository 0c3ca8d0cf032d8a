// The requests of point-to-point communication. Their objects belong to the engine of their owner, which
// keeps them for reuse; those of blocking calls lie on the stack.
#pragma once

#include <chrono>
#include <memory>

#include "base/ref.hpp"
#include "comm/communicator.hpp"
#include "datatype/copy.hpp"
#include "p2p/envelope.hpp"
#include "p2p/list.hpp"
#include "p2p/offers.hpp"
#include "p2p/shared_copy.hpp"
#include "p2p/stock.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::p2p {

struct Unexpected;

// The sending modes (MPI 5.0 §3.4).
enum class Mode : std::uint8_t { standard, buffered, synchronous, ready };

// A typed buffer in memory; keeps a derived type alive while the operation lasts (§5.1.9).
struct Buffer {
  const void* address = nullptr;
  Count count = 0;
  Ref<const Datatype> type;

  Count bytes() const noexcept { return count * type->size(); }
  void set(const void* in_address, Count in_count, const Datatype& in_type) noexcept
  {
    address = in_address;
    count = in_count;
    if (type.get() != &in_type) type = Ref<const Datatype>(in_type);
  }
  // Requests are kept for reuse, types that the program has made are not.
  void let_go() noexcept
  {
    if (type && !type->is_predefined()) [[unlikely]]
      type = {};
  }
};

// A send: complete at once when its data was copied out, otherwise when it was delivered.
class SendRequest final : public Request {
 public:
  explicit SendRequest(Rank& owner) noexcept : Request(owner) {}

  // dest: a rank of the communicator or MPI_PROC_NULL.
  void set(Mode mode, const void* buffer, Count count, const Datatype& type, int dest, int tag,
           Communicator& comm);
  void make_persistent() noexcept { persistent_ = true; }

  void start() override;
  bool advance() override;
  bool ready_to_advance() const noexcept override;
  ErrorClass reap(Status* status) override;
  void peek(Status* status) const override;
  Partner partner() const noexcept override { return {.rank = dest_, .what = "a send", .tag = tag_}; }
  void cancel() override;
  void release() override;
  void discard() noexcept override {}  // the stock has it
  // start() of a message that is offered (Engine::offers_first).
  void start_offered();
  // start() of a message that is copied out whenever it can be, though its receiver has no room for more: its
  // buffer is used for something else at once.
  void start_copied();
  // If it may be copied out, it is complete when this returns, unless memory has ended.
  void copy_out_now() noexcept;
  // Back to the stock, without having been started.
  void give_back() noexcept;
  // Takes the message back, or waits until it is delivered: when the wait for it is left by an exception.
  void abandon() noexcept;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  friend class Engine;
  friend struct Envelope;
  friend class Stock<SendRequest>;

  Mode mode_ = Mode::standard;
  enum class Room : bool { as_there_is, always };
  void start(Room room);
  // Sends what can be copied out at the start; false: it stays in the buffer. Errors: buffer, no_mem.
  bool copy_out(Room room);
  // What stays in the buffer goes to the receiver.
  void hand_over();
  // What waits in the send buffer is put into a parcel, if that is faster.
  void fill_parcel() noexcept;
  // Of what was offered; false: not now.
  bool copy_out_late();

  bool cancelled_ = false;
  // It lies in the send buffer, but may be copied out (offers.hpp). Changed by the owner's threads, while
  // others may know the request with the token of the receiver.
  bool offered_ = false;
  Offers::Pace pace_ = Offers::Pace::not_measured;  // by whoever delivers it, before the end
  struct Free {
    void operator()(Parcel* parcel) const noexcept { parcel->free(); }
  };
  std::unique_ptr<Parcel, Free> parcel_;  // holds what waits in the send buffer; whoever delivers it takes it
  int tag_ = 0;
  int source_ = 0;
  Rank* dest_ = nullptr;  // null: MPI_PROC_NULL
  Buffer buffer_;
  CommRef comm_;                     // in buffered mode: whose buffers are used
  Ref<const RecordedCall> sent_by_;  // in jobs that are checked
  const void* site_ = nullptr;       // of what stays in the buffer: return address of the call
  TimePoint help_from_;              // when to help the receiver; the epoch: now
  Stocked<SendRequest> stocked_;
  SharedCopy copy_;  // on lines of its own
};

// A receive: posted until it is matched. Fields are guarded by the owner's token while it is posted.
class ReceiveRequest final : public Request {
 public:
  explicit ReceiveRequest(Rank& owner) noexcept : Request(owner) {}
  // source: a rank of the communicator, MPI_ANY_SOURCE or MPI_PROC_NULL.
  void set(void* buffer, Count count, const Datatype& type, int source, int tag, Communicator& comm) noexcept
  {
    source_ = source;
    tag_ = tag;
    context_ = comm.context();
    exact_ = comm.hints.exact_length;
    buffer_.set(buffer, count, type);
  }
  // For a message that is matched already.
  void set_matched(void* buffer, Count count, const Datatype& type, std::uint32_t context);
  // start() where the owner waits at once.
  void start_awaited();
  // Starts with a message that was matched before; null: of MPI_PROC_NULL.
  void start_with(Unexpected* message);
  void abandon() noexcept;
  // Ends the receive of a blocking call; status may be null. Errors: what the receive has failed with.
  void finish_call(Status* status);
  void make_persistent() noexcept { persistent_ = true; }

  void start() override;
  bool advance() override;
  bool ready_to_advance() const noexcept override;
  ErrorClass reap(Status* status) override;
  bool end_at_once(const Section& alone, Status* status) override;
  void peek(Status* status) const override;
  Partner partner() const noexcept override { return {.member = source_, .what = "a receive", .tag = tag_}; }
  void cancel() override;
  void release() override;
  void discard() noexcept override {}  // the stock has it

 private:
  friend class Engine;
  friend class PostedQueue;
  friend class Stock<ReceiveRequest>;

  bool matches(const Envelope& envelope) const noexcept
  {
    return envelope.context == context_ && (source_ == envelope.source || source_ == any_source) &&
           (tag_ == envelope.tag || tag_ == any_tag);
  }
  // Makes it active; false if it is complete already, being from MPI_PROC_NULL.
  bool begin() noexcept
  {
    done_.reset();
    active_ = true;
    error_ = ErrorClass::success;
    status_ = Status{};
    if (source_ != proc_null) [[likely]]
      return true;
    status_.source = proc_null;  // §3.10
    done_.set();
    return false;
  }

  // Lets go of what it refers to, before it goes back.
  void forget() noexcept;

  static constexpr int no_choice = -1;

  bool posted_ = false;
  bool held_ = false;   // until the arbiter decides from whom it receives
  bool exact_ = false;  // the communicator's hint promises that messages fill the buffer
  int source_ = 0;
  int tag_ = 0;
  int choice_ = no_choice;  // of an arbiter, who may have narrowed source and tag; then this was asked for
  int asked_source_ = 0;
  int asked_tag_ = 0;
  std::uint64_t order_ = 0;  // of posting, in its engine
  std::uint64_t bin_ = 0;    // Bins::mix() of what it names, while it is posted
  Buffer buffer_;
  Status status_;
  ErrorClass error_ = ErrorClass::success;
  Ref<const RecordedCall> sent_by_;  // what it has received, in jobs that are checked
  Stocked<ReceiveRequest> stocked_;

 public:
  Link<ReceiveRequest> link;           // in its PostedQueue
  Link<ReceiveRequest> from_any_link;  // there, among those from any source
};

// For abandon(): true when the job was cancelled, after all are at rest; then nobody delivers any more, and
// to take a message back might deliver others, whose buffers are gone.
inline bool ends_at_rest(Rank& owner) noexcept
{
  if (!owner.job.cancelled()) return false;
  owner.job.await_rest();
  return true;
}

// How long it sleeps at a time, in milliseconds.
inline constexpr int longest_look = 1;

}  // namespace ranklet::p2p
