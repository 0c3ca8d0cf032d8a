// What cache lines do in the simulation.
#include <algorithm>
#include <cstring>
#include <utility>

#include "simulation.hpp"

namespace ranklet::model {

// Of a transfer, whose request may have been on its way while the line was not free.
double Simulation::rest_of(double transfer, double waited) const
{
  return transfer - std::min(waited, costs_.request * transfer);
}

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
double Simulation::fetch(Line& line, int index, double waited)
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
  const double done = start + rest_of(distance * costs_.fetch, waited);
  line.next_service = start + costs_.service;
  if (costs_.moves && line.written && from != index) {
    move(line, index, done);
  } else {
    line.fetched = std::max(line.fetched, done);
    line.owner = -1;
    line.holders.set(static_cast<std::size_t>(index));
  }
  line.written = false;
  reader.arrivals[&line] = done;
  ++traffic_.fetches;
  traffic_.hops += distance;
  return done;
}

// What the core's prefetcher makes of an access.
void Simulation::foresee(const void* at, Wish wish)
{
  constexpr std::uintptr_t lines_of_page = 64;
  Core& me = running();
  const std::uintptr_t number = number_of(at);
  Run& run = me.runs[number / lines_of_page];
  if (run.last == number) return;
  run.length = run.last + 1 == number ? run.length + 1 : 1;
  run.last = number;
  if (run.length < costs_.run) return;
  const double part = (run.length - costs_.run) / std::max(1.0, 8 - costs_.run);
  const auto most = static_cast<std::uintptr_t>(1 + std::min(1.0, part) * (costs_.ahead - 1));
  for (std::uintptr_t next = number + 1; next <= number + most && next % lines_of_page != 0; ++next) {
    const auto known = lines_.find(next);
    if (known == lines_.end()) continue;
    Line& line = known->second;
    if (line.busy || is_kept(line, running_)) continue;
    if (wish == Wish::store) ask_ahead(line, running_);
    if (wish == Wish::store || line.holders[static_cast<std::size_t>(running_)]) continue;
    fetch(line, running_);
  }
}

void Simulation::wait_for_load(Core& core, double done)
{
  core.loads.push_back(done);
  core.loads_done = std::max(core.loads_done, done);
}

// To one who has only asked to read it.
void Simulation::move(Line& line, int index, double done)
{
  line.holders.reset();
  line.holders.set(static_cast<std::size_t>(index));
  line.owner = index;
  line.busy = true;
  line.arrives = done;
  wake_watchers(line);
  at(done, [this, &line, index] {
    line.busy = false;
    line.kept_until = now_ + costs_.hold;
    commit(index);
    serve(line);
  });
}

bool Simulation::is_kept(const Line& line, int index) const
{
  return line.owner >= 0 && line.owner != index && now_ < line.kept_until;
}

void Simulation::ask(Line& line, int index, Wish wish)
{
  line.queue.push_back({index, wish, now_});
  serve(line);
}

void Simulation::serve(Line& line)
{
  while (!line.busy && !line.queue.empty()) {
    const Request request = line.queue.front();
    if (is_kept(line, request.core)) {
      at(line.kept_until, [this, &line] { serve(line); });
      return;
    }
    line.queue.pop_front();
    if (request.wish == Wish::fetch) {
      Core& reader = core(request.core);
      reader.clock = std::max(reader.clock, now_);
      wait_for_load(reader, fetch(line, request.core, now_ - request.asked));
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
    at(start + rest_of(farthest * costs_.invalidate, start - request.asked) + held,
       [this, &line, request] { grant(line, request); });
  }
}

void Simulation::grant(Line& line, Request request)
{
  line.holders.reset();
  line.holders.set(static_cast<std::size_t>(request.core));
  line.owner = request.core;
  line.busy = false;
  line.written = request.wish == Wish::update;
  line.arrives = now_;
  line.kept_until = now_ + costs_.hold;
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
    if (store.line->owner != index || now_ < store.line->arrives) break;
    store.line->written = true;
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
