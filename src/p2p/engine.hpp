// A rank's matching engine: its mailbox, the two queues of matching, and its stock of requests.
//
// Thread safety: any thread may push to the mailbox. The mailbox's reading end and the queues belong to the
// holder of the token; the mailbox's shuttle is written by the owner's thread, without the token, and set up
// by that of either side. The stock belongs to the owner's threads. The token is taken by the owner, in its
// calls, and by a thread of another rank that waits for this one (helping). A holder never waits for another
// token and never pushes, so no cycle of holders can form.
#pragma once

#include <optional>
#include <vector>

#include "memmodel/memmodel.hpp"
#include "p2p/buffered.hpp"
#include "p2p/matching.hpp"
#include "p2p/offers.hpp"
#include "p2p/orphans.hpp"
#include "p2p/parcel_stock.hpp"
#include "p2p/partitioned.hpp"
#include "p2p/send_receive.hpp"
#include "p2p/stock.hpp"
#include "p2p/talk.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::p2p {

class Engine {
 public:
  ~Engine();
  explicit Engine(Rank& rank)
      : orphans(rank),
        attached(rank),
        parcels(rank),
        sent(rank, DoneRequest::Of::many_sends),
        rank_(rank),
        arbitrated_(rank.job.options().arbiter != nullptr),
        holds_(arbitrated_ && rank.job.options().arbiter->holds_receives()),
        unexpected_(rank.job.options().unexpected_limit),
        sends_(rank),
        receives_(rank),
        pairs_(rank)
  {
    rank.matching = &token_;
    if (arbitrated_) posted_.seem_full();
  }

  // For one that has its place behind others while so many cells before it must still be taken.
  [[gnu::cold, gnu::noinline]] void wait_with_place(std::uint64_t cells, int looks) noexcept;
  auto awaits_room() noexcept
  {
    return [this](const auto& lacking) {
      for (int looks = 0; const std::uint64_t cells = lacking(); ++looks) wait_with_place(cells, looks);
    };
  }

  // Called by a sender's thread: hands an envelope over. When the mailbox is full it empties it for its
  // owner. streams: see Ring::try_push.
  // Inlined: else what `fill` refers to goes through memory.
  template <class Fill>
  [[gnu::always_inline]] void push(const Fill& fill, bool streams = false)
  {
    while (!mailbox_.try_push(fill, awaits_room(), streams)) [[unlikely]] make_room();
    rank_.parking.notify();
  }

  // The same for a train.
  template <class Fill, class FillNext>
  [[gnu::always_inline]] void push_train(std::uint32_t cells, const Fill& fill, const FillNext& fill_next,
                                         bool streams)
  {
    while (!mailbox_.try_push_train(cells, fill, fill_next, awaits_room(), streams)) [[unlikely]] make_room();
    rank_.parking.notify();
  }

  // For a sender that found the mailbox full.
  [[gnu::cold, gnu::noinline]] void make_room();
  void note_slow(std::int64_t pauses) noexcept;
  // help(), if something can be taken. True: it has helped.
  bool takes_for_receiver();
  // Matches and delivers what is in the mailbox, on any thread. False when another thread has the token.
  // awaited: for its owner, who stays in the call until it is complete: then what has no receive may stay in
  // the mailbox, from where it moves once.
  bool help(const ReceiveRequest* awaited = nullptr);
  // The same where it pays: for loops that wait.
  void help_if_needed(const ReceiveRequest* awaited = nullptr)
  {
    if (mailbox_.looks_nonempty() || new_receives_.looks_wanted()) help(awaited);
  }
  // Whether a message is in the mailbox, or about to be, or may meet a new receive: a thread that waits for
  // its delivery must not sleep.
  bool has_mail() const noexcept { return mailbox_.looks_claimed() || new_receives_.looks_wanted(); }

  // Whether senders have to keep what is sent now until it is received; a hint.
  bool is_full() const noexcept { return unexpected_.is_full(); }

  // Whether a message has come that no receive has taken. When the job has ended.
  bool has_unreceived() const noexcept { return !unexpected_.empty() || mailbox_.looks_nonempty(); }

  // How many messages have been kept for want of a receive; grows.
  std::uint64_t kept() const noexcept { return kept_.value(); }

  // For the owner: posts the receive. It may be delivered by then, and is in time by what waits for it.
  void post(ReceiveRequest& request);
  // The same where the owner waits for it at once, and will need the token anyway.
  void post_awaited(ReceiveRequest& request)
  {
    streams_to_.set(nullptr);
    post_with_token(request);
  }
  // For the owner: the same with a new request. hand_out(request, section) is called before it starts, in the
  // section that it was taken in, and hand_out.take_back() where its posting has failed, by JobCancelled or
  // bad_alloc.
  template <class HandOut>
  [[gnu::always_inline]] ReceiveRequest& start_receive(void* buffer, Count count, const Datatype& type,
                                                       int source, int tag, Communicator& comm,
                                                       HandOut&& hand_out)
  {
    streams_to_.set(this);
    bool to_post = false, in_line = false;
    ReceiveRequest& request =
        receives_.take([&](ReceiveRequest & taken, const Section& section) __attribute__((always_inline)) {
          taken.set(buffer, count, type, source, tag, comm);
          hand_out(taken, section);
          to_post = taken.begin();
          in_line = to_post && section.is_alone() && post_in_line(taken);
        });
    if (to_post && (!in_line || new_receives_.is_wanted_at_once())) [[unlikely]] {
      try {
        in_line ? match_line() : post_with_token(request);
      } catch (...) {
        hand_out.take_back();
        if (!in_line && !arbitrated_) {
          request.forget();
          recycle(request);
        }
        throw;
      }
    }
    return request;
  }
  // For the owner, blocking, the shortest way: when no receive is posted and no message waits, looks at the
  // mailbox for as long as the waiting policy spins. True if the next message matched, lies in the mailbox
  // and has room as the communicator's hints want it: then it is in the buffer and the status (may be null,
  // error is left alone) is filled. Otherwise nothing has changed.
  bool receive_next(void* buffer, Count room, const Datatype& type, const Communicator& comm, int source,
                    int tag, Status* status);
  // For the owner: takes the receive out of the queue; false if it was matched already.
  bool withdraw(ReceiveRequest& request);
  // For a sender that wants to cancel: takes its message out; false if it was matched already.
  bool withdraw(const SendRequest& sender);
  // For a sender whose message lies in its buffer: delivers it, or leaves a copy for its receive. False if
  // another thread has the token, or there is no memory for the copy: nothing has changed; or if the owner is
  // full: the message is no offer any more.
  bool copy_out(SendRequest& sender);

  // For the owner, in jobs that are checked: the sends of the messages that no receive has taken.
  std::vector<Ref<const RecordedCall>> unreceived();

  // Any thread: the messages that no receive has taken, in the order of their arrival.
  std::vector<WaitingMessage> waiting_messages();

  // For the owner: the first message that matches, without receiving it.
  std::optional<Status> probe(std::uint32_t context, int source, int tag);
  // For the owner: takes the first message that matches out of matching; null if there is none.
  Unexpected* take(std::uint32_t context, int source, int tag);
  // For the owner: delivers a message taken out before.
  void deliver_taken(ReceiveRequest& request, Unexpected& message);
  // When the job has ended: the same without a receive.
  void discard(Unexpected& message) noexcept;

  // --- under an arbiter (ranks/arbiter.hpp; arbitrated.cpp)

  // For anybody while nothing moves in the job: matches what has come; false if nothing has.
  bool settle_all();
  struct Open {
    int choice;
    std::vector<Outcome> options;
  };
  // The receives that wait for a decision, and the messages that they may get now.
  std::vector<Open> open_receives();
  // Gives the receive with this choice the first message from this source that it matches.
  void decide(int choice, int source);
  // MPI_Cancel by the owner; false if the operation takes place all the same.
  bool withdraw_as_ruled(ReceiveRequest& request);
  bool withdraw_as_ruled(SendRequest& sender);
  bool is_posted(const ReceiveRequest& request);
  // Whether the posted receive could be matched now.
  bool could_match(const ReceiveRequest& request);
  // The messages that a probe may find now: the first of each source.
  std::vector<Outcome> probe_options(std::uint32_t context, int source, int tag);

  // For the owner: whether a message that may be copied out is offered first (offers.hpp). Packing may fail
  // for want of memory, and then the call fails; what an arbiter decides lies in no buffer.
  bool offers_first(const Rank& dest, Count bytes, const Datatype& type) noexcept
  {
    return bytes >= Offers::shortest && type.is_contiguous() && !arbitrated_ &&
           offers.worthwhile(rank_, dest);
  }
  // Of one that waits in its send buffer: whether it may go by a parcel. One that waits since its receiver
  // has no room for more may not.
  bool may_fill_parcel(const Rank& dest, Count bytes, const Datatype& type) const noexcept
  {
    return bytes >= Offers::shortest && bytes <= Offers::longest && type.is_contiguous() && !arbitrated_ &&
           Offers::may_look(rank_, dest) && !dest.p2p->is_full();
  }

  // For the owner, at each send that is copied out at once: how it goes. stream: the one before was to the
  // same receiver, it has not asked for a message since, and is not the one who waits. shuttle: it may go by
  // the shuttle between the two. Only behind a blocking receive: behind another one both may write at once.
  enum class Lane : std::uint8_t { single, stream, shuttle };
  Lane lane_to(Engine& dest) noexcept
  {
    const Engine* const last = streams_to_.get();
    if (last == &dest) return is_held_up(much_for_train) ? Lane::single : Lane::stream;
    streams_to_.set(&dest);
    held_up_.set({});
    if (last) return Lane::single;
    if (mailbox_.shuttles_to(dest.mailbox_)) {
      if (talk_.is_settled() || keeps_shuttle(dest)) [[likely]]
        return Lane::shuttle;
    } else if (talk_.is_long(dest)) [[unlikely]] {
      seek_shuttle(dest);
    }
    return Lane::single;
  }
  // For tests: whether the two have a shuttle.
  bool has_shuttle_to(const Engine& dest) const noexcept { return mailbox_.shuttles_to(dest.mailbox_); }
  // With Lane::shuttle: false, with nothing sent, if it does not go that way now. fits: as all that does has
  // to.
  template <class Fill>
  [[gnu::always_inline]] bool try_shuttle(Engine& dest, bool fits, const Fill& fill) noexcept
  {
    if (rank_.concurrent()) [[unlikely]]
      return false;
    if (!fits || !mailbox_.try_shuttle(dest.mailbox_, fill)) [[unlikely]] {
      talk_.miss(mailbox_.sent_by_shuttle());
      return false;
    }
    dest.rank_.parking.notify();
    return true;
  }
  // For the owner, at one that waits in its send buffer, and so goes by no shuttle.
  void note_beside_shuttle(Engine& dest) noexcept
  {
    if (!streams_to_.get() && mailbox_.shuttles_to(dest.mailbox_)) [[unlikely]]
      miss_shuttle(dest);
  }
  // For the owner, at a send that is copied out: whether a receiver that is slow has lately let it wait for
  // room, for so many pauses at least. What makes that one's work easier at the owner's expense costs nothing
  // then.
  static constexpr int much_for_train = 20, much_for_parcel = 200;
  bool is_held_up(int much) noexcept
  {
    HeldUp held_up = held_up_.get();
    if (held_up.sends == 0) [[likely]]
      return false;
    --held_up.sends;
    held_up_.set(held_up);
    return held_up.pauses >= much;
  }

  // Whether `sent` serves: an arbiter tells the requests apart.
  bool shares_requests() const noexcept { return !arbitrated_; }

  SendRequest& new_send() { return sends_.take(); }
  ReceiveRequest& new_receive() { return receives_.take(); }
  SendReceiveRequest& new_send_receive() { return pairs_.take(); }
  void recycle(SendRequest& request) noexcept { sends_.give(request); }
  void recycle(ReceiveRequest& request) noexcept { receives_.give(request); }
  // In a section in which the owner's thread is alone.
  void recycle(ReceiveRequest& request, const Section& alone) noexcept { receives_.give(request, alone); }
  void recycle(SendReceiveRequest& request) noexcept { pairs_.give(request); }

  Offers offers;                    // that the owner makes
  Offers waiting;                   // the same of messages that wait for their receives
  Orphans orphans;                  // requests that the owner has let go of
  PartitionedMatching partitioned;  // of what the owner receives
  AttachedBuffer attached;          // where the process's buffer is attached
  ParcelStock parcels;              // that the owner has received; its senders get some back
  DoneRequest sent;                 // of all messages that were copied out when their call returned

 private:
  // The token until the end of the scope. Then the owner is woken, who may wait for it, or for a message that
  // another thread has just kept for it.
  class Hold {
   public:
    explicit Hold(Engine& engine) noexcept : engine_(engine) {}
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold()
    {
      engine_.token_.release();
      engine_.rank_.parking.notify();
    }

   private:
    Engine& engine_;
  };
  // Waits for the token; its holders keep it for the length of their copies at the most. For the owner: as
  // for anything else, so it may throw JobCancelled. For others, and where nothing may be thrown: spins, and
  // yields.
  Hold own_token()
  {
    if (!token_.try_acquire()) [[unlikely]]
      await_token();
    return Hold(*this);
  }
  [[gnu::cold, gnu::noinline]] void await_token();
  Hold any_token() noexcept;
  // For the owner, at an answer to a blocking receive: the talk with `dest` is long, or is not what it was.
  [[gnu::cold, gnu::noinline]] void seek_shuttle(Engine& dest) noexcept;
  [[gnu::cold, gnu::noinline]] bool keeps_shuttle(Engine& dest) noexcept;
  [[gnu::cold, gnu::noinline]] void miss_shuttle(Engine& dest) noexcept;
  // The one that it has, if it may now. rests: Talk::note_left().
  bool leave_shuttle(bool rests) noexcept;
  void drain(const ReceiveRequest* awaited = nullptr);
  // For the owner while it is alone: whether the receive is among the new ones now.
  bool post_in_line(ReceiveRequest& request) noexcept
  {
    return (new_receives_.is_open() || opens_line()) && new_receives_.try_post(request);
  }
  [[gnu::cold, gnu::noinline]] bool opens_line() noexcept;
  [[gnu::noinline]] void post_with_token(ReceiveRequest& request);
  // For the owner, whose receive is in the line and wanted from there at once. Throws JobCancelled.
  [[gnu::noinline]] void match_line();
  // Brings the new receives to where the others are.
  void match_new_receives();
  // The same of those in the queue alone.
  ReceiveRequest* take_posted(const Envelope& envelope) noexcept;
  // The receive that the message goes to, taken out of its queue; or null: it is to be kept.
  ReceiveRequest* receive_for(const Envelope& envelope);
  [[gnu::noinline]] ReceiveRequest* find_receive_for(const Envelope& envelope);
  static memmodel::Wanted wanted_for(const Envelope& envelope) noexcept;
  void remove_unexpected(Unexpected& message) noexcept;
  void keep(const Envelope& envelope);
  void keep_train(const Envelope& envelope);
  // Of a message that lies in its send buffer; null: there is no memory.
  Parcel* copy_of(const SendRequest& sender) noexcept;
  // Copies the message, and ends the send; false: there is no memory.
  bool keep_copy(Unexpected& message) noexcept;
  // The message that this sender waits with, if it is in the mailbox; else null.
  Envelope* find_in_mailbox(const SendRequest& sender) noexcept;
  // Asks for the beginning of the message that comes next, where messages wait.
  [[gnu::always_inline]] inline void read_next_parcel() noexcept;
  // The data of the train with this envelope, the mailbox's front, all of it.
  void copy_train(std::byte* to, const Envelope& envelope) noexcept;
  bool store_train(const Buffer& buffer, const Envelope& envelope) noexcept;
  // These end the request also where memory ends: the message has left the mailbox, or is about to. An
  // envelope of a train is the mailbox's front.
  void deliver(ReceiveRequest& request, Envelope& envelope);
  bool deliver_short(ReceiveRequest& request, const Envelope& envelope) noexcept;
  static void deliver_direct(ReceiveRequest& request, SendRequest& sender) noexcept;
  static void note_no_memory(ReceiveRequest& request) noexcept;
  bool take_unexpected(ReceiveRequest& request);
  void arbitrate(ReceiveRequest& request);
  void collect();
  void settle();
  std::vector<Unexpected*> options_of(const ReceiveRequest& request);
  Unexpected* find_free(std::uint32_t context, int source, int tag);

  Rank& rank_;
  const bool arbitrated_;
  const bool holds_;  // receives from any source wait for the arbiter
  memmodel::Token<> token_;
  memmodel::Mailbox<Envelope, ShuttleData, mailbox_cells> mailbox_;
  // Behind all of the queue of posted ones. None under an arbiter, which is asked when a receive is posted.
  memmodel::WaitingLine<ReceiveRequest, 128> new_receives_;
  PostedQueue posted_;
  UnexpectedQueue unexpected_;
  memmodel::Sequence<> kept_;
  // How many receives took the token to begin: the token holder's count.
  std::uint32_t receives_begun_ = 0;
  // The same, for senders who ask whether the receiver is at work. Its line is theirs while they wait for
  // room, and it is only stored to by the token's holder, who does not wait for it.
  alignas(128) memmodel::Latest<std::uint32_t> begun_;
  // The same count when a sender has last waited for one more in vain (RoomWait). Written by senders.
  memmodel::Latest<std::uint32_t> begun_in_vain_;
  // And when one has last got room after a patient wait: long ago, where not yet.
  memmodel::Latest<std::uint32_t> begun_slowly_{0u - 2 * mailbox_cells};
  alignas(128) Stock<SendRequest> sends_;
  Stock<ReceiveRequest> receives_;
  Stock<SendReceiveRequest> pairs_;
  // Of the owner's threads, each of which may change it; away from what senders look at.
  // The one that was sent to last; null: a blocking receive has begun since; this engine itself: another
  // kind of receive.
  memmodel::Latest<const Engine*> streams_to_;
  Talk talk_;  // behind blocking receives
  struct alignas(4) HeldUp {
    std::uint16_t pauses = 0;  // that it has waited for room the last time
    std::uint16_t sends = 0;   // for which that still matters
  };
  memmodel::Latest<HeldUp> held_up_;
};

}  // namespace ranklet::p2p
