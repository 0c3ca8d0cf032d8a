// Addresses that are counted by number.
#pragma once

#include <cstdint>

namespace ranklet {

// The byte `offset` bytes after base, which may be null: at MPI_BOTTOM offsets are addresses, and so are the
// values of symbols outside of every file. From a null pointer the language counts nothing but 0.
template <typename Byte>
Byte* byte_at(Byte* base, std::int64_t offset) noexcept
{
  static_assert(sizeof(Byte) == 1);
  return reinterpret_cast<Byte*>(reinterpret_cast<std::uintptr_t>(base) +
                                 static_cast<std::uintptr_t>(offset));
}

}  // namespace ranklet
