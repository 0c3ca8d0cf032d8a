/* Tries again and again to open a library whose thread-local storage has no room, while other ranks begin. Arguments: the
   directory of the tests' libraries, ranks, rank. */
#include <dlfcn.h>
#include <string.h>

#include "check.h"

int main(int argc, char** argv)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/libtls_no_room.so", argv[argc - 3]);
  for (int i = 0; i < 200; ++i) {
    CHECK(dlopen(path, RTLD_NOW) == NULL);
    const char* const error = dlerror();
    CHECK(error && strstr(error, "static TLS block"));
  }
  return check_failures != 0;
}
