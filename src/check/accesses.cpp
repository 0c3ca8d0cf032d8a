#include "check/accesses.hpp"

#include <algorithm>

#include "base/invariant.hpp"
#include "check/orders.hpp"
#include "datatype/op.hpp"

namespace ranklet::check {

namespace {

const char* name(AccessKind kind)
{
  switch (kind) {
    case AccessKind::put:
      return "a put";
    case AccessKind::get:
      return "a get";
    case AccessKind::accumulate:
      break;
  }
  return "an accumulate";
}

bool ops_agree(int one, int other)
{
  constexpr int no_op = static_cast<int>(OpKind::no_op);
  return one == other || one < 0 || other < 0 || one == no_op || other == no_op;
}

// Whether each element of one is an element of the other where they meet: of one basic type, and not shifted.
bool elements_agree(const BufferUse& one, const BufferUse& other)
{
  const Basic basic = one.type->uniform();
  if (basic != other.type->uniform()) return false;
  const auto distance =
      reinterpret_cast<std::intptr_t>(one.address) - reinterpret_cast<std::intptr_t>(other.address);
  // Of a derived type the elements may lie anywhere.
  const bool simple = one.type->is_contiguous() && other.type->is_contiguous();
  return basic == Basic::none || !simple || distance % predefined(basic).size() == 0;
}

enum class Relation { free, conflict, operators, elements };

Relation relation_of(const RemoteAccess& one, const RemoteAccess& other, bool same_origin)
{
  if (only_reads(one) && only_reads(other)) return Relation::free;
  if (one.kind != AccessKind::accumulate || other.kind != AccessKind::accumulate) return Relation::conflict;
  // Those of one origin are done in order (§12.7.2).
  if (same_origin) return Relation::free;
  if (!ops_agree(one.op, other.op)) return Relation::operators;
  return elements_agree(one.where, other.where) ? Relation::free : Relation::elements;
}

std::string text_of(Relation relation, const RemoteAccess& one, const RemoteAccess& other)
{
  switch (relation) {
    case Relation::operators:
      return "accumulates with different operators to the same data";
    case Relation::elements:
      return "accumulates to the same bytes as elements of different types, or as shifted ones,";
    default:
      return std::string(name(one.kind)) + " and " + name(other.kind) + " of the same data";
  }
}

// Conflicts of one are conflicts of the other.
bool conflict_alike(const RemoteAccess& one, const RemoteAccess& other)
{
  return one.kind == other.kind && one.op == other.op && one.where.address == other.where.address &&
         one.where.count == other.where.count && one.where.type == other.where.type;
}

bool is_passive(rma::Access epoch)
{
  return epoch == rma::Access::shared || epoch == rma::Access::exclusive;
}

}  // namespace

bool only_reads(const RemoteAccess& access)
{
  return access.kind == AccessKind::get ||
         (access.kind == AccessKind::accumulate && access.op == static_cast<int>(OpKind::no_op));
}

Accesses::State& Accesses::state_of(const Origin& origin)
{
  State& state = states_[origin.window];
  if (state.parts.empty()) {
    state.parts.resize(static_cast<std::size_t>(origin.members));
    state.members.resize(static_cast<std::size_t>(origin.members));
  }
  state.members[static_cast<std::size_t>(origin.rank)].number = origin.number;
  return state;
}

std::vector<Conflict> Accesses::add(const Origin& origin, int target, rma::Access epoch, RemoteAccess access,
                                    bool by_request)
{
  std::vector<Conflict> found;
  const Range range = hull(access.where);
  if (range.empty()) return found;
  const Holder guard(lock_);
  State& state = state_of(origin);
  TargetPart& part = state.parts[static_cast<std::size_t>(target)];
  Member& own = state.members[static_cast<std::size_t>(origin.rank)];
  const Clock clock = part.complete == 0 ? Clock() : clocks_.clock_of(origin.number);
  bool is_known = false;
  part.entries.for_each_near(range, [&](const Entry& known) {
    // Requests end one by one.
    is_known = is_known ||
               (!by_request && !known.by_request && known.is_open() && known.origin == origin.rank &&
                known.epoch == epoch && known.fence == own.fences && conflict_alike(access, known.access));
    // A fence comes between those of different numbers, also while the other rank has not yet left it.
    if ((known.epoch == rma::Access::fenced || epoch == rma::Access::fenced) && known.fence != own.fences)
      return;
    const Relation relation = relation_of(access, known.access, known.origin == origin.rank);
    if (relation == Relation::free || !overlap(access.where, known.access.where)) return;
    if (!known.is_open() && known.completed.is_known_by(clock)) return;
    found.push_back({text_of(relation, access, known.access) + " of target " + std::to_string(target) +
                         " are not ordered by synchronization; " +
                         what_would_order(known.epoch, known.origin == origin.rank, !known.is_open()),
                     relation == Relation::operators  ? "MPI 5.0 §12.2.1, accumulate_ops"
                     : relation == Relation::elements ? "MPI 5.0 §12.7.1"
                                                      : "MPI 5.0 §12.7",
                     known.access.where.call});
  });
  if (is_known) return found;
  // An access that comes after this one comes after those, too. But this one is not kept beyond a fence.
  if (epoch != rma::Access::fenced)
    part.entries.erase_near_if(range, [&](const Entry& known) {
      const bool gone =
          !known.is_open() && known.completed.is_known_by(clock) && conflict_alike(access, known.access);
      part.complete -= gone ? 1 : 0;
      return gone;
    });
  make_room(state, target);
  own.open[target].push_back(part.entries.add(
      range, Entry{std::move(access), origin.rank, epoch, own.fences, part.next++, by_request, {}}));
  return found;
}

void Accesses::make_room(State& state, int target)
{
  TargetPart& part = state.parts[static_cast<std::size_t>(target)];
  full_invariant(
      [&] {
        std::size_t open = 0;
        for (const Member& member : state.members)
          if (const auto places = member.open.find(target); places != member.open.end())
            open += places->second.size();
        part.entries.for_each([&](const Entry& entry) { open -= entry.is_open() ? 1 : 0; });
        return open == 0;
      },
      "each that is open is in the list of its origin");
  const std::size_t most = std::clamp<std::size_t>(most_complete / state.parts.size(), 64, most_open / 2);
  if (part.complete >= most) {
    // An access that all members know can conflict with no later one; a member may be unknown: then none is
    // known to all.
    std::vector<int> numbers;
    for (const Member& member : state.members) numbers.push_back(member.number);
    const bool all = std::ranges::find(numbers, -1) == numbers.end();
    const Clock known = all ? clocks_.known_by_all(numbers) : Clock();
    std::vector<std::uint64_t> ages;
    part.entries.erase_if([&](const Entry& entry) {
      const bool gone = !entry.is_open() && entry.completed.is_known_by(known);
      if (!gone && !entry.is_open()) ages.push_back(entry.number);
      return gone;
    });
    if (ages.size() > most / 2) {
      const auto middle = ages.end() - static_cast<std::ptrdiff_t>(most / 2);
      std::ranges::nth_element(ages, middle);
      const std::uint64_t first = *middle;
      part.entries.erase_if([&](const Entry& entry) { return !entry.is_open() && entry.number < first; });
      ages.erase(ages.begin(), middle);
    }
    part.complete = ages.size();
    invariant([&] { return part.complete < most; }, "there is room for another one");
  }
  if (part.entries.size() - part.complete < most_open) return;
  part.entries.erase_if([](const Entry& entry) { return entry.is_open(); });
  for (Member& member : state.members) member.open.erase(target);
}

std::size_t Accesses::kept_of(const Origin& origin, int target)
{
  const Holder guard(lock_);
  return state_of(origin).parts[static_cast<std::size_t>(target)].entries.size();
}

template <class F>
void Accesses::complete(State& state, int member, int target, Moment moment, F&& ends)
{
  auto& open = state.members[static_cast<std::size_t>(member)].open;
  const auto places = open.find(target);
  if (places == open.end()) return;
  TargetPart& part = state.parts[static_cast<std::size_t>(target)];
  std::erase_if(places->second, [&](const auto& place) {
    Entry& entry = *place;
    invariant([&] { return entry.is_open() && entry.origin == member; },
              "a list has what its origin has open");
    if (!ends(entry)) return false;
    if (moment.rank < 0) {
      part.entries.erase(place);
    } else {
      entry.completed = moment;
      ++part.complete;
    }
    return true;
  });
  if (places->second.empty()) open.erase(places);
}

template <class F>
void Accesses::complete_all(State& state, int member, Moment moment, F&& ends)
{
  std::vector<int> targets;
  for (const auto& [target, places] : state.members[static_cast<std::size_t>(member)].open)
    targets.push_back(target);
  for (const int target : targets) complete(state, member, target, moment, ends);
}

template <class F>
void Accesses::synchronized(const Origin& origin, int target, F&& ends)
{
  const Holder guard(lock_);
  State& state = state_of(origin);
  if (target < 0)
    complete_all(state, origin.rank, now(origin), ends);
  else
    complete(state, origin.rank, target, now(origin), ends);
}

void Accesses::fenced(const Origin& origin)
{
  const Holder guard(lock_);
  State& state = state_of(origin);
  ++state.members[static_cast<std::size_t>(origin.rank)].fences;
  complete_all(state, origin.rank, {}, [](const Entry& entry) { return entry.epoch == rma::Access::fenced; });
}

void Accesses::completed(const Origin& origin)
{
  const Holder guard(lock_);
  complete_all(state_of(origin), origin.rank, now(origin), [](const Entry& entry) {
    return entry.epoch == rma::Access::started && only_reads(entry.access);
  });
}

void Accesses::waited(const Origin& target, Moment called)
{
  const Holder guard(lock_);
  State& state = state_of(target);
  for (int member = 0; member < target.members; ++member)
    complete(state, member, target.rank, called,
             [](const Entry& entry) { return entry.epoch == rma::Access::started; });
}

void Accesses::flushed(const Origin& origin, int target)
{
  synchronized(origin, target, [](const Entry& entry) { return is_passive(entry.epoch); });
}

void Accesses::flushed_locally(const Origin& origin, int target)
{
  synchronized(origin, target,
               [](const Entry& entry) { return is_passive(entry.epoch) && only_reads(entry.access); });
}

void Accesses::request_ended(const Origin& origin, int target, const RecordedCall& call)
{
  const Holder guard(lock_);
  // The window may be free by now, and another one in its place.
  const auto state = states_.find(origin.window);
  if (state == states_.end() || state->second.members.size() != static_cast<std::size_t>(origin.members))
    return;
  complete(state->second, origin.rank, target, now(origin), [&](const Entry& entry) {
    return entry.access.where.call.get() == &call && only_reads(entry.access);
  });
}

void Accesses::forget(const void* window)
{
  const Holder guard(lock_);
  states_.erase(window);
}

}  // namespace ranklet::check
