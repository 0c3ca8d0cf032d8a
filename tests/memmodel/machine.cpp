// The machine: what loads, stores, fences and futexes do under a memory model.
#include <algorithm>
#include <exception>

#include "explorer.hpp"

namespace ranklet::explore {

int Explorer::new_location(std::uint64_t value, std::uint64_t mask)
{
  if (locations_.size() == max_locations) std::terminate();
  masks_[locations_.size()] = mask;
  locations_.emplace_back().push_back({value, 1, {}});
  return static_cast<int>(locations_.size()) - 1;
}

void Explorer::commit(int index, int location, const Message& message)
{
  auto& messages = locations_[location];
  const std::uint64_t before = messages.back().value;
  const std::uint32_t number = messages.back().number + 1;
  messages.push_back(message);
  messages.back().number = number;
  messages.back().told.seen[location] = number;
  Thread& thread = index < 0 ? main_ : threads_[index];
  thread.knows.seen[location] = number;
  // Forget what nobody can see any more.
  const std::size_t kept = options_.memory == Memory::views ? 3 : 1;
  std::uint32_t oldest = number;
  for (const Thread& other : threads_)
    if (other.blocked != Blocked::done) oldest = std::min(oldest, other.knows.seen[location]);
  while (messages.size() > kept || messages.front().number < oldest) messages.pop_front();
  if (message.value != before) {
    ++changes_;
    ++thread.own_changes;
  }
}

void Explorer::drain_one(int index)
{
  Thread& thread = threads_[index];
  const auto [location, message] = thread.buffer.front();
  thread.buffer.pop_front();
  commit(index, location, message);
  steps_.push_back({index, "(its store arrives)", location, message.value});
}

void Explorer::drain_all(int index)
{
  if (index < 0) return;
  while (!threads_[index].buffer.empty()) drain_one(index);
}

std::uint64_t Explorer::load(int location, std::memory_order order)
{
  point();
  order = mutated(Access::load, location, order);
  Thread& thread = self();
  for (auto own = thread.buffer.rbegin(); own != thread.buffer.rend(); ++own) {
    if (own->first != location) continue;
    note("load own", location, own->second.value);
    return own->second.value;
  }
  const auto& messages = locations_[location];
  std::size_t back = 0;
  if (running_ >= 0 && thread.stale_left > 0) {
    std::size_t options = 1;
    while (options < messages.size() &&
           messages[messages.size() - 1 - options].number >= thread.knows.seen[location])
      ++options;
    if (options > 1) back = static_cast<std::size_t>(choose(static_cast<int>(options)));
  }
  if (back > 0) {
    --thread.stale_left;
    thread.stale_since_pass = true;
  }
  const Message& message = messages[messages.size() - 1 - back];
  thread.knows.seen[location] = std::max(thread.knows.seen[location], message.number);
  (acquires(order) ? thread.knows : thread.heard).join(message.told);
  note(back > 0 ? "load stale" : "load", location, message.value);
  return message.value;
}

void Explorer::store(int location, std::uint64_t value, std::memory_order order)
{
  point();
  order = mutated(Access::store, location, order);
  Thread& thread = self();
  const Message message{value, 0, releases(order) ? thread.knows : thread.released};
  note("store", location, value);
  if (options_.memory == Memory::store_buffers && running_ >= 0) {
    thread.buffer.emplace_back(location, message);
    if (order == std::memory_order_seq_cst) drain_all(running_);
  } else {
    commit(running_, location, message);
  }
}

std::uint64_t Explorer::update(int location, engine::Update kind, std::uint64_t operand,
                               std::uint64_t expected, std::memory_order order)
{
  point();
  order = mutated(Access::update, location, order);
  drain_all(running_);
  Thread& thread = self();
  const Message before = newest(location);
  std::uint64_t value = operand;
  if (kind == engine::Update::add) value = (before.value + operand) & masks_[location];
  if (kind == engine::Update::set_bits) value = before.value | operand;
  if (kind == engine::Update::keep_bits) value = before.value & operand;
  thread.knows.seen[location] = std::max(thread.knows.seen[location], before.number);
  (acquires(order) ? thread.knows : thread.heard).join(before.told);
  if (kind == engine::Update::compare && before.value != expected) {
    note("compare fails", location, before.value);
    return before.value;
  }
  // A read-modify-write continues the release sequence of what it replaces.
  Message message{value, 0, releases(order) ? thread.knows : thread.released};
  message.told.join(before.told);
  note("update to", location, value);
  note("from", location, before.value);
  commit(running_, location, message);
  return before.value;
}

int Explorer::new_datum()
{
  data_.emplace_back();
  return static_cast<int>(data_.size()) - 1;
}

void Explorer::touch(int index, bool write, std::uint64_t value)
{
  Datum& datum = data_[index];
  if (running_ < 0) {
    datum.value = value;
    return;
  }
  Thread& thread = threads_[running_];
  bool race =
      datum.writer >= 0 && datum.writer != running_ && thread.knows.accesses[datum.writer] < datum.write;
  if (write)
    for (int t = 0; t < max_threads; ++t)
      race = race || (t != running_ && thread.knows.accesses[t] < datum.reads[t]);
  note(write ? "write data" : "read data", index, value);
  if (race) fail("data race");
  const std::uint32_t access = ++thread.knows.accesses[running_];
  if (write) {
    datum.value = value;
    datum.writer = running_;
    datum.write = access;
    datum.reads = {};
  } else {
    datum.reads[running_] = access;
  }
}

void Explorer::pass()
{
  if (running_ < 0) return;
  Thread& thread = threads_[running_];
  thread.blocked = Blocked::yielded;
  point();
  thread.blocked = Blocked::no;
  thread.stale_since_pass = false;
  thread.others_before = changes_by_others(thread);
}

engine::Turn Explorer::begin_turn()
{
  const Thread& thread = self();
  return {thread.history, changes_by_others(thread), thread.stale_left};
}

void Explorer::end_turn(const engine::Turn& turn)
{
  Thread& thread = self();
  thread.history = turn.history;
  // Passes in the turn have set these for themselves.
  thread.others_before = turn.others;
  thread.stale_since_pass = thread.stale_since_pass || thread.stale_left != turn.stale_left;
  pass();
}

// A seq_cst fence (C++20 [atomics.order]); what it passes on by itself is coherence, not happens-before.
void Explorer::fence(Thread& thread)
{
  thread.knows.join(thread.heard);
  thread.knows.join_seen(fenced_);
  fenced_.join_seen(thread.knows);
  thread.released = thread.knows;
}

void Explorer::full_fence()
{
  if (!options_.full_fences) return;
  point();
  drain_all(running_);
  fence(self());
  note("fence", 0, 0);
}

void Explorer::light_fence()
{
  if (!options_.light_fences || options_.fences == Fences::asymmetric) return;
  point();
  drain_all(running_);
  fence(self());
  note("fence", 0, 0);
}

void Explorer::heavy_fence()
{
  if (!options_.heavy_fences) return;
  point();
  if (options_.fences == Fences::asymmetric) {
    // The machine makes every thread pass a full fence now. Coherence passes between all; happens-before is
    // granted only to the caller.
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      drain_all(static_cast<int>(t));
      fenced_.join_seen(threads_[t].knows);
    }
    for (Thread& thread : threads_) thread.knows.join_seen(fenced_);
    fence(self());
  } else {
    drain_all(running_);
    fence(self());
  }
  note("heavy fence", 0, 0);
}

void Explorer::futex_wait(int location, std::uint64_t expected)
{
  point();
  drain_all(running_);
  // The kernel compares under its lock.
  const std::uint64_t value = newest(location).value;
  note("futex wait on", location, value);
  if (value != expected) return;
  Thread& thread = self();
  thread.blocked = Blocked::futex;
  thread.futex = location;
  point();
}

void Explorer::futex_wake_all(int location)
{
  point();
  drain_all(running_);
  note("futex wake", location, 0);
  if (!options_.wakes) return;
  for (Thread& thread : threads_) {
    if (thread.blocked != Blocked::futex || thread.futex != location) continue;
    thread.blocked = Blocked::no;
    thread.futex = -1;
  }
}

}  // namespace ranklet::explore
