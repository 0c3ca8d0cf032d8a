// What an operation that goes on after its call is known by: MPI_Request's object.
#pragma once

#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "ranks/rank.hpp"
#include "terms/error.hpp"

namespace ranklet {

class Section;

// The common part of all kinds of requests: point-to-point here and now, collectives, generalized and
// partitioned ones by the folders that own them.
//
// Thread safety: everything is called by the owner's threads, except finish() and what the owning folder does
// under the owner's token. Life: inactive (persistent only) -> start -> active -> finish() -> complete ->
// reap() -> inactive or released.
class Request {
 public:
  virtual ~Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Rank& owner() const noexcept { return *owner_; }
  bool persistent() const noexcept { return persistent_; }
  // Started and not yet reaped; inactive requests complete at once with an empty status (MPI 5.0 §3.7.3).
  bool active() const noexcept { return active_; }
  bool complete() const noexcept { return done_.is_set(); }
  // Whether an arbiter wants to know of its end (Arbiter::ended). Set while its owner sleeps, cleared by it.
  void watch(bool on) noexcept { watched_ = on; }
  bool watched() const noexcept { return watched_; }
  // Neither persistent nor watched: it goes back when it is reaped, and nobody is told.
  bool ends_quietly() const noexcept { return !(persistent_ | watched_); }

  // Works towards completion on the calling thread without waiting: the owner's own progress, and help for
  // the rank that it waits for. True when complete.
  virtual bool advance() = 0;
  // Whether advance() might achieve something; cheap, no side effects. The owner sleeps while this is false.
  virtual bool ready_to_advance() const noexcept = 0;
  // Where a thread sleeps that waits for this request alone; advance() may change it. Whoever makes
  // ready_to_advance() true notifies it, and the owner's own place, for those who wait for several.
  memmodel::Parking<>& place() const noexcept { return *place_; }

  // After completion, by the owner: hands out the result (status may be null), makes a persistent request
  // inactive, and returns the error class of the operation (success mostly). The text of an error is in
  // error_message().
  virtual ErrorClass reap(Status* status) = 0;
  // reap() and release() in one step, for a complete request that ends quietly, in a section in which the
  // owner's thread is alone: where nothing can fail and nobody is told. False, with nothing done: it takes
  // the two.
  virtual bool end_at_once(const Section&, Status*) { return false; }
  // The result without any change of state (MPI_Request_get_status).
  virtual void peek(Status* status) const = 0;
  const std::string& error_message() const noexcept { return error_message_; }
  // Whether the error is a mismatch (Error).
  bool is_mismatch() const noexcept { return is_mismatch_; }
  // The error itself, after reap() has given its class.
  Error failure(ErrorClass error) const { return Error(error, error_message_, is_mismatch_); }
  // Of the communicator whose error handler is responsible (§9.3); it may have been freed since. no_context:
  // the operation belongs to none.
  static constexpr std::uint32_t no_context = ~std::uint32_t{0};
  std::uint32_t context() const noexcept { return context_; }

  // May complete the active request: this rank, or this member of its communicator; neither known: any
  // member, or, without a communicator, any rank. For the deadlock report.
  struct Partner {
    const Rank* rank = nullptr;
    int member = -1;
    const char* what = nullptr;  // "a send"; null: not one of point-to-point communication
    int tag = 0;
  };
  virtual Partner partner() const noexcept { return {}; }
  // Of a collective, for the same report: its call with its place, and while it is active those members of
  // its communicator, by rank, who have not come to it.
  struct CollectiveWait {
    std::string call;
    std::vector<int> absent;
  };
  virtual CollectiveWait collective() const { return {}; }

  // MPI_Start, MPI_Cancel: throw Error{request} where the kind has no such thing.
  virtual void start() { fail(ErrorClass::request, "the request is not persistent"); }
  virtual void cancel() { fail(ErrorClass::request, "this kind of request cannot be cancelled"); }
  // For an active request that the user wants to let go of (MPI_Request_free): throws Error{request} where
  // the standard forbids it.
  virtual void check_may_be_let_go() const {}
  // Gives the object back, unless it is active.
  virtual void release() = 0;
  // At the end of its job, when no thread uses it any more: gives the object back as it is.
  virtual void discard() noexcept { delete this; }

 protected:
  explicit Request(Rank& owner) noexcept : owner_(&owner), place_(&owner.parking) {}

  // Completes the operation: everything written before is visible to who sees complete().
  void finish() noexcept
  {
    Rank& owner = *owner_;
    done_.set();
    // The owner may have given the request back from here on: only the rank is touched.
    owner.parking.notify();
  }

  // What another request has failed with is this one's failure.
  void note_failure(const Request& other)
  {
    error_message_ = other.error_message_;
    is_mismatch_ = other.is_mismatch_;
  }

  // Of an operation of many: where those sleep who wait for the same member; null: at the owner's own place.
  // Where cores are shared most of them sleep, and each that comes would wake all who sleep at their own.
  void sleep_at(memmodel::Parking<>* place) noexcept;

  Rank* owner_;
  memmodel::Parking<>* place_;
  memmodel::Flag<> done_;
  bool active_ = false;
  bool persistent_ = false;
  bool watched_ = false;
  bool is_mismatch_ = false;  // what it has failed with: see Error
  std::uint32_t context_ = no_context;
  std::string error_message_;
};

// The request as one of a kind that no other derives from, or null.
template <class Kind>
Kind* request_cast(Request& request) noexcept
{
  static_assert(std::is_final_v<Kind>);
  return typeid(request) == typeid(Kind) ? static_cast<Kind*>(&request) : nullptr;
}

// Waits until the request is complete.
void wait(Rank& self, Request& request);

}  // namespace ranklet
