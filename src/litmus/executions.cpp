#include "litmus/executions.hpp"

#include <algorithm>
#include <stdexcept>

namespace ranklet::litmus {

namespace {

// Chooses, location by location, an order of the writes, and then for each load a write to read from.
class Explorer {
 public:
  Explorer(const Program& program, const std::vector<Observed>& observed, ThinAir thin_air)
      : observed_(observed), thin_air_(thin_air)
  {
    const int locations = static_cast<int>(program.initial.size());
    writes_.resize(locations);
    x_.modification_order.resize(locations);
    for (int l = 0; l < locations; ++l) add({store(l, program.initial[l], Order::relaxed), -1, 0});
    for (std::size_t t = 0; t < program.threads.size(); ++t)
      for (std::size_t i = 0; i < program.threads[t].size(); ++i)
        add({program.threads[t][i], static_cast<int>(t), static_cast<int>(i)});
    if (x_.events.size() > max_events) throw std::invalid_argument("litmus: too many events");
    x_.reads_from.assign(x_.events.size(), -1);
    for (int l = 0; l < locations; ++l) x_.modification_order[l] = {l};
  }

  Behaviour run()
  {
    order_writes(0);
    return found_;
  }

 private:
  void add(const Event& event)
  {
    const int e = static_cast<int>(x_.events.size());
    x_.events.push_back(event);
    if (event.thread >= 0 && event.op.writes()) writes_[event.op.location].push_back(e);
    if (event.op.kind == Kind::load) loads_.push_back(e);
  }

  void order_writes(std::size_t location)
  {
    if (location == writes_.size()) {
      read_values(0);
      return;
    }
    auto& order = x_.modification_order[location];
    if (order.size() == writes_[location].size() + 1) {
      order_writes(location + 1);
      return;
    }
    for (const int w : writes_[location]) {
      if (std::find(order.begin(), order.end(), w) != order.end() || skips_own(location, w)) continue;
      if (x_.events[w].op.kind == Kind::update) x_.reads_from[w] = order.back();
      order.push_back(w);
      order_writes(location);
      order.pop_back();
    }
  }

  // An earlier write of the same thread is not placed yet: the order would contradict coherence.
  bool skips_own(std::size_t location, int w) const
  {
    const auto& order = x_.modification_order[location];
    return std::any_of(writes_[location].begin(), writes_[location].end(), [&](int other) {
      return other < w && x_.events[other].thread == x_.events[w].thread &&
             std::find(order.begin(), order.end(), other) == order.end();
    });
  }

  void read_values(std::size_t which)
  {
    if (which == loads_.size()) {
      judge_candidate();
      return;
    }
    const int read = loads_[which];
    const Op& op = x_.events[read].op;
    for (const int w : x_.modification_order[op.location]) {
      const Op& write = x_.events[w].op;
      // Most loops wait for a constant: no need to try what does not store it.
      const bool constant = write.kind == Kind::store && !write.from;
      if (op.expect && constant && (write.value & op.mask) != *op.expect) continue;
      x_.reads_from[read] = w;
      read_values(which + 1);
    }
    x_.reads_from[read] = -1;
  }

  void judge_candidate()
  {
    ++found_.candidates;
    values_.assign(x_.events.size(), {});
    depth_ = 0;
    for (std::size_t e = 0; e < x_.events.size(); ++e) {
      const Op& op = x_.events[e].op;
      if (!op.reads()) continue;
      int value = 0;
      if (!value_read(static_cast<int>(e), value)) return;
      if (op.expect && (value & op.mask) != *op.expect) return;
    }
    const Judgement judgement = judge(x_, thin_air_);
    if (!judgement.consistent) return;
    ++found_.consistent;
    found_.race |= judgement.race;
    std::vector<int> outcome;
    for (const Observed& what : observed_) outcome.push_back(value_of(what));
    found_.outcomes.insert(outcome);
  }

  // False if the value rests upon itself: it would come out of thin air.
  bool value_read(int read, int& value)
  {
    if (values_[read]) {
      value = *values_[read];
      return true;
    }
    if (++depth_ > static_cast<int>(x_.events.size())) return false;
    const bool found = value_written(x_.reads_from[read], value);
    --depth_;
    if (found) values_[read] = value;
    return found;
  }
  bool value_written(int write, int& value)
  {
    const Event& event = x_.events[write];
    if (event.op.kind == Kind::update) {
      if (!value_read(write, value)) return false;
      value += event.op.value;
      return true;
    }
    // The events of a thread lie one after the other.
    if (event.op.from) return value_read(write - event.index + *event.op.from, value);
    value = event.op.value;
    return true;
  }

  int value_of(const Observed& what)
  {
    int value = 0;
    if (what.location >= 0) {
      value_written(x_.modification_order[what.location].back(), value);
      return value;
    }
    for (std::size_t e = 0; e < x_.events.size(); ++e)
      if (x_.events[e].thread == what.thread && x_.events[e].index == what.op) return *values_[e];
    throw std::invalid_argument("litmus: no such operation");
  }

  const std::vector<Observed>& observed_;
  ThinAir thin_air_;
  Execution x_;
  std::vector<std::vector<int>> writes_;  // of each location, without the initial one
  std::vector<int> loads_;
  std::vector<std::optional<int>> values_;  // read by each event
  int depth_ = 0;
  Behaviour found_;
};

}  // namespace

Behaviour explore(const Program& program, const std::vector<Observed>& observed, ThinAir thin_air)
{
  return Explorer(program, observed, thin_air).run();
}

const char* name(Verdict verdict)
{
  switch (verdict) {
    case Verdict::forbidden:
      return "forbidden";
    case Verdict::allowed:
      return "allowed";
    case Verdict::racy:
      return "racy";
  }
  return "?";
}

Verdict verdict(const Program& program, const Condition& condition, ThinAir thin_air)
{
  const Behaviour all = explore(program, condition.observed, thin_air);
  if (all.race) return Verdict::racy;
  return all.outcomes.count(condition.values) != 0 ? Verdict::allowed : Verdict::forbidden;
}

}  // namespace ranklet::litmus
