/* Opens libraries with much thread-local storage, each rank in an order of its own. Arguments: the directory of the
   tests' libraries, one with copies of one small library, their number, ranks, rank. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { most = 200 };

static struct Library {
  void* handle;
  int (*begins)(void);
  void (*set)(int);
  int (*has)(int);
} libraries[most];
static int count, rank;

static struct Library* open_library(const char* path)
{
  struct Library* const library = &libraries[count];
  library->handle = dlopen(path, RTLD_NOW);
  if (!library->handle) {
    fprintf(stderr, "rank %d: %s\n", rank, dlerror());
    ++check_failures;
    return NULL;
  }
  library->begins = (int (*)(void))dlsym(library->handle, "library_begins");
  library->set = (void (*)(int))dlsym(library->handle, "library_set");
  library->has = (int (*)(int))dlsym(library->handle, "library_has");
  CHECK(library->begins());
  library->set(1000 * rank + count);
  CHECK(*(long*)dlsym(library->handle, "library_number") == 1000 * rank + count);
  ++count;
  return library;
}

static void check_all(int first)
{
  for (int i = 0; i < count; ++i) CHECK(libraries[i].has(first + i));
}

/* At the end of a thread its storage is still there. */
static void use_at_end(void* unused)
{
  (void)unused;
  check_all(-1000);
}

static pthread_key_t key;
static pthread_barrier_t all_open;

static void* use(void* wait)
{
  if (wait) pthread_barrier_wait(&all_open);
  for (int i = 0; i < count; ++i) {
    CHECK(libraries[i].begins());
    libraries[i].set(-1000 + i);
  }
  check_all(-1000);
  pthread_setspecific(key, &key);
  return NULL;
}

int main(int argc, char** argv)
{
  char path[4096];
  const char* const directory = argv[argc - 5];
  const int copies = atoi(argv[argc - 3]);
  rank = rank_of(argc, argv);
  pthread_t early, late;
  CHECK(pthread_key_create(&key, use_at_end) == 0);
  pthread_barrier_init(&all_open, NULL, 2);
  CHECK(pthread_create(&early, NULL, use, &all_open) == 0);

  const char* const names[] = {"tls_large", "tls_huge", "tls_static", "tls_descriptors", "tls_broken", "tls_no_room"};
  const int kinds = sizeof names / sizeof names[0];
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < kinds; ++i) {
      const char* const name = names[(i + rank) % kinds];
      snprintf(path, sizeof path, "%s/lib%s.so", directory, name);
      if (!strcmp(name, "tls_broken")) {
        CHECK(dlopen(path, RTLD_NOW) == NULL);
        const char* const error = dlerror();
        CHECK(error && strstr(error, "nobody_defines_this"));
      } else if (!strcmp(name, "tls_no_room")) {
        CHECK(dlopen(path, RTLD_NOW) == NULL);
        const char* const error = dlerror();
        CHECK(error && strstr(error, "static TLS block"));
      } else if (round == 0) {
        open_library(path);
      }
    }
  for (int i = 0; i < copies; ++i) {
    snprintf(path, sizeof path, "%s/copy%d.so", argv[argc - 4], (i * (2 * rank + 1) + rank) % copies);
    open_library(path);
  }
  pthread_barrier_wait(&all_open);
  pthread_join(early, NULL);
  CHECK(pthread_create(&late, NULL, use, NULL) == 0);
  pthread_join(late, NULL);
  check_all(1000 * rank);

  /* Closed and opened again: as at first, in this thread and in others. */
  snprintf(path, sizeof path, "%s/libtls_large.so", directory);
  struct Library large = {dlopen(path, RTLD_NOW), NULL, NULL, NULL};
  CHECK(large.handle && dlclose(large.handle) == 0 && dlclose(large.handle) == 0);
  const int before = count;
  CHECK(open_library(path) != NULL);
  CHECK(count == before + 1);
  return check_failures != 0;
}
