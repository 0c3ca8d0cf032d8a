// What the generated entry points include and use.
#pragma once

#include "api/entry/call.hpp"
#include "api/entry/checks.hpp"
#include "api/handles/views.hpp"

namespace ranklet::api {

// A handle as a number and back (MPI 5.0 §20.4, §19.3.4); any number is taken, its use may fail.
template <typename To, typename From>
To cast(From value) noexcept
{
  if constexpr (std::is_pointer_v<From>)
    return static_cast<To>(reinterpret_cast<std::intptr_t>(value));
  else
    return reinterpret_cast<To>(static_cast<std::intptr_t>(value));
}

}  // namespace ranklet::api
