// For overrides of calls on descriptors: whether the calling rank has a say, and what the kernel calls it.
#pragma once

#include "libc/libc_state.hpp"

namespace ranklet::loader {

// The calling rank's descriptors if they decide about this one, else nullptr: the kernel's answer is right.
inline Descriptors* owner_of(int descriptor) noexcept
{
  LibcState* const state = current_libc();
  return state != nullptr && state->descriptors.owns(descriptor) ? &state->descriptors : nullptr;
}

// The kernel's descriptor; -1, for which calls fail with EBADF, if the rank has closed it.
inline int real_of(int descriptor)
{
  Descriptors* const owner = owner_of(descriptor);
  return owner != nullptr ? owner->real_descriptor(descriptor) : descriptor;
}

}  // namespace ranklet::loader
