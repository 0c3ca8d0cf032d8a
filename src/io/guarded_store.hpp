// Copies into a mapping of a file, where the kernel may have nothing to put behind an address: the file was
// cut off meanwhile, its device is full or fails. Such a copy fails; it does not end the process.
//
// The copy is one function of known extent, which keeps nothing on its stack. So a handler of SIGBUS sees
// from the place of the fault alone whose it is, and sends the thread on to where the function returns that
// it has failed.
//
// Thread safety: any thread. recover_store() is for signal handlers: it calls nothing and reads constants
// only.
#pragma once

#include <cstddef>

namespace ranklet::io {

// False: there was a fault on one of the two sides, and any part of the bytes has been copied. The thread
// must take SIGBUS (base/signal_mask.hpp), and the process's handler for that call recover_store() before all
// else.
[[nodiscard]] bool store(char* to, const char* from, std::size_t bytes) noexcept;

// In a handler of SIGBUS, with its third argument. True: it was a store, and the thread goes on when the
// handler returns.
bool recover_store(void* context) noexcept;

}  // namespace ranklet::io
