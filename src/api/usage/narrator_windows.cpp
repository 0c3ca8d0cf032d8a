// What the narrator tells of one-sided communication (MPI 5.0 §12): the rows of docs/memory-model.md.
#include <algorithm>
#include <bit>
#include <string_view>

#include "api/usage/narrator.hpp"
#include "api/usage/seen.hpp"
#include "datatype/runs.hpp"

namespace ranklet::api {

namespace {

// Elements of an accumulate that are told one by one.
constexpr int most_elements = 65536;
// Of those whose values another rank may wait for.
constexpr int most_announced = 64;

Word word(const Call& call, const char* name)
{
  return call.word_of(find_parameter(call.function(), name));
}

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

check::WindowOrders& orders_of(const Window& window)
{
  return check::orders_of(window.shared(), window.size());
}

}  // namespace

// Who reads the element may go on before this call has ended.
void Narrator::announce_accumulate(const Call& call, const Window& window, const CallRecordRef& record)
{
  if (only_reads(state_, call)) return;
  const std::optional<check::BufferUse> where = target_use(state_, call, window, record);
  const int target = static_cast<int>(word(call, "target_rank"));
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
  const int target = static_cast<int>(word(call, "target_rank"));
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
  check::WindowOrders& orders = orders_of(window);
  // An operation reaches its target after the target's fence only.
  if (note.epoch == rma::Access::fenced) tell_to(&orders.target(target).unwaited_fence);
  const races::Label there = notes_.label(call.site, std::move(note));
  const check::WindowOrders::Pair& pair = orders.pair(window.rank(), target);
  const auto tell_origin = [&](bool results) {
    for (const check::BufferUse& use : open.uses)
      if (use.written == results)
        tell_use(use, -1, results, label_of(call.site, open.record, results, AccessNote::Use::origin));
  };
  if (plan_of(call.function()).use == RequestUse::makes) open.operation = std::make_shared<Operation>();
  Fiber& fiber = take_fiber();
  const InFiber in_fiber(fiber.handle, fiber.begun);
  tell_origin(false);
  if (puts || open.uses.empty() || std::ranges::none_of(open.uses, &check::BufferUse::written)) {
    // Complete at the origin before it is at the target.
    races::order_from(&pair.done_at_origin);
    if (open.operation) races::order_from(&open.operation->done);
  }
  if (puts || gets)
    tell_use(*where, -1, written, there);
  else {
    int told = 0;
    for_each_element(*where, [&](std::uintptr_t address, std::size_t bytes) {
      races::atomic_access(address, bytes, written, there);
      return ++told < most_elements;
    });
  }
  tell_origin(true);
  if (std::ranges::any_of(open.uses, &check::BufferUse::written)) {
    races::order_from(&pair.done_at_origin);
    if (open.operation) races::order_from(&open.operation->done);
  }
  races::order_from(&pair.done_at_target);
  if (paths_[{&window.shared(), target}].fibers.insert(&fiber).second) ++fiber.uses;
  --fiber.uses;
}

void Narrator::complete_at_target(Window& window, int target)
{
  const auto path = paths_.find({&window.shared(), target});
  if (path == paths_.end()) return;
  tell_to(&orders_of(window).pair(window.rank(), target).done_at_target);
  forget(path);
}

void Narrator::complete_at_origin(Window& window, int target)
{
  if (paths_.contains({&window.shared(), target}))
    tell_to(&orders_of(window).pair(window.rank(), target).done_at_origin);
}

void Narrator::forget(Paths::iterator path)
{
  for (Fiber* const fiber : path->second.fibers) give_back(*fiber);
  paths_.erase(path);
}

template <class F>
void Narrator::for_each_path(const Window& window, F&& f)
{
  std::vector<int> targets;
  for (auto path = paths_.lower_bound({&window.shared(), 0});
       path != paths_.end() && path->first.first == &window.shared(); ++path)
    targets.push_back(path->first.second);
  for (const int target : targets) f(target);
}

void Narrator::complete_all(Window& window)
{
  for_each_path(window, [&](int target) { complete_at_target(window, target); });
}

void Narrator::take_lock(Window& window, int target, bool exclusive)
{
  const check::WindowOrders::Target& there = orders_of(window).target(target);
  tell_to(&there.exclusive);
  if (exclusive) tell_to(&there.shared);
}

// Before others may go on because of it.
void Narrator::window_call_starts(const Call& call, Window& window, Open& open)
{
  check::WindowOrders& orders = orders_of(window);
  switch (story_of(call.function()).story) {
    case Story::operation: {
      open.uses = origin_uses(state_, call, open.record);
      const std::string_view name = call.function().name;
      if (!name.ends_with("ut") && !name.ends_with("Get") && !name.ends_with("Rget"))
        announce_accumulate(call, window, open.record);
      break;
    }
    case Story::fence:
      complete_all(window);
      if (word(call, "assert") & MPI_MODE_NOPRECEDE)
        tell_from(&orders.target(window.rank()).unwaited_fence);
      else
        join(call, window.comm(), open.part);
      break;
    case Story::free_window:
      complete_all(window);
      join(call, window.comm(), open.part);
      break;
    case Story::post: {
      const auto handle = static_cast<std::uintptr_t>(word(call, "group"));
      const GroupPtr* const group = state_.groups.look_up(state_.groups.make(handle));
      if (!group) break;
      for (const Rank* const member : (*group)->members())
        if (const int origin = window.comm().group()->rank_of(*member); origin != undefined)
          tell_from(&orders.pair(origin, window.rank()).posted);
      break;
    }
    case Story::complete:
      if (!window.started.are_open()) break;
      for (const int target : window.started.ranks()) {
        complete_at_origin(window, target);
        if (const auto path = paths_.find({&window.shared(), target}); path != paths_.end()) forget(path);
        tell_from(&orders.pair(window.rank(), target).completed);
      }
      break;
    case Story::unlock: {
      const Word target = word(call, "rank");
      if (target < 0 || target >= window.size()) break;
      const Window::Path& path = window.path(static_cast<int>(target));
      complete_at_target(window, static_cast<int>(target));
      if (!path.holds) break;
      const check::WindowOrders::Target& there = orders.target(static_cast<int>(target));
      tell_from(path.access() == rma::Access::exclusive ? &there.exclusive : &there.shared);
      break;
    }
    case Story::unlock_all:
      complete_all(window);
      for (int i = 0; window.locked_all && i < window.size(); ++i) tell_from(&orders.target(i).shared);
      break;
    default:
      break;
  }
  if (open.part && story_of(call.function()).story != Story::collective) begin_part(*open.part);
}

void Narrator::window_call_ended(const Call& call, Window& window, Open& open)
{
  const auto target_of = [&] {
    const int rank = find_parameter(call.function(), "rank");
    return rank < 0 ? -1 : static_cast<int>(call.word_of(rank));
  };
  switch (story_of(call.function()).story) {
    case Story::operation:
      tell_operation(call, window, open);
      break;
    case Story::start:
      if (word(call, "assert") & MPI_MODE_NOCHECK) break;
      for (const int target : window.started.ranks())
        tell_to(&orders_of(window).pair(window.rank(), target).posted);
      break;
    case Story::wait: {
      const int flag = find_parameter(call.function(), "flag");
      if (flag >= 0 && !*reinterpret_cast<const int*>(call.word_of(flag))) break;
      for (const int origin : window.posted.ranks()) {
        const check::WindowOrders::Pair& pair = orders_of(window).pair(origin, window.rank());
        tell_to(&pair.completed);
        tell_to(&pair.done_at_target);
      }
      break;
    }
    case Story::lock:
      if (!(word(call, "assert") & MPI_MODE_NOCHECK))
        take_lock(window, target_of(), word(call, "lock_type") == MPI_LOCK_EXCLUSIVE);
      break;
    case Story::lock_all:
      for (int i = 0; window.locked_all && i < window.size(); ++i) take_lock(window, i, false);
      break;
    case Story::flush:
      if (target_of() < 0)
        complete_all(window);
      else
        complete_at_target(window, target_of());
      break;
    case Story::flush_local:
      if (target_of() < 0)
        for_each_path(window, [&](int target) { complete_at_origin(window, target); });
      else
        complete_at_origin(window, target_of());
      break;
    default:
      break;
  }
}

}  // namespace ranklet::api
