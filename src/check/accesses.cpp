#include "check/accesses.hpp"

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

// Conflicts of one are conflicts of the other, and both end at the same time.
bool is_same(const RemoteAccess& one, const RemoteAccess& other)
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
    state.fences.resize(static_cast<std::size_t>(origin.members));
  }
  return state;
}

std::vector<Conflict> Accesses::add(const Origin& origin, int target, rma::Access epoch, RemoteAccess access,
                                    bool stays_open)
{
  std::vector<Conflict> found;
  const Range range = hull(access.where);
  if (range.empty()) return found;
  const Holder guard(lock_);
  State& state = state_of(origin);
  RangeMap<Entry>& part = state.parts[static_cast<std::size_t>(target)];
  const std::uint64_t fence = state.fences[static_cast<std::size_t>(origin.rank)];
  const bool is_known = part.any_near(range, [&](const Entry& known) {
    return known.origin == origin.rank && known.epoch == epoch && known.fence == fence &&
           is_same(access, known.access);
  });
  part.for_each_near(range, [&](const Entry& known) {
    // A fence comes between those of different numbers, also while the other rank has not yet left it.
    if ((known.epoch == rma::Access::fenced || epoch == rma::Access::fenced) && known.fence != fence) return;
    const Relation relation = relation_of(access, known.access, known.origin == origin.rank);
    if (relation == Relation::free || !overlap(access.where, known.access.where)) return;
    found.push_back({text_of(relation, access, known.access) + " of target " + std::to_string(target) +
                         " are not ordered by synchronization",
                     relation == Relation::operators  ? "MPI 5.0 §12.2.1, accumulate_ops"
                     : relation == Relation::elements ? "MPI 5.0 §12.7.1"
                                                      : "MPI 5.0 §12.7",
                     known.access.where.call});
  });
  if (!stays_open || is_known) return found;
  if (part.size() >= most_open) part = {};
  part.add(range, Entry{std::move(access), origin.rank, epoch, fence});
  return found;
}

std::size_t Accesses::open_at(const Origin& origin, int target)
{
  const Holder guard(lock_);
  return state_of(origin).parts[static_cast<std::size_t>(target)].size();
}

template <class F>
void Accesses::erase(const Origin& origin, int target, F&& gone)
{
  State& state = state_of(origin);
  for (int i = 0; i < origin.members; ++i) {
    if (target >= 0 && i != target) continue;
    state.parts[static_cast<std::size_t>(i)].erase_if(
        [&](const Entry& entry) { return entry.origin == origin.rank && gone(entry); });
  }
}

void Accesses::fenced(const Origin& origin)
{
  const Holder guard(lock_);
  ++state_of(origin).fences[static_cast<std::size_t>(origin.rank)];
  erase(origin, -1, [](const Entry& entry) { return entry.epoch == rma::Access::fenced; });
}

void Accesses::completed(const Origin& origin)
{
  const Holder guard(lock_);
  erase(origin, -1,
        [](const Entry& entry) { return entry.epoch == rma::Access::started && only_reads(entry.access); });
}

void Accesses::waited(const Origin& target)
{
  const Holder guard(lock_);
  state_of(target).parts[static_cast<std::size_t>(target.rank)].erase_if(
      [](const Entry& entry) { return entry.epoch == rma::Access::started; });
}

void Accesses::flushed(const Origin& origin, int target)
{
  const Holder guard(lock_);
  erase(origin, target, [](const Entry& entry) { return is_passive(entry.epoch); });
}

void Accesses::flushed_locally(const Origin& origin, int target)
{
  const Holder guard(lock_);
  erase(origin, target,
        [](const Entry& entry) { return is_passive(entry.epoch) && only_reads(entry.access); });
}

void Accesses::forget(const void* window)
{
  const Holder guard(lock_);
  states_.erase(window);
}

}  // namespace ranklet::check
