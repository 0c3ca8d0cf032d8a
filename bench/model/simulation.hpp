// Ranks on the cores of a Machine, each with a clock of its own, whose accesses to memory move cache lines.
//
// A rank is a fiber that runs until its clock has passed the next event. Lines are those of real addresses,
// so what lies on one line moves together. The rules, as tests/model checks them:
//  1. A core that has a line reads it for `work`. Else it fetches it from the nearest core that has it, which
//     keeps it: `fetch` times their distance. Those who fetch a line at once are served `service` apart. Into
//     an L3 lines come `l3_link` apart, into a package `package_link`.
//  2. To write, a core must have the line alone: it takes it from all others, `invalidate` times the distance
//     of the farthest. One does so at a time, and not while others' fetches of it are under way; who comes
//     meanwhile, for reading or writing, waits in line. The core has it for `hold` before the next one gets
//     it. Where `moves`, who fetches a line that its owner has written has it alone, too, and the owner has
//     lost it.
//  3. A store waits in its core's buffer, and the core goes on. Stores ask for their lines at once, and
//     become visible in their order, after the loads before them.
//  4. A load that misses does not stop its core before `in_flight` of them are under way. A spin loop, a
//     read-modify-write and a fence wait until they are there, and so does what follows a wait that had to
//     look again: that the loop ends is not guessed; and what reads at an address waits for that. Else a core
//     guesses right what it will read.
//     Who reads `run` consecutive lines of a page fetches the next ones ahead: one at first, `ahead` after 8.
//  5. A read-modify-write waits for the stores before it, and holds its line for `update`.
//  6. A core that waits for a line to change looks, pauses, and looks again: at the first look after the line
//     was taken away it fetches it.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "machine.hpp"
#include "memmodel/fiber.hpp"

namespace ranklet::model {

struct Traffic {
  double fetches = 0;
  double invalidations = 0;  // copies taken away
  double hops = 0;           // the distances of both
};

class Simulation {
 public:
  static constexpr int most_cores = 512;

  // Rank i runs on core i.
  Simulation(const Machine& machine, int ranks);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Runs body(rank) on all ranks, to its end, once. Errors: logic_error, when ranks wait for what nobody
  // does; what a body throws.
  void run(const std::function<void(int)>& body);

  double time() const noexcept { return end_; }  // when the last rank ended
  const Traffic& traffic() const noexcept { return traffic_; }

  // --- for ranks: the one that runs at the moment
  static Simulation& current();
  // Whether one does; what is done before and after the run costs nothing.
  static bool runs() noexcept;

  // Before a word is read. True: `value` is what the rank itself has stored there and nobody sees yet.
  bool read(const void* at, std::uint64_t& value);
  // What follows reads at an address that this word says.
  void follow(const void* word);
  // A store of 1, 2, 4 or 8 bytes.
  void write(void* at, std::uint64_t value, unsigned bytes);
  // Before a word is changed by a read-modify-write: nobody comes between.
  void own(const void* at);
  void fence();
  // Asks for a line, as a store does, and goes on.
  void prefetch_to_write(const void* at);
  // Asks for a line, as a load does, and goes on; of one that is under way elsewhere nothing comes.
  void prefetch_to_read(const void* at);
  void spend(double ns);
  void look() { spend(costs_.look); }
  void pause() { look_again(costs_.pause); }
  void yield() { look_again(costs_.yield); }
  void membarrier();
  double now() const { return running().clock; }
  // Tries again whenever a line that attempt() has read is taken away, until it is true.
  template <class Attempt>
  void await(Attempt&& attempt)
  {
    await(attempt, costs_.pause);
  }
  template <class Attempt>
  void await(Attempt&& attempt, double pause)
  {
    for (bool first = true;; first = false) {
      begin_look();
      const bool succeeded = attempt();
      if (end_look(succeeded, pause)) {
        if (!first) await_loads(running());
        return;
      }
    }
  }

 private:
  enum class Wish { fetch, store, update };
  struct Request {
    int core;
    Wish wish;
    double asked;
  };
  struct Line {
    std::bitset<most_cores> holders;
    int owner = -1;           // who has it alone
    bool written = false;     // by the owner
    bool busy = false;        // it is on its way to the one who will have it alone
    double arrives = 0;       // at the owner
    double kept_until = 0;    // by the owner
    double fetched = 0;       // when the fetches under way are over
    double next_service = 0;  // when it answers the next reader
    std::deque<Request> queue;
    std::vector<int> watchers;
  };
  // What lines that come from outside pass one after the other.
  struct Links {
    int l3, package;                       // which ones the core is behind
    double l3_free = 0, package_free = 0;  // of those that begin with this core: when the next line may come
  };
  struct Store {
    void* at;
    std::uint64_t value;
    unsigned bytes;
    Line* line;
    double ready;
  };
  // Consecutive lines that a core has read.
  struct Run {
    std::uintptr_t last;
    int length;
  };
  struct Core {
    explore::Fiber fiber;
    double clock = 0;
    std::deque<Store> stores;
    std::vector<Line*> asked;  // for stores
    std::deque<double> loads;  // when those under way are over
    double loads_done = 0;
    std::unordered_map<std::uintptr_t, Run> runs;      // by page
    std::unordered_map<const Line*, double> arrivals;  // of lines that it has asked for to read them
    std::vector<Line*> looked_at;
    bool looking = false;
    bool watching = false;
    bool draining = false;
    bool ended = false;
  };
  struct Event {
    double time;
    std::uint64_t number;
    std::function<void()> action;
    friend bool operator>(const Event& a, const Event& b)
    {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };

  static std::uintptr_t number_of(const void* at) { return reinterpret_cast<std::uintptr_t>(at) / 64; }
  Line& line_of(const void* at) { return lines_[number_of(at)]; }
  Core& core(int index) const { return *cores_[static_cast<std::size_t>(index)]; }
  Core& running() const { return core(running_); }
  void at(double time, std::function<void()> action);
  void resume(int index);
  void resume_at(double time, int index);
  void suspend();
  void catch_up();
  double unevenness();
  void await_loads(Core& core);
  void drain();
  void look_again(double ns);
  void begin_look();
  bool end_look(bool succeeded, double pause);

  double fetch(Line& line, int index, double waited = 0);
  void foresee(const void* at, Wish wish);
  static void wait_for_load(Core& core, double done);
  double rest_of(double transfer, double waited) const;
  double pass_links(int from, int to, double start);
  void ask(Line& line, int index, Wish wish);
  void serve(Line& line);
  void move(Line& line, int index, double done);
  bool is_kept(const Line& line, int index) const;
  void grant(Line& line, Request request);
  void wake_watchers(Line& line);
  void ask_ahead(Line& line, int index);
  void commit(int index);

  const Machine& machine_;
  const Costs& costs_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<Links> links_;
  std::unordered_map<std::uintptr_t, Line> lines_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t events_made_ = 0;
  double now_ = 0;
  double end_ = 0;
  int running_ = -1;
  Traffic traffic_;
  std::uint64_t random_ = 1;
  std::exception_ptr failure_;  // of a body
};

}  // namespace ranklet::model
