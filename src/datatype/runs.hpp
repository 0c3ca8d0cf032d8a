// Where the data of a typed buffer lies, run by run.
#pragma once

#include <cstdint>

#include "datatype/cursor.hpp"
#include "terms/types.hpp"

namespace ranklet {

// Calls f(char* at, Count bytes) for the runs of `count` elements, in the order of the data. Basic types are
// never cut, but a pair with a gap inside is two runs.
template <class F>
void for_each_run(void* address, Count count, const Datatype& type, F&& f)
{
  // By number: address may be MPI_BOTTOM, which pointers must not be counted from.
  const auto base = reinterpret_cast<std::uintptr_t>(address);
  const auto at = [base](Count place) {
    return reinterpret_cast<char*>(base + static_cast<std::uintptr_t>(place));
  };
  if (type.is_contiguous()) {
    if (count > 0 && type.size() > 0) f(at(0), count * type.size());
    return;
  }
  Cursor cursor(type, count, 0);
  while (cursor.fill()) {
    const Count bytes = cursor.left_in_run();
    f(at(cursor.place()), bytes);
    cursor.use_bytes(bytes);
  }
}

}  // namespace ranklet
