// In which of the dynamic loader's lists a copy is registered. Its dlopen walks the whole list of a
// namespace, several times and taking a cache miss for each object: thousands of ranks would cost their
// number squared.
#pragma once

#include <link.h>

namespace ranklet::loader {

// Loads `file`, which needs no other object, for nobody's symbols. The first copies go where everything else
// is, as tools know that list best; later ones into further namespaces, of which there are few, in turn.
// Null: dlerror() says why not. Any thread.
void* open_copy(const char* file);
// dlclose for what open_copy() has given.
void close_copy(void* copy) noexcept;

// How many copies go into the first list.
inline constexpr int copies_in_base = 1000;

}  // namespace ranklet::loader
