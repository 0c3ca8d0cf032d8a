// Strings that calls hand out.
#pragma once

#include <cstring>
#include <string_view>

namespace ranklet::api {

// Copies text and a final zero into a buffer of `capacity` characters, cut where it is too long; returns the
// number of characters without the zero.
inline int hand_out(char* buffer, std::size_t capacity, std::string_view text) noexcept
{
  const std::size_t length = text.size() < capacity ? text.size() : capacity - 1;
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
  return static_cast<int>(length);
}

}  // namespace ranklet::api
