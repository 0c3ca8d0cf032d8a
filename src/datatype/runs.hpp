// Where the data of a typed buffer lies, run by run.
#pragma once

#include "base/byte_at.hpp"
#include "datatype/cursor.hpp"
#include "terms/types.hpp"

namespace ranklet {

// Calls f(char* at, Count bytes) for the runs of `count` elements, in the order of the data. Basic types are
// never cut, but a pair with a gap inside is two runs.
template <class F>
void for_each_run(void* address, Count count, const Datatype& type, F&& f)
{
  char* const base = static_cast<char*>(address);
  if (type.is_contiguous()) {
    if (count > 0 && type.size() > 0) f(base, count * type.size());
    return;
  }
  Cursor cursor(type, count, 0);
  while (cursor.fill()) {
    const Count bytes = cursor.left_in_run();
    f(byte_at(base, cursor.place()), bytes);
    cursor.use_bytes(bytes);
  }
}

}  // namespace ranklet
