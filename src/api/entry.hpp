// What the generated entry points include and use.
#pragma once

// The rest of the library is compiled with hidden visibility; these are its interface.
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <cstdint>
#include <type_traits>

#include "api/functions.hpp"

namespace ranklet::api {

// An argument as the note of a call keeps it.
using Word = std::int64_t;

template <typename T>
Word word(T value) noexcept
{
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<Word>(value);
  else
    return static_cast<Word>(value);
}

// A handle as a number and back (MPI 5.0 §20.4, §19.3.4); any number is taken, its use may fail.
template <typename To, typename From>
To cast(From value) noexcept
{
  if constexpr (std::is_pointer_v<From>)
    return static_cast<To>(reinterpret_cast<std::intptr_t>(value));
  else
    return reinterpret_cast<To>(static_cast<std::intptr_t>(value));
}

// Reports that a function is not implemented and returns an error code if the error handler returns.
[[gnu::cold, gnu::noinline]] int unsupported(const FunctionInfo& function, bool large, const Word* words,
                                             const void* site);

}  // namespace ranklet::api
