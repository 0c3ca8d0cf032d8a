// What a member has against a collective call on a file: it says so where all meet, and all throw it.
#pragma once

#include <optional>

#include "terms/error.hpp"

namespace ranklet::io {

template <class Body>
std::optional<Error> refusal_of(Body&& body)
{
  try {
    body();
    return {};
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace ranklet::io
