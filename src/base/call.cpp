#include "base/call.hpp"

namespace ranklet {

namespace {
// initial-exec: one instruction to reach; the library is always loaded at program start.
[[gnu::tls_model("initial-exec")]] thread_local const CallNote* current = nullptr;
}  // namespace

const CallNote* current_call() noexcept
{
  return current;
}

void set_current_call(const CallNote* note) noexcept
{
  current = note;
}

}  // namespace ranklet
