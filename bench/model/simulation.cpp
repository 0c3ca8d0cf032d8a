#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ranklet::model {

namespace {

// The structures' functions on the machine are static; one simulation runs at a time.
Simulation* simulation = nullptr;

}  // namespace

Simulation& Simulation::current()
{
  return *simulation;
}

bool Simulation::runs() noexcept
{
  return simulation && simulation->running_ >= 0;
}

Simulation::Simulation(const Machine& machine, int ranks) : machine_(machine), costs_(machine.costs)
{
  if (ranks > machine.cores || machine.cores > most_cores)
    throw std::invalid_argument("more ranks than cores");
  for (int i = 0; i < ranks; ++i) cores_.push_back(std::make_unique<Core>());
  for (int i = 0; i < machine.cores; ++i) links_.push_back({machine.l3_of(i), machine.package_of(i)});
  if (simulation) throw std::logic_error("one simulation at a time");
  simulation = this;
}

Simulation::~Simulation()
{
  simulation = nullptr;
}

void Simulation::run(const std::function<void(int)>& body)
{
  for (int i = 0; i < static_cast<int>(cores_.size()); ++i) {
    core(i).fiber.start([this, i, &body] {
      try {
        body(i);
        drain();
      } catch (...) {
        failure_ = std::current_exception();
      }
      core(i).ended = true;
      end_ = std::max(end_, core(i).clock);
      suspend();
    });
    resume_at(0, i);
  }
  while (!events_.empty() && !failure_) {
    const Event next = events_.top();
    events_.pop();
    now_ = next.time;
    next.action();
  }
  if (failure_) std::rethrow_exception(failure_);
  const auto is_left = [](const auto& core) { return !core->ended; };
  const auto left = std::count_if(cores_.begin(), cores_.end(), is_left);
  if (left != 0) throw std::logic_error(std::to_string(left) + " ranks wait for what nobody does");
}

// --- events and fibers

void Simulation::at(double time, std::function<void()> action)
{
  events_.push({std::max(time, now_), events_made_++, std::move(action)});
}

void Simulation::resume(int index)
{
  const int before = running_;
  running_ = index;
  core(index).fiber.resume();
  running_ = before;
}

void Simulation::resume_at(double time, int index)
{
  at(time, [this, index] {
    core(index).clock = std::max(core(index).clock, now_);
    resume(index);
  });
}

void Simulation::suspend()
{
  running().fiber.suspend();
}

// Lets everything happen that comes before the running rank's next step.
void Simulation::catch_up()
{
  if (events_.empty() || events_.top().time > running().clock) {
    now_ = std::max(now_, running().clock);
    return;
  }
  resume_at(running().clock, running_);
  suspend();
}

// --- what ranks do

double Simulation::unevenness()
{
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  return costs_.uneven * static_cast<double>(random_ >> 40) / static_cast<double>(1 << 24);
}

void Simulation::spend(double ns)
{
  running().clock += ns;
}

void Simulation::await_loads(Core& core)
{
  core.clock = std::max(core.clock, core.loads_done);
  core.loads.clear();
}

bool Simulation::read(const void* at, std::uint64_t& value)
{
  Core& me = running();
  catch_up();
  me.clock += costs_.work;
  Line& line = line_of(at);
  if (me.looking && std::find(me.looked_at.begin(), me.looked_at.end(), &line) == me.looked_at.end())
    me.looked_at.push_back(&line);
  for (auto store = me.stores.rbegin(); store != me.stores.rend(); ++store) {
    if (store->at != at) continue;
    value = store->value;
    return true;
  }
  if (line.holders[static_cast<std::size_t>(running_)]) {
    if (const auto arrival = me.arrivals.find(&line); arrival != me.arrivals.end()) {
      if (arrival->second > me.clock)
        wait_for_load(me, arrival->second);
      else
        me.arrivals.erase(arrival);
    }
    foresee(at, Wish::fetch);
    return false;
  }
  if (line.busy || is_kept(line, running_)) {
    ask(line, running_, Wish::fetch);
    suspend();
  } else {
    wait_for_load(me, fetch(line, running_));
  }
  foresee(at, Wish::fetch);
  if (static_cast<double>(me.loads.size()) >= costs_.in_flight) {
    me.clock = std::max(me.clock, me.loads.front());
    me.loads.pop_front();
  }
  return false;
}

void Simulation::follow(const void* word)
{
  Core& me = running();
  if (const auto arrival = me.arrivals.find(&line_of(word)); arrival != me.arrivals.end())
    me.clock = std::max(me.clock, arrival->second);
}

void Simulation::write(void* at, std::uint64_t value, unsigned bytes)
{
  Core& me = running();
  catch_up();
  me.clock += costs_.work + unevenness();
  if (costs_.early) ask_ahead(line_of(at), running_);
  foresee(at, Wish::store);
  const double ready = std::max(me.clock, me.loads_done);
  me.stores.push_back({at, value, bytes, &line_of(at), ready});
  this->at(ready, [this, index = running_] { commit(index); });
}

void Simulation::drain()
{
  Core& me = running();
  await_loads(me);
  catch_up();
  if (me.stores.empty()) return;
  me.draining = true;
  suspend();
}

void Simulation::own(const void* at)
{
  Core& me = running();
  Line& line = line_of(at);
  if (costs_.early) {
    catch_up();
    ask_ahead(line, running_);
  }
  drain();
  if (line.owner == running_ && !line.busy) {
    line.written = true;
    me.clock += costs_.update;
    return;
  }
  ask(line, running_, Wish::update);
  suspend();
}

void Simulation::prefetch_to_write(const void* at)
{
  catch_up();
  spend(costs_.work);
  ask_ahead(line_of(at), running_);
}

void Simulation::prefetch_to_read(const void* at)
{
  catch_up();
  spend(costs_.work);
  Line& line = line_of(at);
  const bool is_here = line.holders[static_cast<std::size_t>(running_)];
  if (!is_here && !line.busy && !is_kept(line, running_)) fetch(line, running_);
}

void Simulation::fence()
{
  drain();
  spend(costs_.update);
}

void Simulation::membarrier()
{
  drain();
  spend(costs_.membarrier);
}

void Simulation::look_again(double ns)
{
  await_loads(running());
  spend(ns);
}

void Simulation::begin_look()
{
  running().looking = true;
  running().looked_at.clear();
}

bool Simulation::end_look(bool succeeded, double pause)
{
  Core& me = running();
  me.looking = false;
  if (succeeded) return true;
  if (me.looked_at.empty()) throw std::logic_error("a wait that looks at nothing");
  await_loads(me);
  const double looked = me.clock;
  catch_up();
  const auto is_here = [&](const Line* line) { return line->holders[static_cast<std::size_t>(running_)]; };
  if (std::all_of(me.looked_at.begin(), me.looked_at.end(), is_here)) {
    for (Line* line : me.looked_at) line->watchers.push_back(running_);
    me.watching = true;
    suspend();
    for (Line* line : me.looked_at) std::erase(line->watchers, running_);
  }
  // It looks each time when a pause and a look are over, so it notices at the next of these times.
  const double period = pause + static_cast<double>(me.looked_at.size()) * costs_.work;
  me.clock = looked + std::max(1.0, std::ceil((me.clock - looked) / period)) * period;
  return false;
}

}  // namespace ranklet::model
