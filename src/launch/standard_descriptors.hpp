// Descriptors 0 to 2 of a process that was started without them.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace ranklet::launch {

// Before anything else is opened, which would get these numbers, and others' output and input.
inline void open_standard_descriptors() noexcept
{
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    // The lowest number that is free is taken.
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != descriptor) return;
}

}  // namespace ranklet::launch
