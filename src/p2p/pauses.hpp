// When to do again what was in vain: after each time twice as many occasions are left out, up to a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ranklet::p2p {

class Pauses {
 public:
  // Whether this occasion is one of those that are left out.
  bool leave_out() noexcept
  {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  // Whether one that is not left out says how the next ones will be. The first one after a pause does not:
  // what it finds may have left the caches meanwhile.
  bool says_much() noexcept { return is_any() && std::exchange(is_second_, true); }
  void lengthen() noexcept
  {
    left_ = last_ = static_cast<std::uint8_t>(std::min(2 * last_ + 1, longest));
    is_second_ = false;
  }
  // It was not in vain.
  void end() noexcept { left_ = last_ = 0; }
  bool is_any() const noexcept { return last_ != 0; }

 private:
  static constexpr int longest = 63;

  std::uint8_t left_ = 0;
  std::uint8_t last_ = 0;
  bool is_second_ = false;
  bool unused_ = false;  // an atomic one has no padding
};

}  // namespace ranklet::p2p
