// Nonblocking and persistent barriers and reductions whose operands fit a cell: each member puts its own into
// a line at the start and takes the others' out when it completes. Nobody needs help, as nothing is left to
// do for a member that has started.
//
// Each member has a ring of cells (members/spilling_cells.hpp); an exchange uses the one that its number
// falls on: it counts all nonblocking collectives on the communicator, and for a persistent one, which has
// lines of its own as starts of several come in any order, its starts. When some member has not yet read what
// the cell holds, the operands are spilled. So a start never waits.
//
// Thread safety: a member's functions are called by its rank's threads; starts by one at a time, as MPI
// demands. Different members at once. Invariants, beside those of SpillingCells:
//  1. A member has left all its exchanges before the first one on its list, and those alone.
#pragma once

#include <memory>

#include "base/ref.hpp"
#include "coll/coll_state.hpp"
#include "coll/nonblocking.hpp"
#include "members/spilling_cells.hpp"
#include "p2p/stock.hpp"
#include "ranks/request.hpp"

namespace ranklet::coll {

class Exchange;

class Lines {
 public:
  explicit Lines(int members);
  ~Lines();

 private:
  friend class Exchange;
  friend Request& exchange(Communicator&, Collective, const void*, void*, Count, const Datatype&, const Op&,
                           Life);
  static constexpr std::uint64_t depth = 32;

  struct Member {
    members::SpillingCells<Cell, depth> cells;  // written by the member, read by all
    struct alignas(128) Private {
      std::uint64_t last RANKLET_GUARDED_BY(lock) = 0;     // number of the member's last exchange
      memmodel::SpinLock<> lock;                           // for sections
      Exchange* first RANKLET_GUARDED_BY(lock) = nullptr;  // that are not complete, in order
      Exchange* latest RANKLET_GUARDED_BY(lock) = nullptr;
    } own;
    memmodel::Parking<> sleepers;  // who wait for the member's next line
  };

  const int count_;
  const std::unique_ptr<Member[]> members_;
};

// The request of one.
class Exchange final : public Request {
 public:
  explicit Exchange(Rank& owner) : Request(owner) {}

  bool advance() override;
  bool ready_to_advance() const noexcept override;
  ErrorClass reap(Status* status) override;
  void peek(Status* status) const override { *status = Status{}; }
  void check_may_be_let_go() const override;
  void release() override;
  void discard() noexcept override;
  void start() override;
  CollectiveWait collective() const override;

 private:
  template <class T>
  friend class p2p::Stock;
  friend class Lines;
  friend Request& exchange(Communicator&, Collective, const void*, void*, Count, const Datatype&, const Op&,
                           Life);

  void begin(Communicator& comm, Collective call, Life life);
  // Whether there is for the content of that number.
  bool find_room(std::uint64_t number);
  void start_in(bool has_room);
  void put(Count bytes, bool has_room);
  // The line of a member, or null as long as it is not there.
  const Cell* find(int member) const { return lines_->members_[member].cells.find(number_); }
  // Each begins at its own place: a line that all fetch at once answers them one after the other.
  int next_to_see() const noexcept
  {
    const int member = comm_->rank() + seen_;
    return member < lines_->count_ ? member : member - lines_->count_;
  }
  void watch(int member);
  void take();
  void combine(const Cell* const* cells);
  void leave();
  void end(const Error& error);
  // Lets go of what it refers to; the communicator, whose state owns it, is returned.
  CommRef forget() noexcept;

  p2p::Stocked<Exchange> stocked_;
  CommRef comm_;
  std::shared_ptr<Lines> own_lines_;  // of a persistent one
  Lines* lines_ = nullptr;
  Lines::Member* mine_ = nullptr;
  std::uint64_t number_ = 0;     // in the lines
  std::uint64_t operation_ = 0;  // among the nonblocking collectives that the member has made
  std::uint64_t rounds_ = 0;
  std::uint64_t header_ = 0;
  const void* operands_ = nullptr;
  void* result_ = nullptr;
  Count count_ = 0;
  Ref<const Datatype> type_;
  Ref<const Op> op_;
  int seen_ = 0;  // members whose lines are there
  int looks_ = 0;
  ErrorClass error_ = ErrorClass::success;
  Exchange* previous_ = nullptr;  // in the list of those not complete
  Exchange* next_ = nullptr;
};

// Makes one in an intracommunicator for which select::in_lines() holds, and starts it unless it is
// persistent. A barrier has no operands.
Request& exchange(Communicator& comm, Collective call, const void* send, void* recv, Count count,
                  const Datatype& type, const Op& op, Life life);

}  // namespace ranklet::coll
