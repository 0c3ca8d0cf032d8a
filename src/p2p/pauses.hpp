// When to do again what was in vain: after each time twice as many occasions are left out, up to a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ranklet::p2p {

class alignas(4) Pauses {
 public:
  // Whether this occasion is one of those that are left out.
  bool leave_out() noexcept
  {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  // For an occasion that is not left out: whether what it brings is to be looked at. The first one after a
  // pause says nothing, as what was in the caches may have left them meanwhile.
  bool look() noexcept { return is_any() && left_ == 0 && std::exchange(first_is_over_, true); }
  void lengthen() noexcept
  {
    left_ = last_ = static_cast<std::uint8_t>(std::min(2 * last_ + 1, longest));
    first_is_over_ = false;
  }
  // It was not in vain.
  void end() noexcept { left_ = last_ = 0; }
  bool is_any() const noexcept { return last_ != 0; }

 private:
  static constexpr int longest = 63;

  // As wide together, and aligned, as an atomic word.
  std::uint16_t left_ = 0;
  std::uint8_t last_ = 0;
  bool first_is_over_ = false;
};

}  // namespace ranklet::p2p
