#include "libc/crash_backtrace.hpp"

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>
#include <unwind.h>

#include <cstring>

namespace ranklet::loader {

namespace {

struct Walk {
  Frames& frames;
  std::uintptr_t fault;
  bool is_call = false;  // the fault's address is a return address
  bool reached = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument)
{
  auto& walk = *static_cast<Walk*>(argument);
  int before_instruction = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  if (address == 0) return _URC_END_OF_STACK;
  // The frames of the handler itself come first.
  const bool first = !walk.reached && address == walk.fault;
  if (first) walk.reached = true;
  if (!walk.reached) return _URC_NO_REASON;
  // A return address lies behind the call.
  if (before_instruction == 0 || (first && walk.is_call)) --address;
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

void collect_frames(Frames& frames, void* context) noexcept
{
  auto* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  frames.count = 0;
  Walk walk{frames, static_cast<std::uintptr_t>(registers[REG_RIP])};
  if (!is_code(walk.fault)) {
    // A call through a wrong pointer. It left its return address on the stack: the unwinder, which reads the
    // context, can go on from there.
    frames.address[frames.count++] = reinterpret_cast<const void*>(walk.fault);
    const auto* const stack = reinterpret_cast<const std::uintptr_t*>(registers[REG_RSP]);
    if (reinterpret_cast<std::uintptr_t>(stack) % sizeof(void*) != 0 || !is_code(*stack)) return;
    walk.fault = *stack;
    walk.is_call = true;
    registers[REG_RIP] = static_cast<greg_t>(*stack);
    registers[REG_RSP] += static_cast<greg_t>(sizeof(void*));
  }
  _Unwind_Backtrace(&visit, &walk);
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
