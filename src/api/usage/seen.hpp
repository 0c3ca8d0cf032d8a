// In a call a thread is unseen by the detector of data races (base/race_detector.hpp), but for what the
// narrator has to tell.
#pragma once

#include "base/race_detector.hpp"
#include "check/check.hpp"

namespace ranklet::api {

class Seen {
 public:
  Seen() noexcept { races::end_unseen(); }
  ~Seen() { races::begin_unseen(); }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;
};

// The thread is the fiber, which comes after what the thread has done so far.
class InFiber {
 public:
  InFiber(races::Fiber fiber, const check::Token& begun) noexcept : outer_(races::current_fiber())
  {
    {
      const Seen seen;
      races::order_from(&begun);
    }
    races::switch_to(fiber);
    races::order_to(&begun);
  }
  ~InFiber() { races::switch_to(outer_); }
  InFiber(const InFiber&) = delete;
  InFiber& operator=(const InFiber&) = delete;

 private:
  const races::Fiber outer_;
};

}  // namespace ranklet::api
