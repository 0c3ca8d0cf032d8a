// The two ways to a place behind a Gate: passing, when nobody has closed it, and closing it to be alone. A
// lock of the gate's excludes those who close, and lets passers wait for them.
//
// Thread safety: any thread. Invariants, beside those of Gate:
//  1. While a ClosedGate lives nobody passes that gate.
//  2. It comes to be, however passers take turns at several gates: a passer is its owner's for all of them,
//     so after `patience` looks all gates are closed, when nobody comes in any more. They are closed in the
//     order of their numbers, as several may do this.
#pragma once

#include <limits>

#include "memmodel/flag.hpp"
#include "memmodel/gate.hpp"

namespace ranklet::memmodel {

// Calls body() as one of those who pass. shared: other threads may pass with this passer at the same time.
template <class Sys, class Body>
void pass(Gate<Sys>& gate, SpinLock<Sys>& lock, typename Gate<Sys>::Passer& passer, bool shared, Body&& body)
{
  // The thread that has closed it is at work, and holds the lock.
  while (!gate.enter(passer, shared)) [[unlikely]]
    {
      const Holder guard(lock);
    }
  body();
  gate.leave(passer, shared);
}

// Gates: places 0 … count() - 1, each with gate(i), lock(i), and passer(i), which passes any of the gates.
template <class Gates, class Sys = Native>
class ClosedGate {
 public:
  ClosedGate(Gates gates, int place, int patience) : gates_(gates), place_(place)
  {
    close(place);
    if (await_passers(patience)) return;
    open(place);
    for (int i = 0; i < gates_.count(); ++i) close(i);
    await_passers(std::numeric_limits<int>::max());
    for (int i = 0; i < gates_.count(); ++i)
      if (i != place) open(i);
  }
  ~ClosedGate() { open(place_); }
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;

 private:
  // Unchecked: what close() locks, open() unlocks.
  void close(int place) noexcept RANKLET_UNCHECKED
  {
    gates_.lock(place).lock();
    gates_.gate(place).close();
  }
  void open(int place) noexcept RANKLET_UNCHECKED
  {
    gates_.gate(place).open();
    gates_.lock(place).unlock();
  }
  // Each passer has been seen outside; false if it takes more looks than that. A passer changes a little
  // while it is inside, and waits for nobody.
  bool await_passers(int looks) const noexcept
  {
    for (int i = 0; i < gates_.count(); ++i)
      for (; gates_.passer(i).is_inside(); Sys::yield())
        if (looks-- == 0) return false;
    return true;
  }

  Gates gates_;
  const int place_;
};

}  // namespace ranklet::memmodel
