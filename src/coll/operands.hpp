// What members show each other in reductions.
#pragma once

#include "coll/fold.hpp"
#include "coll/root.hpp"
#include "coll/round.hpp"
#include "coll/select.hpp"
#include "terms/error.hpp"

namespace ranklet::coll {

struct Operands {
  const void* send;
  void* recv;  // where the member's result goes; null if it gets none
  Count count;
  Count bytes;
  bool asks = false;  // whether they are new to who reads them: of one of two members
};

// Shows this member's buffers and looks at those of members [first, first + count), which must hold the same
// amount: afterwards send(i) and recv(i) are theirs. Errors: truncate.
class Gathering {
 public:
  Gathering(Round& round, const Operands& mine, const Peers& peers, bool meet = false)
      : Gathering(round, mine, peers.first)
  {
    round.post(mine);
    if (meet) round.meet();
    look(peers);
  }
  // The same where this member has posted already.
  struct Posted {};
  Gathering(Posted, Round& round, const Operands& mine, const Peers& peers)
      : Gathering(round, mine, peers.first)
  {
    look(peers);
  }

  const void* send(int i) const { return of(i).send; }
  void* recv(int i) const { return of(i).recv; }
  bool asks(int i) const { return of(i).asks; }

 private:
  Gathering(Round& round, const Operands& mine, int first) : round_(round), mine_(mine), first_(first) {}
  void look(const Peers& peers) const
  {
    members::each_from(std::max(round_.me() - peers.first, 0), peers.count, [&](int i) {
      const Count bytes = of(i).bytes;
      if (bytes != mine_.bytes) round_.reject_amount(peers.first + i, bytes, mine_.bytes);
    });
  }
  // Not out of our own cell, whose line the others have.
  const Operands& of(int i) const
  {
    return first_ + i == round_.me() ? mine_ : round_.args<Operands>(first_ + i);
  }

  Round& round_;
  const Operands mine_;
  const int first_;
};

// The elements [begin, begin + count) of a slice.
struct Slice {
  Count begin;
  Count count;
};
inline Slice slice(Count elements, const members::Slices& slices, int which)
{
  const Count whole = elements / slices.count, rest = elements % slices.count;
  return {which * whole + std::min<Count>(which, rest), whole + (which < rest ? 1 : 0)};
}

// Whether operands may be copied as the bytes between their first and last element: the gap that a pair has
// is the caller's own memory; other gaps may not be.
inline bool operands_are_bytes(const Datatype& type)
{
  return type.is_contiguous() || type.basic() != Basic::none;
}

// What members compare of them: also of pairs of one size with gaps or without, of which one may not be
// copied as the other.
inline Count operand_bytes(Count count, const Datatype& type)
{
  return count * (operands_are_bytes(type) ? type.extent() : type.size());
}

inline bool operands_travel_in_cell(Count count, const Datatype& type)
{
  return operands_are_bytes(type) && select::travels_in_cell(count * type.extent());
}

// fill(out) writes them, or what the mode says that they are.
template <class Fill>
void post_operands(Round& round, Count count, const Datatype& type, Fill&& fill, Mode mode = Mode::data)
{
  const Count bytes = count * type.extent();
  if (select::travels_in_cell(bytes))
    round.post_data(bytes, fill, mode);
  else
    round.post_copy(bytes, fill, mode);
}
inline void post_operands(Round& round, const void* send, Count count, const Datatype& type)
{
  const std::size_t bytes = static_cast<std::size_t>(count * type.extent());
  post_operands(round, count, type, [&](void* out) {
    if (bytes > 0) std::memcpy(out, send, bytes);
  });
}

// The same of operands that are longer (select::may_be_new()).
inline void post_long_operands(Round& round, const void* send, Count count, const Datatype& type)
{
  const Count bytes = count * type.extent();
  round.post_long_copy(bytes, [&](void* out) { std::memcpy(out, send, static_cast<std::size_t>(bytes)); });
}

// Whether a member has posted so many, or its result.
inline bool holds_operands(const Cell& cell, Count count, const Datatype& type)
{
  return (cell.mode() == Mode::data || cell.mode() == Mode::prefix) &&
         cell.data().length == count * type.extent();
}

// The operands that a member has posted as data, or a prefix, in this cell. Errors: truncate, if there are
// more or less.
inline const void* operands_of(Round& round, int member, const Cell& cell, Count count, const Datatype& type)
{
  if (cell.mode() != Mode::data && cell.mode() != Mode::prefix) [[unlikely]]
    round.reject_kind(member, cell);
  const Copied data = cell.data();
  if (data.length != count * type.extent()) [[unlikely]]
    round.reject_amount(member, data.length, count * type.extent());
  return data.bytes;
}
// The same of the member's cell, which is waited for.
inline const void* operands_in_cell(Round& round, int member, Count count, const Datatype& type)
{
  return operands_of(round, member, round.await(member), count, type);
}

// look() at the cells of others, for a member that posts its operands only if that fails: the others get the
// error, too. posts: whether it gives any, and has not posted them.
template <class Look>
void look_unseen(Round& round, bool posts, const void* send, Count count, const Datatype& type, Look&& look)
{
  try {
    look();
  } catch (const Error&) {
    if (posts) post_operands(round, send, count, type);
    throw;
  }
}

// Operands in the cells of members [first, ...) that have been looked at: a second look costs as much.
class KnownOperands {
 public:
  explicit KnownOperands(int first = 0) : first_(first) {}

  void note(int member, const void* operands) noexcept
  {
    if (member - first_ < select::most_flat_members) at_[member - first_] = operands;
  }
  const void* find(Round& round, int member, Count count, const Datatype& type) const
  {
    if (member - first_ < select::most_flat_members) [[likely]]
      return at_[member - first_];
    return operands_in_cell(round, member, count, type);
  }

 private:
  const int first_;
  const void* at_[select::most_flat_members];
};

// Posts them, and returns what the last member to come does make(operands, out) for all, of so many bytes:
// operands(i) are member i's. Errors: truncate.
template <class Make>
const void* made_of_operands(Communicator& comm, Round& round, const void* send, Count count,
                             const Datatype& type, Count bytes, Make&& make)
{
  post_operands(round, send, count, type);
  const auto operands = [&](int i) { return operands_in_cell(round, i, count, type); };
  const auto look = [&] {
    for (int i = 0; i < comm.size(); ++i) operands(i);
  };
  return round.made_by_last(bytes, look, [&](unsigned char* out) { make(operands, out); });
}

}  // namespace ranklet::coll
