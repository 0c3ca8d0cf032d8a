// Nonblocking and persistent collectives in which each member gives no more than fits a cell: each puts what
// it gives into a line at the start and takes what it needs out of the others' when it completes. Nobody
// needs help, as nothing is left to do for a member that has started; who needs nothing is complete then.
//
// Each member has a ring of cells (members/spilling_cells.hpp); an exchange uses the one that its number
// falls on: it counts all nonblocking collectives on the communicator, and for a persistent one, which has
// lines of its own as starts of several come in any order, its starts. When some member has not yet read what
// the cell holds, the giver spends moments in which the others come on, then its operands are spilled. So a
// start waits for nobody who does not come on.
//
// Thread safety: a member's functions are called by its rank's threads; starts by one at a time, as MPI
// demands. Different members at once. Invariants, beside those of SpillingCells:
//  1. A member has left all its exchanges before the first one on its list, and those alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ref.hpp"
#include "coll/coll_state.hpp"
#include "coll/fold.hpp"
#include "coll/nonblocking.hpp"
#include "coll/root.hpp"
#include "members/spilling_cells.hpp"
#include "p2p/stock.hpp"
#include "ranks/request.hpp"

namespace ranklet::coll {

class Exchange;

// What a member gives and takes.
struct Exchanged {
  enum class Takes : std::uint8_t {
    nothing,
    sum,     // of the operands that the awaited ones give: elements from `begin` on, into `result`
    parts,   // what each gives, into its block
    shares,  // what each gives is a block for each member: this one's, into its block
  };

  CallSignature call;
  Peers awaited{0, 0};
  bool gives = false;
  bool is_there = false;  // what it would take from itself is in its place
  Takes takes = Takes::nothing;
  Part given;  // operands as they lie in memory, all else packed
  // Taken: of one member only, or of each awaited one.
  bool is_single = false;
  Part part;
  Blocks blocks;
  void* result = nullptr;
  Count begin = 0, count = 0;
  Brackets brackets = Brackets::pairs;
  const Op* op = nullptr;  // null: nothing is summed up

  bool sums() const noexcept { return op != nullptr; }
  Count bytes() const { return sums() ? given.count * given.type->extent() : given.bytes(); }
};

class Lines {
 public:
  explicit Lines(int members);
  ~Lines();

 private:
  friend class Exchange;
  friend Request& exchange(Communicator&, const Exchanged&, Life);
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
  friend Request& exchange(Communicator&, const Exchanged&, Life);

  void keep(const Exchanged& what);
  void begin(Communicator& comm, Life life);
  // What may fail of a start: makes its content, and returns whether there is room for it in a cell.
  bool prepare(std::uint64_t number);
  void start_in(bool has_room);
  void put(bool has_room);
  void fill(Cell& line) const;
  void join_list();
  // The line of a member, or null as long as it is not there.
  const Cell* find(int member) const { return lines_->members_[member].cells.find(number_); }
  // The same of one that is awaited: what we give ourselves we do not look for in our line, which the others
  // have taken by then.
  const Cell* given_by(int member) const { return member == comm_->rank() ? &content_ : find(member); }
  // Each begins at its own place: a line that all fetch at once answers them one after the other.
  int next_to_see() const noexcept
  {
    const auto [first, count] = data_.awaited;
    const int own = comm_->rank() - first;
    const int place = (own >= 0 && own < count ? own : 0) + seen_;
    return first + (place < count ? place : place - count);
  }
  void watch(int member);
  void take();
  void take(const Cell* const* cells);
  Count expected_of(int i) const;
  // Where what the i-th awaited one gives belongs.
  Part target(int i) const { return data_.is_single ? data_.part : data_.blocks[i]; }
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
  Exchanged data_;
  Cell content_;                  // what we give, if anything
  BlockArrays arrays_;            // of data_.blocks
  Ref<const Datatype> types_[2];  // if they are not predefined: of what it gives and takes
  Ref<const Op> op_;
  int seen_ = 0;  // awaited members whose lines are there
  int looks_ = 0;
  ErrorClass error_ = ErrorClass::success;
  Exchange* previous_ = nullptr;  // in the list of those not complete
  Exchange* next_ = nullptr;
};

// Of what is called so. root: where the call has none, 0; op: as for CallSignature.
inline Exchanged exchanged(Collective call, Life life, int root = 0, const Op* op = nullptr)
{
  const Form form = life == Life::persistent ? Form::persistent : Form::nonblocking;
  Exchanged what;
  what.call = CallSignature(call, form, root | CallSignature::in_lines, op);
  return what;
}

// Makes one in an intracommunicator for which select::in_lines() holds, and starts it unless it is
// persistent. Its arrays and data types may go then.
Request& exchange(Communicator& comm, const Exchanged& what, Life life);

}  // namespace ranklet::coll
