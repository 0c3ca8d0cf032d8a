/* IFUNC in the program itself, called directly and through a pointer. */
#include "check.h"

static int resolved;
static int plain(void)
{
  return 42;
}
__attribute__((used)) static int (*choose(void))(void)
{
  ++resolved;
  return plain;
}
int indirect(void) __attribute__((ifunc("choose")));
static int (*pointer)(void) = indirect;

int main(void)
{
  CHECK(indirect() == 42);
  CHECK(pointer() == 42);
  CHECK(resolved >= 1);
  return check_failures != 0;
}
