#include "scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fiber.hpp"

namespace ranklet::explore {

namespace {

// What a thread has certainly been told: by which store (number) of each location, and by how many plain
// accesses of each thread (for happens-before).
struct Knowledge {
  std::array<std::uint32_t, max_locations> seen{};
  std::array<std::uint32_t, max_threads> accesses{};

  void join(const Knowledge& other)
  {
    for (int i = 0; i < max_locations; ++i) seen[i] = std::max(seen[i], other.seen[i]);
    for (int i = 0; i < max_threads; ++i) accesses[i] = std::max(accesses[i], other.accesses[i]);
  }
  void join_seen(const Knowledge& other)
  {
    for (int i = 0; i < max_locations; ++i) seen[i] = std::max(seen[i], other.seen[i]);
  }
};

struct Message {
  std::uint64_t value = 0;
  std::uint32_t number = 0;  // place in the location's modification order
  Knowledge told;            // what an acquire load of it learns
};

struct Datum {
  std::uint64_t value = 0;
  int writer = -1;
  std::uint32_t write = 0;                         // the writer's access number
  std::array<std::uint32_t, max_threads> reads{};  // access numbers since that write
};

enum class Blocked { no, yielded, futex, done };

struct Thread {
  std::function<void()> body;
  Knowledge knows;
  Knowledge heard;     // by relaxed loads: becomes known at a fence
  Knowledge released;  // known at the last fence: what relaxed stores hand on
  std::deque<std::pair<int, Message>> buffer;
  std::uint64_t history = 0;
  std::uint64_t others_before = 0;  // changes by others when the present turn of a waiting loop began
  std::uint64_t own_changes = 0;
  int stale_left = 0;
  int futex = -1;
  bool stale_since_pass = false;
  Blocked blocked = Blocked::no;
};

struct Choice {
  int taken;
  int of;
};

struct Step {
  int thread;
  const char* what;
  int location;
  std::uint64_t value;
};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value)
{
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 32);
}

bool acquires(std::memory_order order)
{
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

bool releases(std::memory_order order)
{
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

class Explorer {
 public:
  Explorer(const Options& options, const std::function<void(Scenario&)>& setup)
      : options_(options), setup_(setup)
  {
  }

  Outcome walk();

  void add_thread(std::function<void()> body);
  void set_final(std::function<void()> check) { final_ = std::move(check); }
  int new_location(std::uint64_t value, std::uint64_t mask);
  std::uint64_t load(int location, std::memory_order order);
  void store(int location, std::uint64_t value, std::memory_order order);
  std::uint64_t update(int location, engine::Update kind, std::uint64_t operand, std::uint64_t expected,
                       std::memory_order order);
  int new_datum();
  void touch(int datum, bool write, std::uint64_t value);
  void pass();
  void light_fence();
  void heavy_fence();
  void futex_wait(int location, std::uint64_t expected);
  void futex_wake_all(int location);
  void fail(const std::string& why);
  Thread& self() { return running_ < 0 ? main_ : threads_[running_]; }

 private:
  struct Action {
    int thread;
    bool drain;
  };

  static constexpr int nobody = -1;
  static constexpr int undecided = -2;

  void execute();
  int advance();
  bool backtrack();
  int choose(int of);
  std::uint64_t state() const;
  bool can_run(int thread) const;
  void run(int thread);
  void drain_one(int thread);
  void drain_all(int thread);
  void commit(int thread, int location, const Message& message);
  void fence(Thread& thread);
  void point();
  void note(const char* what, int location, std::uint64_t value);
  std::string story() const;
  std::memory_order mutated(Access access, int location, std::memory_order order) const
  {
    return options_.order ? options_.order(access, location, order) : order;
  }
  Message& newest(int location) { return locations_[location].back(); }
  std::uint64_t changes_by_others(const Thread& thread) const { return changes_ - thread.own_changes; }

  const Options& options_;
  const std::function<void(Scenario&)>& setup_;
  std::function<void()> final_;
  std::array<Fiber, max_threads> fibers_;
  std::vector<Choice> trace_;
  std::size_t depth_ = 0;
  std::unordered_set<std::uint64_t> visited_;
  Outcome outcome_;

  // Of the present execution:
  std::vector<Thread> threads_;
  Thread main_;
  int running_ = -1;      // -1: setup and final check
  int next_ = undecided;  // who goes on when the running one suspends
  int turns_ = 0;
  bool starting_ = false;
  bool cut_ = false;  // at a known state
  std::vector<std::deque<Message>> locations_;
  std::array<std::uint64_t, max_locations> masks_{};  // the bits of the location's type
  std::vector<Datum> data_;
  Knowledge fenced_;  // what seq_cst fences have passed on so far
  std::uint64_t changes_ = 0;
  std::vector<Step> steps_;
};

Explorer* present = nullptr;

Outcome Explorer::walk()
{
  present = this;
  do {
    execute();
    ++outcome_.executions;
    if (!outcome_.failure.empty()) break;
    outcome_.exhausted = !backtrack();
  } while (!outcome_.exhausted && outcome_.executions < options_.max_executions);
  outcome_.states = static_cast<long>(visited_.size());
  threads_.clear();
  final_ = nullptr;
  present = nullptr;
  return outcome_;
}

void Explorer::execute()
{
  depth_ = 0;
  threads_.clear();
  main_ = Thread{};
  locations_.clear();
  data_.clear();
  fenced_ = {};
  changes_ = 0;
  turns_ = 0;
  cut_ = false;
  steps_.clear();
  final_ = nullptr;
  Scenario scenario;
  setup_(scenario);
  for (std::size_t i = 0; i < locations_.size(); ++i)
    main_.knows.seen[i] = newest(static_cast<int>(i)).number;
  const int count = static_cast<int>(threads_.size());
  for (int t = 0; t < count; ++t) {
    Thread& thread = threads_[t];
    thread.knows = main_.knows;
    thread.released = main_.knows;
    thread.stale_left = options_.memory == Memory::views ? options_.stale_reads : 0;
    fibers_[t].start([this, t] {
      threads_[t].body();
      threads_[t].blocked = Blocked::done;
    });
    starting_ = true;  // up to its first operation
    run(t);
    starting_ = false;
  }

  for (int next = advance(); next != nobody;) {
    next_ = undecided;
    run(next);
    next = next_ == undecided ? advance() : next_;
  }
  if (cut_ || !outcome_.failure.empty()) return;
  if (!outcome_.failure.empty()) return;
  for (const Thread& thread : threads_)
    if (thread.blocked != Blocked::done) return fail("nobody can go on: a lost wake-up or a deadlock");
  for (const Thread& thread : threads_) main_.knows.join(thread.knows);
  if (final_) final_();
  ++outcome_.completed;
}

// Lets stores arrive as the choices say until a thread's turn comes: returns which.
int Explorer::advance()
{
  for (;;) {
    const int count = static_cast<int>(threads_.size());
    std::array<Action, 2 * max_threads> actions;
    std::size_t of = 0;
    for (int t = 0; t < count; ++t)
      if (can_run(t)) actions[of++] = {t, false};
    for (int t = 0; t < count; ++t)
      if (!threads_[t].buffer.empty()) actions[of++] = {t, true};
    if (of == 0) return nobody;
    if (++turns_ > options_.max_steps) {
      outcome_.failure = "an execution does not end" + story();
      return nobody;
    }
    int taken = 0;
    if (of > 1) {
      if (depth_ >= trace_.size() && !visited_.insert(state()).second) {
        cut_ = true;
        return nobody;
      }
      taken = choose(static_cast<int>(of));
    }
    const Action action = actions[static_cast<std::size_t>(taken)];
    if (!action.drain) return action.thread;
    drain_one(action.thread);
  }
}

bool Explorer::backtrack()
{
  while (!trace_.empty()) {
    if (++trace_.back().taken < trace_.back().of) return true;
    trace_.pop_back();
  }
  return false;
}

int Explorer::choose(int of)
{
  if (depth_ == trace_.size()) trace_.push_back({0, of});
  return trace_[depth_++].taken;
}

// Equal states have equal futures: all that later steps, or the checks in them, can depend on goes in.
std::uint64_t Explorer::state() const
{
  std::uint64_t hash = 0;
  const auto add_knowledge = [&](const Knowledge& knowledge) {
    if (options_.memory == Memory::views)
      for (std::size_t i = 0; i < locations_.size(); ++i) {
        // Only the distance to the newest store counts.
        const std::uint32_t oldest = locations_[i].front().number;
        hash = mix(hash, locations_[i].back().number - std::max(knowledge.seen[i], oldest));
      }
    for (std::size_t t = 0; t < threads_.size(); ++t) hash = mix(hash, knowledge.accesses[t]);
  };
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const Thread& thread = threads_[t];
    hash = mix(hash, thread.history);
    hash = mix(hash, static_cast<std::uint64_t>(thread.blocked) * 4 + can_run(static_cast<int>(t)) * 2u +
                         thread.stale_since_pass);
    // Whether the others have changed something since the present turn of a waiting loop began.
    hash = mix(hash, changes_by_others(thread) > thread.others_before);
    hash = mix(hash, static_cast<std::uint64_t>(thread.stale_left * 64 + thread.futex));
    if (thread.blocked == Blocked::done) continue;
    add_knowledge(thread.knows);
    add_knowledge(thread.heard);
    add_knowledge(thread.released);
    for (const auto& [location, message] : thread.buffer) {
      hash = mix(hash, static_cast<std::uint64_t>(location));
      hash = mix(hash, message.value);
      add_knowledge(message.told);
    }
  }
  for (const auto& messages : locations_) {
    hash = mix(hash, messages.size());
    for (const Message& message : messages) {
      hash = mix(hash, message.value);
      add_knowledge(message.told);
    }
  }
  add_knowledge(fenced_);
  for (const Datum& datum : data_) {
    hash = mix(hash, datum.value);
    hash = mix(hash, static_cast<std::uint64_t>(datum.writer) << 32 | datum.write);
    for (std::uint32_t read : datum.reads) hash = mix(hash, read);
  }
  return hash;
}

bool Explorer::can_run(int index) const
{
  const Thread& thread = threads_[index];
  if (thread.blocked == Blocked::yielded)
    return changes_by_others(thread) > thread.others_before || thread.stale_since_pass;
  return thread.blocked == Blocked::no;
}

void Explorer::run(int thread)
{
  running_ = thread;
  fibers_[thread].resume();
  running_ = -1;
}

void Explorer::point()
{
  if (running_ < 0) return;
  next_ = starting_ ? nobody : advance();
  if (next_ != running_) fibers_[running_].suspend();
}

void Explorer::note(const char* what, int location, std::uint64_t value)
{
  if (running_ < 0) return;
  steps_.push_back({running_, what, location, value});
  std::uint64_t& history = threads_[running_].history;
  history = mix(mix(history, reinterpret_cast<std::uintptr_t>(what)), static_cast<std::uint64_t>(location));
  history = mix(history, value);
}

void Explorer::fail(const std::string& why)
{
  if (outcome_.failure.empty()) outcome_.failure = why + story();
  if (running_ < 0) return;
  next_ = nobody;
  fibers_[running_].suspend();  // never resumed
}

std::string Explorer::story() const
{
  std::string text;
  char line[96];
  for (const Step& step : steps_) {
    std::snprintf(line, sizeof line, "\n  thread %d: %s %d = %lld", step.thread, step.what, step.location,
                  static_cast<long long>(step.value));
    text += line;
  }
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    static constexpr const char* states[] = {"runs", "waits in a loop", "sleeps", "has ended"};
    text += "\n  thread " + std::to_string(t) + ' ' + states[static_cast<int>(threads_[t].blocked)];
  }
  return text;
}

void Explorer::add_thread(std::function<void()> body)
{
  if (threads_.size() == max_threads) std::terminate();
  threads_.emplace_back().body = std::move(body);
}

int Explorer::new_location(std::uint64_t value, std::uint64_t mask)
{
  if (locations_.size() == max_locations || running_ >= 0) std::terminate();
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

// A seq_cst fence (C++20 [atomics.order]); what it passes on by itself is coherence, not happens-before.
void Explorer::fence(Thread& thread)
{
  thread.knows.join(thread.heard);
  thread.knows.join_seen(fenced_);
  fenced_.join_seen(thread.knows);
  thread.released = thread.knows;
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

}  // namespace

void Scenario::thread(std::function<void()> body)
{
  present->add_thread(std::move(body));
}

void Scenario::finally(std::function<void()> check)
{
  present->set_final(std::move(check));
}

Outcome explore(const Options& options, const std::function<void(Scenario&)>& setup)
{
  const auto explorer = std::make_unique<Explorer>(options, setup);
  return explorer->walk();
}

namespace engine {

int new_location(std::uint64_t value, std::uint64_t mask)
{
  return present->new_location(value, mask);
}
std::uint64_t load(int location, std::memory_order order)
{
  return present->load(location, order);
}
void store(int location, std::uint64_t value, std::memory_order order)
{
  present->store(location, value, order);
}
std::uint64_t update(int location, Update kind, std::uint64_t operand, std::uint64_t expected,
                     std::memory_order order)
{
  return present->update(location, kind, operand, expected, order);
}
int new_datum()
{
  return present->new_datum();
}
void touch(int datum, bool write, std::uint64_t value)
{
  present->touch(datum, write, value);
}
void pass()
{
  present->pass();
}
void light_fence()
{
  present->light_fence();
}
void heavy_fence()
{
  present->heavy_fence();
}
void futex_wait(int location, std::uint64_t expected)
{
  present->futex_wait(location, expected);
}
void futex_wake_all(int location)
{
  present->futex_wake_all(location);
}
void check(bool condition, const char* what)
{
  if (!condition) present->fail(what);
}
std::uint64_t history()
{
  return present->self().history;
}
void set_history(std::uint64_t history)
{
  present->self().history = history;
}

}  // namespace engine

}  // namespace ranklet::explore
