/* Opened by opens_tls. SIZE: bytes of thread-local storage; MODEL: an attribute. With BROKEN it cannot be opened. */
#include <stddef.h>
#include <stdint.h>

#ifndef MODEL
#define MODEL
#define ALIGNMENT 256
#else
#define ALIGNMENT 64 /* as much as a program that opens a library has in its static block, here as in a process */
#endif

MODEL __thread long library_number = 77;
MODEL __thread char library_bytes[SIZE];
static MODEL __thread _Alignas(ALIGNMENT) volatile char aligned[8] = "aligned";
static MODEL __thread int local = 5;

/* Is all as it begins in a thread? */
int library_begins(void)
{
  for (size_t i = 0; i < SIZE; i += SIZE > 100000 ? 4096 : 1)
    if (library_bytes[i]) return 0;
  return library_number == 77 && local == 5 && aligned[0] == 'a' && aligned[7] == 0 && (uintptr_t)aligned % ALIGNMENT == 0;
}

void library_set(int value)
{
  library_number = value;
  library_bytes[0] = library_bytes[SIZE - 1] = (char)value;
  local = -value;
}

int library_has(int value)
{
  return library_number == value && library_bytes[0] == (char)value && library_bytes[SIZE - 1] == (char)value &&
         local == -value;
}

#ifdef BROKEN
extern int nobody_defines_this;
int library_broken(void)
{
  return nobody_defines_this;
}
#endif
