// What the members of a communicator share for its collectives: the cells in which they show each other what
// they have (round.hpp, lines.hpp), the operations under way (operation.hpp), and what each has called, for
// the reports about members that call different things.
//
// Thread safety: said where the parts are used; a member's notes are written by one thread of it at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "coll/call_signature.hpp"
#include "coll/near_groups.hpp"
#include "coll/newness.hpp"
#include "coll/operation.hpp"
#include "comm/communicator.hpp"
#include "members/call_log.hpp"
#include "members/copy_ring.hpp"
#include "members/counted_barrier.hpp"
#include "members/creations.hpp"
#include "members/more_cells.hpp"
#include "members/rounds.hpp"
#include "members/swapped_blocks.hpp"
#include "p2p/shared_copy.hpp"
#include "p2p/stock.hpp"

namespace ranklet::coll {

enum class Mode : std::uint8_t {
  failed,        // the member gave up before it could post
  data,          // payload: `length` bytes of the member's data
  prefix,        // the same of a scan's result: of the members up to this one (scan.cpp)
  by_reference,  // payload: where the member's buffers are
  none,          // never in a cell: the member has posted nothing yet
};

// What a cell says of the member's call besides the data, as one word that is compared at once.
struct Header {
  static constexpr std::uint64_t calls = (std::uint64_t{1} << 2 * CallSignature::bits) - 1;

  static std::uint64_t of(CallSignature now, CallSignature before)
  {
    return now.word() | std::uint64_t{before.word()} << CallSignature::bits;
  }
  std::uint64_t word;  // the present call, the one before it, 2 bits of mode, 6 of length or what was found

  CallSignature now() const { return CallSignature::from(word); }
  CallSignature before() const { return CallSignature::from(word >> CallSignature::bits); }
  Mode mode() const { return static_cast<Mode>(word >> 56 & 3); }
  Count length() const { return static_cast<Count>(word >> 58); }
  Found found() const { return static_cast<Found>(word >> 58); }
};

// Data that is too long for a cell: a copy that stays as long as the cell would.
struct Copied {
  static constexpr Count apart = -1;

  const unsigned char* bytes;
  Count length;
  Count block = apart;                       // of blocks of that size, one after the other
  const comm::Topology* topology = nullptr;  // of the member, where blocks go along its edges
  bool is_swapped = false;                   // it is whoever reads it who writes there next
  Found found = Found::nothing;              // by the member, the last time
};

struct alignas(64) Cell {
  static constexpr int capacity = 48;
  static constexpr Count copied = 63;  // in place of a length: the payload says where the data is

  memmodel::Sequence<> turn;  // the round that the cell holds; publishes the rest
  Header header;
  alignas(16) unsigned char payload[capacity];

  Mode mode() const { return header.mode(); }
  // Of Mode::data and Mode::prefix.
  Copied data() const
  {
    if (header.length() != copied) return {payload, header.length()};
    // By its members: the whole may be copied by a string instruction, which takes longer than two hops.
    const Copied& at = *std::launder(reinterpret_cast<const Copied*>(payload));
    return {at.bytes, at.length, at.block, at.topology, at.is_swapped, at.found};
  }
  // What the member says that it has found (MutualNewness), of any mode that says it.
  Found found() const { return mode() == Mode::by_reference ? header.found() : data().found; }
};
static_assert(sizeof(Cell) == 64);

class Exchange;
class Lines;
class Schedule;

// The coll layer's part of what a communicator's members share.
class CollState {
 public:
  static constexpr std::uint64_t depth = 8;
  // Of a member that runs ahead: each wait for others that share its cores would be a turn of all, and where
  // they do not share, a look at a line that they write. Why no more: docs/decisions/where-members-meet.md.
  static constexpr std::uint64_t more_depth = 64;
  static constexpr std::size_t copy_bytes = 8192;
  using CopyRing = members::CopyRing<copy_bytes>;
  static constexpr Count longest_copy = CopyRing::longest;
  static constexpr Count longest_swapped = 65536;

  explicit CollState(const CommShared& shared);
  ~CollState();

  Operations operations;
  // For select::in_lines(); made at the first call.
  Lines& lines();
  // Those of a persistent collective that the member makes as its `operation`-th.
  std::shared_ptr<Lines> lines_of(std::uint64_t operation, int member);

  // For collectives of many; found at the first one.
  const NearGroups& near_groups(const CommShared& shared);
  // What a member of a group tells those of others, as Rounds::reach() has it, in a line of its own: the
  // member's group waits for its phases and for its end meanwhile, and would take the line from it.
  struct alignas(64) Told {
    memmodel::Sequence<> phase;
  };
  Told& told(int member);

  // What a member has for its nonblocking collectives, made before its first one: what may fail for want of
  // memory comes before its note.
  struct Nonblocking;
  Nonblocking& nonblocking(int member);
  // The member's note that it makes its next nonblocking collective, whose number is returned; and what
  // others see of it: the last number, and the call of that number if it is not too long ago.
  std::uint64_t next_operation(int member, CallSignature call) noexcept;
  std::uint64_t operations_of(int member) const noexcept { return members_[member].log.operations(); }
  // The number of the blocking collective that the member entered last.
  std::uint64_t rounds_of(int member) const noexcept { return members_[member].log.rounds(); }
  // For one that waits for the member to come to the `operation`-th nonblocking collective, before which
  // there were `rounds` blocking ones: what it is seen to call instead, or empty. The caller looks again
  // whether it has come.
  CallSignature astray(int member, std::uint64_t operation, CallSignature expected,
                       std::uint64_t rounds) const noexcept
  {
    const bool may_be_late = expected.form() == Form::persistent;
    const std::uint32_t instead =
        members_[member].log.call_instead(operation, rounds, expected.word(), may_be_late);
    if (instead == 0 && !may_be_late) return {};
    // The log has the last one. What it made of that number says more, as long as it is known.
    const CallSignature theirs = call_of(member, operation);
    if (instead != 0) return theirs && theirs != expected ? theirs : CallSignature::from(instead);
    return theirs == expected ? CallSignature{} : theirs;
  }
  // Where the member has made its `operation`-th nonblocking collective, or the one that astray() has found;
  // null if that is not known any more.
  const void* site_of(int member, std::uint64_t operation) const noexcept;
  const void* site_of(int member, CallSignature last) const noexcept;
  // The member's `operation`-th nonblocking collective, if it is one of the last ones; or empty.
  CallSignature call_of(int member, std::uint64_t operation) const noexcept;
  // After an error: that the members' calls have differed is known.
  void forget_last_call(int member) noexcept { members_[member].own.last_call = {}; }

  // For copies that refer to it, as long as the state.
  const comm::Topology* keep(int member, const std::shared_ptr<comm::Topology>& topology);

  // Of barriers among many, and of what the last member to come makes for all, whom the barrier shows it.
  // `round`: the last one of which it is.
  members::CountedBarrier<depth> barrier;
  struct alignas(64) ByLast {
    std::uint64_t round = 0;
    MadeForAll made;
  } by_last;

 private:
  friend class Round;
  static constexpr std::uint64_t operation_depth = 16;
  using MoreCells = members::MoreCells<Cell, more_depth>;
  // A member's copies of middle-sized data, made at the first one.
  struct Copies {
    CopyRing ring;
    alignas(64) unsigned char bytes[copy_bytes];
  };
  // Of two members with cores of their own: a member's copies of longer data, which is new. In turns, so that
  // one is filled while the other one is read.
  struct LongCopies {
    int last = 0;
    std::uint64_t rounds[2] = {};
    alignas(64) unsigned char bytes[2][longest_swapped];
  };
  // What they give each other, where both give and both read.
  struct alignas(64) Swapped {
    unsigned char bytes[longest_swapped];
  };
  static Swapped& swapped_at(const unsigned char* bytes) noexcept
  {
    return *std::launder(reinterpret_cast<Swapped*>(const_cast<unsigned char*>(bytes)));
  }
  members::SwappedBlocks<Swapped>& swapped()
  {
    return swapped_.get([] { return std::make_unique<members::SwappedBlocks<Swapped>>(); });
  }
  // What few rounds need: those of large data.
  struct Large {
    p2p::SharedCopy copy;      // the member's part of a round in which the root helps to copy
    std::uint64_t helped = 0;  // the last round in which another member used it, and who
    int helper = 0;
    Newness newness;       // of what the member alone gives
    MutualNewness mutual;  // of what both of two members give
    memmodel::Lazy<LongCopies> copies;
    std::vector<std::pair<std::uint64_t, std::shared_ptr<const void>>> loans;  // what is kept for a round
    std::shared_ptr<const comm::Topology> topology;                            // that copies refer to
  };
  // A program may have many communicators of many members: what each of them need not have is made when it is
  // first used.
  struct alignas(128) Member {
    members::Rounds<Cell, depth>
        rounds;  // written by the member, read by all; where those sleep who wait for it
    // What the member has called: written by it, read by others only when they wait for long or after large
    // data.
    alignas(64) members::CallLog<depth - 2, CallSignature::bits> log;
    memmodel::Latest<std::uintptr_t>
        sites[depth];  // return addresses of the calls, by round; before it is in the log
    // The member's own, but for the last two: others find them when the member has said that they are there.
    struct alignas(64) Private {
      std::uint64_t round = 0;
      std::uint64_t operation = 0;
      std::uint64_t all_done = 0;  // a round that all members are known to be done with
      CallSignature last_call;     // blocking or not; empty after an error
      memmodel::Lazy<Large> large;
      memmodel::Lazy<Copies> copies;
      MoreCells* more = nullptr;
      memmodel::Lazy<Nonblocking> nonblocking;
    } own;
  };
  static_assert(sizeof(Member) == 768, "docs/limits.md: memory of a communicator");

  template <class Note>
  using Notes = memmodel::Latest<Note>[operation_depth];
  // What the member has noted of its `operation`-th nonblocking collective; 0: it is not there yet, or was
  // long ago.
  template <class Note>
  Note noted(int member, std::uint64_t operation, Notes<Note> Nonblocking::*notes) const noexcept;
  // Where the member has made its call of that round; null if that is not known any more.
  const void* site_of_round(int member, std::uint64_t round) const noexcept;

  const int count_;
  const bool own_cores_;
  // Whether members take back lines that others have read. With many that takes longer than what it saves
  // (docs/scaling.md).
  static constexpr int few = 32;
  const bool takes_back_;
  std::unique_ptr<Member[]> members_;
  memmodel::Lazy<memmodel::Lazy<MoreCells>[]> more_cells_;  // by member
  memmodel::Lazy<Lines> lines_;
  members::Creations<std::uint64_t, std::shared_ptr<Lines>> persistent_lines_;  // by operation
  memmodel::Lazy<NearGroups> near_groups_;
  memmodel::Lazy<Told[]> told_;  // by member
  memmodel::Lazy<members::SwappedBlocks<Swapped>> swapped_;
};

struct CollState::Nonblocking {
  Nonblocking();
  ~Nonblocking();

  Notes<std::uintptr_t> sites;  // as Member::sites, by number
  Notes<std::uint32_t> calls;   // beside them
  // The member's own.
  Operations::Series series;
  // Each made at the first one that needs such a request.
  std::unique_ptr<p2p::Stock<Schedule>> schedules;
  std::unique_ptr<p2p::Stock<Exchange>> exchanges;
};

// The communicator's state, made by whichever member comes first.
CollState& state(Communicator& comm);

// For reports: the members, by rank, for whom has_come(member) does not hold. In an intercommunicator none is
// named.
template <class HasCome>
std::vector<int> members_absent(const Communicator& comm, HasCome&& has_come)
{
  std::vector<int> absent;
  for (int i = 0; i < comm.size() && !comm.is_inter(); ++i)
    if (!has_come(i)) absent.push_back(i);
  return absent;
}

}  // namespace ranklet::coll
