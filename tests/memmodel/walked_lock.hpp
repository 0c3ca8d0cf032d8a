// The spin lock as walks see it that are about something else, with many locks and unlocks: a thread that
// waits for it is in one state, however often it has looked. test_token_walk.cpp walks the real one. Not for
// programs that walk both.
//
// What the lock guards may be plain variables, of which the scheduler knows nothing. They follow from what
// its holders did, and in which order, so the lock hands that from holder to holder as part of the
// state.
#pragma once

#include "memmodel/flag.hpp"
#include "scheduler.hpp"

namespace ranklet::memmodel {

template <>
class RANKLET_LOCK SpinLock<explore::Explored> {
 public:
  void lock() noexcept RANKLET_ACQUIRES()
  {
    explore::Explored::await([&] { return word_.exchange(1, std::memory_order_acquire) == 0; });
    holders_.get();
  }
  void unlock() noexcept RANKLET_RELEASES()
  {
    holders_.set(explore::engine::begin_turn().history);
    word_.store(0, std::memory_order_release);
  }

 private:
  explore::Explored::atomic<std::uint32_t> word_{0};
  explore::Explored::data<std::uint64_t> holders_;
};

}  // namespace ranklet::memmodel
