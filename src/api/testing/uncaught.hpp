// To know that an exception will leave a function before it does: before the stack is unwound.
#pragma once

namespace ranklet::api {

// Calls body(context). When an exception is thrown in it that nothing in it catches, calls
// before_unwinding(context), which does not throw, on the same thread while all objects on the stack still
// live; then the stack is unwound, and the exception leaves this function. Does not nest on a thread.
void call_watched(void (*body)(void*), void (*before_unwinding)(void*), void* context);

}  // namespace ranklet::api
