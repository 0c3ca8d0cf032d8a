/* A constructor starts a thread that opens a library, and waits for it. */
#include <dlfcn.h>
#include <pthread.h>

#include "check.h"

static void* found;

static void* open_library(void* unused)
{
  (void)unused;
  void* const library = dlopen("libm.so.6", RTLD_NOW);
  if (library) found = dlsym(library, "cos");
  return NULL;
}

__attribute__((constructor)) static void start(void)
{
  pthread_t thread;
  if (pthread_create(&thread, NULL, open_library, NULL) == 0) pthread_join(thread, NULL);
}

int main(void)
{
  CHECK(found != NULL);
  return check_failures != 0;
}
