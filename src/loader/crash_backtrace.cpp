#include "loader/crash_backtrace.hpp"

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>
#include <unwind.h>

#include <cstring>

namespace ranklet::loader {

namespace {

struct Walk {
  Frames& frames;
  std::uintptr_t fault;  // 0: everything belongs to the trace
  bool reached = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument)
{
  auto& walk = *static_cast<Walk*>(argument);
  int before_instruction = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  if (address == 0) return _URC_END_OF_STACK;
  // The frames of the handler itself come first.
  if (address == walk.fault) walk.reached = true;
  if (!walk.reached) return _URC_NO_REASON;
  // A return address lies behind the call.
  if (before_instruction == 0) --address;
  walk.frames.address[walk.frames.count++] = reinterpret_cast<const void*>(address);
  return walk.frames.count == Frames::capacity ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool is_code(std::uintptr_t address) noexcept
{
  dl_find_object object;
  return ::_dl_find_object(reinterpret_cast<void*>(address), &object) == 0;
}

}  // namespace

std::uintptr_t stack_pointer_of(const void* context) noexcept
{
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
}

void collect_frames(Frames& frames, const void* context) noexcept
{
  const auto* const registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  Walk walk{frames, static_cast<std::uintptr_t>(registers[REG_RIP])};
  frames.count = 0;
  if (is_code(walk.fault)) {
    _Unwind_Backtrace(&visit, &walk);
    if (walk.reached) return;
  }
  // A call through a wrong pointer: nothing is known about the code there, but the call left its return
  // address, and from there on it is the frame pointer's chain that may help.
  frames.address[frames.count++] = reinterpret_cast<const void*>(walk.fault);
  auto* stack = reinterpret_cast<const std::uintptr_t*>(registers[REG_RSP]);
  if (reinterpret_cast<std::uintptr_t>(stack) % sizeof(void*) == 0 && is_code(*stack))
    frames.address[frames.count++] = reinterpret_cast<const void*>(*stack - 1);
}

bool is_inside_libc(const void* address) noexcept
{
  dl_find_object object;
  if (::_dl_find_object(const_cast<void*>(address), &object) != 0) return false;
  const char* const name = object.dlfo_link_map->l_name;
  return std::strstr(name, "/libc.so") != nullptr || std::strstr(name, "/libc-") != nullptr ||
         std::strstr(name, "/libpthread") != nullptr;
}

}  // namespace ranklet::loader
