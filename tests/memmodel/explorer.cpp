// The walk: which thread goes on, which store arrives, and which executions are known already.
#include "explorer.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace ranklet::explore {

Outcome Explorer::walk()
{
  do {
    execute();
    ++outcome_.executions;
    if (!outcome_.failure.empty()) break;
    outcome_.exhausted = !backtrack();
  } while (!outcome_.exhausted && outcome_.executions < options_.max_executions);
  outcome_.states = static_cast<long>(visited_.size());
  threads_.clear();
  final_ = nullptr;
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

}  // namespace ranklet::explore
