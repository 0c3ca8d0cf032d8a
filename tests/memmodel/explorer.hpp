// The walk over all executions behind scheduler.hpp: threads as fibers, a machine whose loads and stores
// follow a memory model, and a trace of the choices made. explorer.cpp walks, machine.cpp is the machine.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fiber.hpp"
#include "scheduler.hpp"

namespace ranklet::explore {

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

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value)
{
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 32);
}

inline bool acquires(std::memory_order order)
{
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

inline bool releases(std::memory_order order)
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
  engine::Turn begin_turn();
  void end_turn(const engine::Turn& turn);
  void full_fence();
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

}  // namespace ranklet::explore
