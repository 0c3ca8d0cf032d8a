#include "libc/crash_cause.hpp"

#include <unistd.h>

namespace ranklet::loader {

namespace {

const char* meaning_of(const siginfo_t& info) noexcept
{
  switch (info.si_signo) {
    case SIGFPE:
      switch (info.si_code) {
        case FPE_INTDIV:
          return "integer division by zero";
        case FPE_FLTDIV:
          return "floating-point division by zero";
        case FPE_FLTOVF:
          return "floating-point overflow";
        case FPE_FLTUND:
          return "floating-point underflow";
        case FPE_FLTINV:
          return "invalid floating-point operation";
        default:
          return nullptr;
      }
    case SIGILL:
      return "this processor does not know the instruction";
    default:
      return nullptr;
  }
}

}  // namespace

void add_cause(CrashLine& line, const siginfo_t& info, std::uintptr_t stack_pointer) noexcept
{
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (info.si_code == SI_TKILL || (info.si_code == SI_USER && info.si_pid == ::getpid())) {
    if (info.si_signo != SIGABRT) line.add(": raised by the program");
  } else if (info.si_code <= 0) {
    line.add(": sent by process %d", static_cast<int>(info.si_pid));
  } else if (const char* meaning = meaning_of(info)) {
    line.add(": %s", meaning);
  } else if (info.si_signo == SIGSEGV) {
    constexpr std::uintptr_t near = std::uintptr_t{1} << 20;
    if (address < stack_pointer + 4096 && address + near > stack_pointer)
      line.add(": the stack is full (ulimit -s sets its size)");
    else if (info.si_code == SEGV_MAPERR && address < 4096)
      line.add(": null pointer (address 0x%zx)", static_cast<std::size_t>(address));
    else if (info.si_code == SEGV_MAPERR)
      line.add(": no memory at address 0x%zx", static_cast<std::size_t>(address));
    else if (info.si_code == SEGV_ACCERR)
      line.add(": access to address 0x%zx is not permitted", static_cast<std::size_t>(address));
    else
      line.add(": not an address");  // a general protection fault tells none
  } else if (info.si_signo == SIGBUS) {
    line.add(info.si_code == BUS_ADRALN ? ": address %p is misaligned"
                                        : ": nothing behind address %p (end of a "
                                          "mapped file, or memory is used up)",
             info.si_addr);
  }
}

}  // namespace ranklet::loader
