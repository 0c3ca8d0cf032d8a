// libc's own functions behind the ones that this folder defines for ranks.
#pragma once

#include <dlfcn.h>
#include <sys/types.h>

#include <cstddef>

namespace ranklet::loader {

// The definition of `name` after ours in the order of lookup. Keep the result in a function's static.
template <class Function>
Function* next_function(const char* name)
{
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// For code of the host that must reach the real descriptor whatever the calling thread's rank is.
ssize_t real_write(int descriptor, const void* bytes, std::size_t size);
ssize_t real_read(int descriptor, void* bytes, std::size_t size);
int real_close(int descriptor);

}  // namespace ranklet::loader
