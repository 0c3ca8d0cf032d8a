// Working directory and umask of a rank.
#pragma once

namespace ranklet::loader {

// Whether the calling thread's working directory is the one that is open there.
bool is_working_directory(int descriptor) noexcept;

}  // namespace ranklet::loader
