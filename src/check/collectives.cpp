#include "check/collectives.hpp"

#include <algorithm>
#include <utility>

#include "datatype/op.hpp"

namespace ranklet::check {

namespace {

std::string op_name(int op)
{
  const auto kind = static_cast<OpKind>(op);
  return kind == OpKind::user ? "a user's operator" : predefined(kind).name();
}

bool agree(const Signature* given, const Signature* taken)
{
  return !given || !taken || given->packed || taken->packed || *given == *taken;
}

std::string amount(const Signature& signature)
{
  return std::to_string(signature.elements) + " basic elements";
}

std::string or_none(const std::string& text)
{
  return text.empty() ? "none" : text;
}

// The first thing that the calls disagree in, if it is not the data.
std::optional<Mismatch> compare_calls(const CollectiveCall& mine, const CollectiveCall& theirs)
{
  if (mine.is_last && theirs.is_last) return std::nullopt;
  if (mine.name != theirs.name)
    return Mismatch{"the members' collectives differ: " + mine.name + " here, " + theirs.name +
                        " as another member's call of the same number",
                    "MPI 5.0 §6.14", theirs.call, Mismatch::Subject::call};
  if (mine.root != theirs.root)
    return Mismatch{"the roots of " + mine.name + " differ: " + std::to_string(mine.root) + " here, " +
                        std::to_string(theirs.root) + " there",
                    mine.rule, theirs.call, Mismatch::Subject::root};
  if (mine.op != theirs.op)
    return Mismatch{"the operators of " + mine.name + " differ: " + op_name(mine.op) + " here, " +
                        op_name(theirs.op) + " there",
                    mine.rule, theirs.call, Mismatch::Subject::op};
  if (mine.assertions != theirs.assertions)
    return Mismatch{"the assertions of " + mine.name + " differ: " + or_none(mine.assertions) + " here, " +
                        or_none(theirs.assertions) + " there",
                    mine.rule, theirs.call, Mismatch::Subject::assertions};
  if (mine.operands && theirs.operands && !agree(&*mine.operands, &*theirs.operands))
    return Mismatch{"the counts or types of the operands of " + mine.name + " differ: " +
                        amount(*mine.operands) + " here, " + amount(*theirs.operands) + " there",
                    mine.rule, theirs.call, Mismatch::Subject::operands};
  return std::nullopt;
}

// In what one member gives to the other.
std::optional<Mismatch> compare_data(const CollectiveCall& mine, int me, const CollectiveCall& theirs,
                                     int them)
{
  for (const bool from_me : {true, false}) {
    const Signature* const given = from_me ? mine.gives.of(them) : theirs.gives.of(me);
    const Signature* const taken = from_me ? theirs.takes.of(me) : mine.takes.of(them);
    if (agree(given, taken)) continue;
    const bool types_only = given->elements == taken->elements;
    return Mismatch{"in " + mine.name + (from_me ? " this member gives " : " this member expects ") +
                        amount(from_me ? *given : *taken) + ", the other one " +
                        (from_me ? "expects " : "gives ") + amount(from_me ? *taken : *given) +
                        (types_only ? " of other types" : ""),
                    "MPI 5.0 §6.1", theirs.call, Mismatch::Subject::data};
  }
  return std::nullopt;
}

}  // namespace

Collectives::State& Collectives::state_of(const Communicator& comm)
{
  if (states_.size() >= next_sweep_) {
    std::erase_if(states_, [](const auto& entry) { return entry.second.comm.expired(); });
    next_sweep_ = std::max<std::size_t>(64, 2 * states_.size());
  }
  State& state = states_[&comm.shared()];
  // Another communicator at the place of one that is gone.
  if (state.comm.expired()) {
    state = {};
    state.comm = comm.shared_part();
    state.next.resize(static_cast<std::size_t>(comm.shared().members()));
  }
  return state;
}

bool Collectives::is_news(State& state, std::uint64_t number, const CollectiveCall& call,
                          const Mismatch& mismatch)
{
  if (!call.call || !mismatch.other) return true;
  std::string one = call.call->place(), other = mismatch.other->place();
  if (other < one) std::swap(one, other);
  const auto [told, is_new] =
      state.told.try_emplace({mismatch.subject, std::move(one), std::move(other)}, call.call->who());
  state.last_told = number;
  state.last_told_by = told->second;
  return is_new;
}

std::vector<Mismatch> Collectives::add(Communicator& comm, CollectiveCall call, const Tell& tell)
{
  const Holder guard(lock_);
  std::vector<Mismatch> found;
  State& state = state_of(comm);
  if (state.given_up) return found;
  const int me = comm.board_rank();
  const int members = comm.shared().members();
  const std::uint64_t number = state.next[static_cast<std::size_t>(me)]++;
  MemberCalls& calls = state.under_way[number];
  if (calls.come++ == 0) {
    calls.by_member.resize(static_cast<std::size_t>(members));
    calls.first = me;
  } else {
    const CollectiveCall& first = *calls.by_member[static_cast<std::size_t>(calls.first)];
    if (auto mismatch = compare_calls(call, first)) {
      calls.differs = true;
      if (is_news(state, number, call, *mismatch)) found.push_back(std::move(*mismatch));
    }
    for (int them = 0; !calls.differs && them < members; ++them) {
      const auto& theirs = calls.by_member[static_cast<std::size_t>(them)];
      if (!theirs) continue;
      if (auto mismatch = compare_data(call, me, *theirs, them)) {
        if (is_news(state, number, call, *mismatch)) found.push_back(std::move(*mismatch));
        break;
      }
    }
  }
  calls.by_member[static_cast<std::size_t>(me)] = std::move(call);
  if (calls.come == members) state.under_way.erase(number);
  if (tell) std::ranges::for_each(found, tell);
  return found;
}

std::string Collectives::told_by(Communicator& comm, bool is_last)
{
  const Holder guard(lock_);
  const State& state = state_of(comm);
  // A mismatch before it, as of types only, may have let all go on; that in the collective just before may be
  // what it fails with.
  const std::uint64_t next = state.next[static_cast<std::size_t>(comm.board_rank())];
  return is_last && state.last_told + 2 < next ? std::string() : state.last_told_by;
}

void Collectives::give_up(const Communicator& comm, bool was_told)
{
  const Holder guard(lock_);
  State& state = state_of(comm);
  // Later failures are not compared, so they would be taken for the one that was told.
  if (!was_told && !state.given_up) state.last_told_by.clear();
  state.given_up = true;
  state.under_way.clear();
}

}  // namespace ranklet::check
