// What cache lines do in the simulation.
#include <algorithm>
#include <cstring>
#include <utility>

#include "simulation.hpp"

namespace ranklet::model {

// When one who asks for a line then has its turn.
double Simulation::pass_links(int from, int to, double start)
{
  const auto pass = [&](int of_sender, int of_reader, double Links::*free, double apart) {
    if (of_sender == of_reader) return;
    double& next = links_[static_cast<std::size_t>(of_reader)].*free;
    start = std::max(start, next);
    next = start + apart;
  };
  const Links &sender = links_[static_cast<std::size_t>(from)],
              &reader = links_[static_cast<std::size_t>(to)];
  pass(sender.package, reader.package, &Links::package_free, costs_.package_link);
  pass(sender.l3, reader.l3, &Links::l3_free, costs_.l3_link);
  return start;
}

// The line answers at once, as nobody takes it.
void Simulation::fetch(Line& line, int index)
{
  Core& reader = core(index);
  // What nobody has comes from memory: as far as the nearest neighbour.
  double distance = 1;
  int from = index;
  for (int i = 0; i < machine_.cores; ++i)
    if (line.holders[static_cast<std::size_t>(i)] &&
        (from == index || machine_.distance(i, index) < distance)) {
      from = i;
      distance = machine_.distance(i, index);
    }
  const double start = std::max(pass_links(from, index, reader.clock), line.next_service);
  const double done = start + distance * costs_.fetch;
  line.next_service = start + costs_.service;
  line.fetched = std::max(line.fetched, done);
  line.owner = -1;
  line.holders.set(static_cast<std::size_t>(index));
  reader.loads.push_back(done);
  reader.loads_done = std::max(reader.loads_done, done);
  ++traffic_.fetches;
  traffic_.hops += distance;
}

void Simulation::ask(Line& line, int index, Wish wish)
{
  line.queue.push_back({index, wish});
  serve(line);
}

void Simulation::serve(Line& line)
{
  while (!line.busy && !line.queue.empty()) {
    const Request request = line.queue.front();
    line.queue.pop_front();
    if (request.wish == Wish::fetch) {
      Core& reader = core(request.core);
      reader.clock = std::max(reader.clock, now_);
      fetch(line, request.core);
      resume_at(reader.clock, request.core);
      continue;
    }
    double farthest = 0;
    for (int i = 0; i < machine_.cores; ++i) {
      if (i == request.core || !line.holders[static_cast<std::size_t>(i)]) continue;
      const double distance = machine_.distance(i, request.core);
      farthest = std::max(farthest, distance);
      ++traffic_.invalidations;
      traffic_.hops += distance;
    }
    // From memory.
    if (line.holders.none()) farthest = 1;
    line.busy = true;
    const double start = std::max(now_, line.fetched);
    const double held = request.wish == Wish::update ? costs_.update : 0;
    at(start + farthest * costs_.invalidate + held, [this, &line, request] { grant(line, request); });
  }
}

void Simulation::grant(Line& line, Request request)
{
  line.holders.reset();
  line.holders.set(static_cast<std::size_t>(request.core));
  line.owner = request.core;
  line.busy = false;
  Core& writer = core(request.core);
  if (request.wish == Wish::store) {
    std::erase(writer.asked, &line);
    commit(request.core);
  }
  wake_watchers(line);
  serve(line);
  if (request.wish == Wish::update) {
    // It changes the word before anything else happens.
    writer.clock = std::max(writer.clock, now_);
    resume(request.core);
  }
}

void Simulation::wake_watchers(Line& line)
{
  for (const int index : line.watchers)
    if (std::exchange(core(index).watching, false)) resume_at(now_, index);
  line.watchers.clear();
}

// For a store: a core has a few such questions under way, each once.
void Simulation::ask_ahead(Line& line, int index)
{
  Core& me = core(index);
  if (line.owner == index || static_cast<double>(me.asked.size()) >= costs_.stores_in_flight) return;
  if (std::find(me.asked.begin(), me.asked.end(), &line) != me.asked.end()) return;
  me.asked.push_back(&line);
  ask(line, index, Wish::store);
}

// Makes visible what can be, in order.
void Simulation::commit(int index)
{
  Core& me = core(index);
  while (!me.stores.empty()) {
    const Store store = me.stores.front();
    if (store.ready > now_) break;
    if (store.line->owner != index) break;
    std::memcpy(store.at, &store.value, store.bytes);
    me.stores.pop_front();
  }
  for (const Store& store : me.stores) {
    if (store.ready > now_) break;
    ask_ahead(*store.line, index);
  }
  if (me.stores.empty() && me.draining) {
    me.draining = false;
    resume_at(now_, index);
  }
}

}  // namespace ranklet::model
