#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void call_opened(void)
{
  void* const library = dlopen(OPENED, RTLD_NOW | RTLD_LOCAL);
  void (*subroutine)(void) = library ? (void (*)(void))dlsym(library, "in_opened_") : NULL;
  if (!subroutine) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  subroutine();
}
