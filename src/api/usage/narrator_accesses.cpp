// What the narrator tells of accesses to memory, for a detector that sees them: in fibers where operations
// make them.
#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>
#include <utility>

#include "api/usage/narrator.hpp"
#include "api/usage/seen.hpp"
#include "datatype/runs.hpp"

namespace ranklet::api {

namespace {

// Before so many there are, none is used again: the later, the more of its past the detector still knows.
constexpr std::size_t fresh_fibers = 8;
// Pieces of a buffer that are told one by one; later ones are not told of.
constexpr int most_runs = 4096;

// Elements of an accumulate that are told one by one.
constexpr int most_elements = 65536;
// Of those whose values another rank may wait for.
constexpr int most_announced = 64;

// f(address, bytes) for the pieces that are one atomic access each, until it returns false.
template <class F>
void for_each_element(const check::BufferUse& use, F&& f)
{
  const Basic basic = use.type->uniform();
  const auto size = basic == Basic::none ? std::size_t{8} : static_cast<std::size_t>(info(basic).size);
  bool goes_on = true;
  for_each_run(const_cast<void*>(use.address), use.count, *use.type, [&](const char* at, Count bytes) {
    auto begin = reinterpret_cast<std::uintptr_t>(at);
    const std::uintptr_t end = begin + static_cast<std::uintptr_t>(bytes);
    while (goes_on && begin < end) {
      std::size_t piece = std::bit_floor(std::min({size, std::size_t{8}, end - begin}));
      while (begin % piece != 0) piece /= 2;
      goes_on = f(begin, piece);
      begin += piece;
    }
  });
}

bool lies_in_part(const Window& window, int target, const check::BufferUse& use)
{
  const check::Range range = check::hull(use);
  if (range.empty()) return false;
  rma::Target& there = window.target(target);
  if (window.shared().flavor == rma::Flavor::dynamic)
    return there.regions.contain(reinterpret_cast<const char*>(range.begin),
                                 reinterpret_cast<const char*>(range.end));
  const auto begin = reinterpret_cast<std::uintptr_t>(there.base);
  return range.begin >= begin && range.end <= begin + static_cast<std::uintptr_t>(there.size);
}

bool only_reads(RankState& state, const Call& call)
{
  const int op = find_parameter(call.function(), "op");
  if (op < 0) return false;
  const Ref<Op>* const used =
      state.ops.look_up(state.ops.make(static_cast<std::uintptr_t>(call.word_of(op))));
  return used && (*used)->kind() == OpKind::no_op;
}

}  // namespace

races::Label AccessNotes::label(const void* site, AccessNote note)
{
  auto& alike = notes_[{site, &note.call->function(), note.use, note.written}];
  const auto same = std::ranges::find_if(alike, [&](const auto& known) {
    return known->epoch == note.epoch && known->target == note.target && known->call->is_like(*note.call);
  });
  const bool is_known = same != alike.end();
  const AccessNote* found = is_known ? same->get() : nullptr;
  if (!is_known) {
    if (alike.size() < most_alike) alike.push_back(std::make_unique<AccessNote>(std::move(note)));
    found = alike.back().get();
  }
  return races::label_bit | reinterpret_cast<races::Label>(found);
}

void Narrator::accesses_start(const Call& call, const CallPlan& plan, const CallStory& told, Open& open)
{
  const bool makes = plan.use == RequestUse::makes || plan.use == RequestUse::prepares;
  const bool moves_data = told.story == Story::message || plan.pattern > CollectivePattern::order;
  if (makes || moves_data || told.story == Story::operation) open.record = record_of(state_, call);
  if (moves_data) open.uses = uses_of(state_, call, open.record);
  if (!moves_data || plan.use != RequestUse::none) return;
  for (const check::BufferUse& use : open.uses) {
    if (use.written) continue;
    const races::Label label = label_of(call.site, open.record, use.written, AccessNote::Use::call);
    const Seen seen;
    tell_use(use, -1, false, label);
  }
}

void Narrator::accesses_end(const Call& call, const CallStory& told, Open& open)
{
  for (const check::BufferUse& use : open.uses) {
    if (!use.written) continue;
    const races::Label label = label_of(call.site, open.record, use.written, AccessNote::Use::call);
    const Seen seen;
    tell_use(use, told.story == Story::message ? open.received : -1, true, label);
  }
}

void Narrator::operation_starts(const Call& call, const Window& window, Open& open)
{
  open.uses = origin_uses(state_, call, open.record);
  const std::string_view name = call.function().name;
  if (!name.ends_with("ut") && !name.ends_with("Get") && !name.ends_with("Rget"))
    announce_accumulate(call, window, open.record);
}

// A rank that reads the element may go on before this call has ended.
void Narrator::announce_accumulate(const Call& call, const Window& window, const CallRecordRef& record)
{
  if (only_reads(state_, call)) return;
  const std::optional<check::BufferUse> where = target_use(state_, call, window, record);
  const int target = static_cast<int>(call.word_of(find_parameter(call.function(), "target_rank")));
  if (!where || !lies_in_part(window, target, *where)) return;
  int announced = 0;
  const Seen seen;
  for_each_element(*where, [&](std::uintptr_t address, std::size_t) {
    races::order_from(reinterpret_cast<const void*>(address));
    return ++announced < most_announced;
  });
}

void Narrator::tell_operation(const Call& call, Window& window, Open& open)
{
  const std::optional<check::BufferUse> where = target_use(state_, call, window, open.record);
  if (!where) return;
  const std::string_view name = call.function().name;
  const int target = static_cast<int>(call.word_of(find_parameter(call.function(), "target_rank")));
  const bool puts = name.ends_with("ut"), gets = name.ends_with("Get") || name.ends_with("Rget");
  AccessNote note;
  note.call = open.record;
  note.use = AccessNote::Use::target;
  note.written = puts || (!gets && !only_reads(state_, call));
  note.target = target;
  note.epoch = epoch_of(window, target);
  note.begin = check::hull(*where).begin;
  if (window.shared().flavor != rma::Flavor::dynamic)
    note.part = reinterpret_cast<std::uintptr_t>(window.target(target).base);
  const bool written = note.written;
  const races::Label there = notes_.label(call.site, std::move(note));
  const check::WindowOrders::Pair& pair =
      check::orders_of(window.shared(), window.size()).pair(window.rank(), target);
  const auto tell_origin = [&](bool results) RANKLET_REQUIRES(lock_) {
    for (const check::BufferUse& use : open.uses)
      if (use.written == results)
        tell_use(use, -1, results, label_of(call.site, open.record, results, AccessNote::Use::origin));
  };
  if (plan_of(call.function()).use == RequestUse::makes) open.operation = std::make_shared<Operation>();
  OperationFiber& fiber = take_fiber();
  const InFiber in_fiber(fiber.handle, fiber.begun);
  const auto complete_at_origin = [&]() RANKLET_REQUIRES(lock_) {
    tell_origin(true);
    races::order_from(&pair.done_at_origin);
    if (open.operation) races::order_from(&open.operation->done);
  };
  tell_origin(false);
  // The target need not be updated when the operation is complete at its origin, also if that has a result.
  if (written) complete_at_origin();
  if (puts || gets)
    tell_use(*where, -1, written, there);
  else {
    int told = 0;
    for_each_element(*where, [&](std::uintptr_t address, std::size_t bytes) {
      races::atomic_access(address, bytes, written, there);
      return ++told < most_elements;
    });
  }
  if (!written) complete_at_origin();
  races::order_from(&pair.done_at_target);
  if (paths_[{&window.shared(), target}].fibers.insert(&fiber).second) ++fiber.uses;
  --fiber.uses;
}

Narrator::OperationFiber& Narrator::take_fiber()
{
  OperationFiber* fiber = nullptr;
  if (fibers_.size() >= most_fibers_ && free_fibers_.empty()) {
    fiber = fibers_[next_shared_fiber_++ % most_fibers_].get();
  } else if (!free_fibers_.empty() && fibers_.size() >= std::min(fresh_fibers, most_fibers_)) {
    fiber = free_fibers_.front();
    free_fibers_.pop_front();
  } else {
    fibers_.push_back(std::make_unique<OperationFiber>());
    fiber = fibers_.back().get();
    const Seen seen;
    fiber->handle = races::make_fiber(("MPI." + std::to_string(state_.rank.world_rank)).c_str());
  }
  ++fiber->uses;
  return *fiber;
}

void Narrator::give_back(OperationFiber& fiber)
{
  if (--fiber.uses == 0) free_fibers_.push_back(&fiber);
}

void Narrator::tell_use(const check::BufferUse& use, Count bytes, bool written, races::Label label)
{
  int runs = 0;
  Count left = bytes < 0 ? std::numeric_limits<Count>::max() : bytes;
  for_each_run(const_cast<void*>(use.address), use.count, *use.type, [&](const char* at, Count length) {
    const Count told = std::min(length, left);
    left -= told;
    if (told > 0 && ++runs <= most_runs)
      races::access(reinterpret_cast<std::uintptr_t>(at), static_cast<std::size_t>(told), written, label);
  });
}

races::Label Narrator::label_of(const void* site, const CallRecordRef& record, bool written,
                                AccessNote::Use kind)
{
  AccessNote note;
  note.call = record;
  note.use = kind;
  note.written = written;
  return notes_.label(site, std::move(note));
}

}  // namespace ranklet::api
