#include "libc/alternate_stack.hpp"

#include <sys/mman.h>

#include <csignal>
#include <cstddef>

namespace ranklet::loader {

namespace {

constexpr std::size_t stack_bytes = std::size_t{128} * 1024;

}  // namespace

void use_alternate_stack()
{
  void* const memory = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;  // reports then run on the thread's own stack
  const stack_t stack{memory, 0, stack_bytes};
  if (::sigaltstack(&stack, nullptr) != 0) ::munmap(memory, stack_bytes);
}

void drop_alternate_stack()
{
  stack_t stack{};
  if (::sigaltstack(nullptr, &stack) != 0) return;
  if ((stack.ss_flags & (SS_DISABLE | SS_ONSTACK)) != 0 || stack.ss_size != stack_bytes) return;
  const stack_t none{nullptr, SS_DISABLE, 0};
  ::sigaltstack(&none, nullptr);
  ::munmap(stack.ss_sp, stack_bytes);
}

}  // namespace ranklet::loader
