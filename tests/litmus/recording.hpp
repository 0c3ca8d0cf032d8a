// A machine for the structures of src/memmodel that writes down which atomic accesses and fences they make.
#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "litmus/program.hpp"

namespace ranklet::litmus {

struct Recording {
  static inline std::vector<Op> ops;

  // What has been done since the last call.
  static std::vector<Op> take() { return std::exchange(ops, {}); }

  static Order order(std::memory_order o)
  {
    switch (o) {
      case std::memory_order_relaxed:
        return Order::relaxed;
      case std::memory_order_release:
        return Order::release;
      case std::memory_order_acq_rel:
        return Order::acq_rel;
      case std::memory_order_seq_cst:
        return Order::seq_cst;
      default:
        return Order::acquire;
    }
  }
  static void note(Kind kind, std::memory_order o) { ops.push_back({kind, order(o)}); }

  static void fence(std::memory_order o) { note(Kind::fence, o); }
  template <class Word, class T>
  static T fence_and_add(Word& word, T amount)
  {
    fence(std::memory_order_seq_cst);
    return word.fetch_add(amount, std::memory_order_release);
  }

  template <class T>
  class atomic {
   public:
    atomic(T value = {}) : value_(value) {}
    T load(std::memory_order o) const
    {
      note(Kind::load, o);
      return value_;
    }
    void store(T value, std::memory_order o)
    {
      note(Kind::store, o);
      value_ = value;
    }
    T fetch_add(T value, std::memory_order o)
    {
      note(Kind::update, o);
      return std::exchange(value_, static_cast<T>(value_ + value));
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order o, std::memory_order failed)
    {
      const bool same = value_ == expected;
      note(same ? Kind::update : Kind::load, same ? o : failed);
      (same ? value_ : expected) = same ? desired : value_;
      return same;
    }

   private:
    T value_;
  };
};

}  // namespace ranklet::litmus
