// Relations between at most 64 events, as rows of bits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace ranklet::litmus {

constexpr int max_events = 64;

class Relation {
 public:
  explicit Relation(int events) : events_(events) {}

  void add(int a, int b) { rows_[a] |= bit(b); }
  bool has(int a, int b) const { return (rows_[a] & bit(b)) != 0; }
  std::uint64_t row(int a) const { return rows_[a]; }

  Relation& operator|=(const Relation& other)
  {
    for (int a = 0; a < events_; ++a) rows_[a] |= other.rows_[a];
    return *this;
  }
  friend Relation operator|(Relation a, const Relation& b) { return a |= b; }
  // First a step of the left one, then a step of the right one.
  friend Relation operator*(const Relation& first, const Relation& second)
  {
    Relation both(first.events_);
    for (int a = 0; a < first.events_; ++a)
      for (std::uint64_t rest = first.rows_[a]; rest != 0; rest &= rest - 1)
        both.rows_[a] |= second.rows_[std::countr_zero(rest)];
    return both;
  }
  Relation closure() const
  {
    Relation all = *this;
    for (int via = 0; via < events_; ++via)
      for (int a = 0; a < events_; ++a)
        if (all.has(a, via)) all.rows_[a] |= all.rows_[via];
    return all;
  }
  // Of a transitive relation: it has no cycle.
  bool irreflexive() const
  {
    for (int a = 0; a < events_; ++a)
      if (has(a, a)) return false;
    return true;
  }
  bool acyclic() const { return closure().irreflexive(); }

 private:
  static constexpr std::uint64_t bit(int b) { return std::uint64_t{1} << b; }

  int events_;
  std::array<std::uint64_t, max_events> rows_{};
};

}  // namespace ranklet::litmus
