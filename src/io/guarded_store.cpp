#include "io/guarded_store.hpp"

#include <ucontext.h>

#include <cstdint>

extern "C" {
// Returns 1; 0 after a fault.
int ranklet_store(char* to, const char* from, std::size_t bytes) noexcept;
extern const char ranklet_store_end[];    // behind its last instruction that may fault
extern const char ranklet_store_fault[];  // where it goes on after a fault
}

// Nothing of it may be a call, or change the stack pointer. The compiler and the tools of -fsanitize= do not
// see inside. Moves of 16 bytes keep up with a second-level cache; the last one overlaps the one before,
// inside the same bytes.
asm(R"(
.pushsection .text
.globl ranklet_store
.globl ranklet_store_end
.globl ranklet_store_fault
.hidden ranklet_store
.hidden ranklet_store_end
.hidden ranklet_store_fault
.type ranklet_store, @function
.balign 64
ranklet_store:
  .cfi_startproc
  cmpq $16, %rdx
  jb 3f
  leaq -16(%rdi,%rdx), %r8
  movups -16(%rsi,%rdx), %xmm4
  cmpq $64, %rdx
  jb 2f
1:
  movups (%rsi), %xmm0
  movups 16(%rsi), %xmm1
  movups 32(%rsi), %xmm2
  movups 48(%rsi), %xmm3
  movups %xmm0, (%rdi)
  movups %xmm1, 16(%rdi)
  movups %xmm2, 32(%rdi)
  movups %xmm3, 48(%rdi)
  addq $64, %rsi
  addq $64, %rdi
  subq $64, %rdx
  cmpq $64, %rdx
  jae 1b
2:
  cmpq %r8, %rdi
  jae 4f
  movups (%rsi), %xmm0
  movups %xmm0, (%rdi)
  addq $16, %rsi
  addq $16, %rdi
  jmp 2b
4:
  movups %xmm4, (%r8)
  movl $1, %eax
  ret
3:
  testq %rdx, %rdx
  je 6f
  cmpq $8, %rdx
  jb 5f
  movq (%rsi), %rax
  movq -8(%rsi,%rdx), %rcx
  movq %rax, (%rdi)
  movq %rcx, -8(%rdi,%rdx)
  movl $1, %eax
  ret
5:
  movb (%rsi), %al
  movb %al, (%rdi)
  incq %rsi
  incq %rdi
  decq %rdx
  jne 5b
6:
  movl $1, %eax
  ret
ranklet_store_end:
ranklet_store_fault:
  xorl %eax, %eax
  ret
  .cfi_endproc
.size ranklet_store, . - ranklet_store
.popsection
)");

namespace ranklet::io {

bool store(char* to, const char* from, std::size_t bytes) noexcept
{
  return ranklet_store(to, from, bytes) != 0;
}

bool recover_store(void* context) noexcept
{
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto place = static_cast<std::uintptr_t>(registers[REG_RIP]);
  if (place < reinterpret_cast<std::uintptr_t>(&ranklet_store) ||
      place >= reinterpret_cast<std::uintptr_t>(ranklet_store_end))
    return false;
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(ranklet_store_fault));
  return true;
}

}  // namespace ranklet::io
