#include "litmus/axioms.hpp"

namespace ranklet::litmus {

namespace {

class Judge {
 public:
  explicit Judge(const Execution& x)
      : x_(x),
        n_(static_cast<int>(x.events.size())),
        sequenced_(n_),
        initially_(n_),
        reads_from_(n_),
        coherence_(n_),
        synchronizes_(n_),
        happens_(n_)
  {
    order_threads();
    order_locations();
    find_synchronization();
    happens_ = (sequenced_ | initially_ | synchronizes_).closure();
  }

  bool consistent(ThinAir thin_air) const
  {
    if (!happens_.irreflexive()) return false;
    // The four coherence rules of [intro.races]/15 to 18 in one: nobody is coherence-ordered before what
    // happens before it.
    if (!(happens_ * coherence_).irreflexive()) return false;
    if (thin_air == ThinAir::program_order && !(sequenced_ | reads_from_).acyclic()) return false;
    return has_total_order();
  }

  bool race() const
  {
    for (int a = 0; a < n_; ++a)
      for (int b = a + 1; b < n_; ++b) {
        const Event &p = x_.events[a], &q = x_.events[b];
        const bool conflict =
            p.op.location >= 0 && p.op.location == q.op.location && (p.op.writes() || q.op.writes());
        const bool atomic = p.op.order != Order::plain && q.op.order != Order::plain;
        if (conflict && !atomic && !happens_.has(a, b) && !happens_.has(b, a)) return true;
      }
    return false;
  }

 private:
  const Op& op(int event) const { return x_.events[event].op; }
  bool sequential(int event) const { return op(event).order == Order::seq_cst; }
  bool is_fence(int event) const { return op(event).kind == Kind::fence; }

  void order_threads()
  {
    for (int a = 0; a < n_; ++a)
      for (int b = 0; b < n_; ++b) {
        const Event &p = x_.events[a], &q = x_.events[b];
        if (p.thread < 0 && q.thread >= 0) initially_.add(a, b);
        if (p.thread >= 0 && p.thread == q.thread && p.index < q.index) sequenced_.add(a, b);
      }
  }

  // Coherence-ordered before, [atomics.order]/3: reads-from, modification order, from a read to the writes
  // that follow the one it read, and chains of these.
  void order_locations()
  {
    Relation step(n_);
    for (const auto& writes : x_.modification_order)
      for (std::size_t i = 0; i + 1 < writes.size(); ++i) step.add(writes[i], writes[i + 1]);
    const Relation modification = step.closure();
    for (int read = 0; read < n_; ++read) {
      const int write = x_.reads_from[read];
      if (write < 0) continue;
      reads_from_.add(write, read);
      for (int later = 0; later < n_; ++later)
        if (later != read && modification.has(write, later)) step.add(read, later);
    }
    coherence_ = (step | reads_from_).closure();
  }

  // From what releases to what acquires: the operation itself or a fence on the right side of it.
  void find_synchronization()
  {
    for (int read = 0; read < n_; ++read) {
      if (x_.reads_from[read] < 0 || op(read).order == Order::plain) continue;
      // The release sequences that contain the write: headed by it and, as long as these are updates, by what
      // they read from ([intro.races]/5; since C++20 only read-modify-writes continue one).
      for (int head = x_.reads_from[read]; head >= 0; head = x_.reads_from[head]) {
        if (op(head).order != Order::plain && x_.events[head].thread >= 0)
          for (const int from : releasing(head))
            for (const int to : acquiring(read))
              if (x_.events[from].thread != x_.events[to].thread) synchronizes_.add(from, to);
        if (op(head).kind != Kind::update) break;
      }
    }
  }

  std::vector<int> releasing(int write) const
  {
    std::vector<int> found;
    if (releases(op(write).order)) found.push_back(write);
    for (int f = 0; f < n_; ++f)
      if (is_fence(f) && releases(op(f).order) && sequenced_.has(f, write)) found.push_back(f);
    return found;
  }
  std::vector<int> acquiring(int read) const
  {
    std::vector<int> found;
    if (acquires(op(read).order)) found.push_back(read);
    for (int f = 0; f < n_; ++f)
      if (is_fence(f) && acquires(op(f).order) && sequenced_.has(read, f)) found.push_back(f);
    return found;
  }

  // Strongly happens before, [intro.races]/12, without the cases that need a program's start and end.
  Relation strongly_happens() const
  {
    Relation step = sequenced_ | initially_ | sequenced_ * happens_ * sequenced_;
    for (int a = 0; a < n_; ++a)
      for (int b = 0; b < n_; ++b)
        if (synchronizes_.has(a, b) && sequential(a) && sequential(b) && !is_fence(a) && !is_fence(b))
          step.add(a, b);
    return step.closure();
  }

  // The single total order S of all seq_cst operations and fences exists, [atomics.order]/4: what it must
  // contain has no cycle.
  bool has_total_order() const
  {
    const Relation strongly = strongly_happens();
    Relation required(n_);
    for (int x = 0; x < n_; ++x)
      for (int y = 0; y < n_; ++y) {
        if (!sequential(x) || !sequential(y)) continue;
        if (strongly.has(x, y) || coherent_between(x, y)) required.add(x, y);
      }
    return required.acyclic();
  }

  // [atomics.order]/4.1 to 4.4: an A that is x, or after the fence x, is coherence-ordered before a B that is
  // y, or before the fence y.
  bool coherent_between(int x, int y) const
  {
    for (int a = 0; a < n_; ++a) {
      if (!(a == x ? !is_fence(x) : is_fence(x) && happens_.has(x, a))) continue;
      for (int b = 0; b < n_; ++b) {
        const bool before_y = b == y ? !is_fence(y) : is_fence(y) && happens_.has(b, y);
        if (before_y && coherence_.has(a, b)) return true;
      }
    }
    return false;
  }

  const Execution& x_;
  int n_;
  Relation sequenced_, initially_, reads_from_, coherence_, synchronizes_, happens_;
};

}  // namespace

Judgement judge(const Execution& execution, ThinAir thin_air)
{
  const Judge judge(execution);
  if (!judge.consistent(thin_air)) return {};
  return {true, judge.race()};
}

}  // namespace ranklet::litmus
