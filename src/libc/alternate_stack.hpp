// A thread's alternate signal stack (sigaltstack): handlers need one when the thread's own has overflowed.
#pragma once

namespace ranklet::loader {

// At the start of each thread that may run a program's code, and at its end.
void use_alternate_stack();
void drop_alternate_stack();

}  // namespace ranklet::loader
