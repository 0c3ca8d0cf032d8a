#include "coll/coll_state.hpp"

#include "coll/lines.hpp"
#include "coll/schedule.hpp"
#include "terms/call_note.hpp"

namespace ranklet::coll {

CollState& state(Communicator& comm)
{
  if (!comm.coll) [[unlikely]] {
    CommShared& shared = comm.shared();
    const Holder guard(shared.coll_lock);
    if (!shared.coll) shared.coll = std::make_shared<CollState>(shared);
    comm.coll = shared.coll.get();
  }
  return *comm.coll;
}

CollState::CollState(const CommShared& shared)
    : operations(shared.members(), batch_length(shared.members())),
      count_(shared.members()),
      own_cores_(shared.own_cores),
      takes_back_(own_cores_ && count_ <= few),
      members_(std::make_unique<Member[]>(static_cast<std::size_t>(count_)))
{
}

CollState::~CollState() = default;

Lines& CollState::lines()
{
  return lines_.get([this] { return std::make_unique<Lines>(count_); });
}

std::shared_ptr<Lines> CollState::lines_of(std::uint64_t operation, int member)
{
  return persistent_lines_.join(operation, count_, member,
                                [this] { return std::make_shared<Lines>(count_); });
}

const NearGroups& CollState::near_groups(const CommShared& shared)
{
  return near_groups_.get([&] { return std::make_unique<NearGroups>(find_near_groups(shared)); });
}

CollState::Told& CollState::told(int member)
{
  return (&told_.get([this] { return std::make_unique<Told[]>(static_cast<std::size_t>(count_)); }))[member];
}

// Here, where a Schedule is known.
CollState::Nonblocking::Nonblocking() = default;
CollState::Nonblocking::~Nonblocking() = default;

CollState::Nonblocking& CollState::nonblocking(int member)
{
  return members_[member].own.nonblocking.get([] { return std::make_unique<Nonblocking>(); });
}

const comm::Topology* CollState::keep(int member, const std::shared_ptr<comm::Topology>& topology)
{
  Large& large = members_[member].own.large.get([] { return std::make_unique<Large>(); });
  if (!large.topology) large.topology = topology;
  return topology.get();
}

std::uint64_t CollState::next_operation(int member, CallSignature call) noexcept
{
  Member& mine = members_[member];
  mine.own.last_call = call;
  const std::uint64_t number = ++mine.own.operation;
  // Before its note and its cell, as that of a round.
  mine.own.nonblocking.look()->sites[number % operation_depth].set(
      reinterpret_cast<std::uintptr_t>(current_call_site()));
  mine.own.nonblocking.look()->calls[number % operation_depth].set(call.word());
  mine.log.note_operation(number, call.word());
  return number;
}

std::vector<int> absent_members(Communicator& comm)
{
  const CollState& members = state(comm);
  const std::uint64_t round = members.rounds_of(comm.board_rank());
  return members_absent(comm, [&](int i) { return members.rounds_of(i) >= round; });
}

const void* CollState::site_of_round(int member, std::uint64_t round) const noexcept
{
  const Member& other = members_[member];
  const std::uintptr_t site = other.sites[round % depth].get();
  // The log is asked afterwards. It keeps fewer rounds than there are sites: had a later round's site been
  // acquired in this one's place, the log would have been seen without this round.
  return other.log.call_in(round) == 0 ? nullptr : reinterpret_cast<const void*>(site);
}

template <class Note>
Note CollState::noted(int member, std::uint64_t operation, Notes<Note> Nonblocking::*notes) const noexcept
{
  const Nonblocking* const nonblocking = members_[member].own.nonblocking.look();
  if (!nonblocking || operations_of(member) < operation) return {};
  const Note note = (nonblocking->*notes)[operation % operation_depth].get();
  // The log is asked on both sides: it publishes the note, and had a later one been acquired in its place,
  // the one before that would be in the log.
  return operations_of(member) + 1 < operation + operation_depth ? note : Note{};
}

const void* CollState::site_of(int member, std::uint64_t operation) const noexcept
{
  return reinterpret_cast<const void*>(noted(member, operation, &Nonblocking::sites));
}

CallSignature CollState::call_of(int member, std::uint64_t operation) const noexcept
{
  return CallSignature::from(noted(member, operation, &Nonblocking::calls));
}

const void* CollState::site_of(int member, CallSignature last) const noexcept
{
  const auto& log = members_[member].log;
  if (last.form() == Form::blocking) {
    const std::uint64_t round = log.rounds();
    return log.call_in(round) == last.word() ? site_of_round(member, round) : nullptr;
  }
  const std::uint64_t operation = log.operations();
  return log.last_operation() == last.word() ? site_of(member, operation) : nullptr;
}

}  // namespace ranklet::coll
