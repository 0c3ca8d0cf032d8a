// Whether data is new to who reads it: it comes from another core's caches line by line, and not from its
// own.
//
// Thread safety: anybody who may read the data.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "terms/types.hpp"

namespace ranklet::p2p {

enum class Found : std::uint8_t { nothing, same, fresh };

// By how fast the first lines come: a look at each, which are to be read next.
inline Found find_out(const void* data, Count bytes) noexcept
{
  constexpr Count line = 64, enough = 64 * line;
  // Nanoseconds for the clock; bytes a nanosecond, where it is 40 and more from a core's own caches, and 5 to
  // 20 from another's.
  constexpr std::int64_t apart = 50, slow = 26;
  const auto* const at = static_cast<const volatile unsigned char*>(data);
  const Count looked_at = std::min(bytes, enough);
  const auto begin = std::chrono::steady_clock::now();
  for (Count i = 0; i < looked_at; i += line) static_cast<void>(at[i]);
  const std::chrono::nanoseconds duration = std::chrono::steady_clock::now() - begin;
  return (duration.count() - apart) * slow > looked_at ? Found::fresh : Found::same;
}

}  // namespace ranklet::p2p
