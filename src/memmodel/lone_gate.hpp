// Sections that cost no lock while one thread at a time is in them, until it is said that several may come;
// from then on everybody locks.
//
// Thread safety: the one thread, and who says it, at the same time; after end() any thread. Invariants:
//  1. Nobody is in a section without the lock after end() has returned.
//  2. What was done in a section is visible in later ones.
#pragma once

#include "memmodel/flag.hpp"
#include "memmodel/gate.hpp"

namespace ranklet::memmodel {

template <class Sys = Native>
class LoneGate {
 public:
  // True: the caller is alone until leave(). False: it takes the lock.
  bool enter() noexcept
  {
    // Looked at first, as then nobody is alone: several threads must not enter as the lone one. relaxed: they
    // come after end() has returned to the user.
    if (gate_.looks_closed()) [[unlikely]]
      return false;
    return gate_.enter(lone_, false);
  }
  void leave() noexcept { gate_.leave(lone_, false); }

  // Several threads may come from now on. Waits for the section that the one is in; sections are short.
  void end() noexcept
  {
    gate_.close();
    while (lone_.is_inside()) Sys::yield();
  }

 private:
  Gate<Sys> gate_;
  typename Gate<Sys>::Passer lone_;
};

}  // namespace ranklet::memmodel
