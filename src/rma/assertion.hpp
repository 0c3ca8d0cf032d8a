// Checking the assertions of synchronising calls.
#pragma once

#include "terms/error.hpp"

namespace ranklet::rma {

inline void check_assertion(int assertion, int allowed)
{
  if ((assertion & ~allowed) != 0) [[unlikely]]
    fail(ErrorClass::assert, "assert %#x has bits that the call does not take",
         static_cast<unsigned>(assertion));
}

}  // namespace ranklet::rma
