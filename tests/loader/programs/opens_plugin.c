/* dlopen and its family in a rank. Built with -rdynamic. Arguments: directory ranks rank. */
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

void meet(int ranks);

static int rank, destroyed;
int exported_by_program = 55;

int program_function(int number)
{
  if (number == -1) ++destroyed;
  return number + rank;
}

/* Stands before libc's; the original is behind it. */
int atoi(const char* text)
{
  int (*original)(const char*) = (int (*)(const char*))dlsym(RTLD_NEXT, "atoi");
  return original ? original(text) : -1;
}

static int (*local_function)(void);
static void* use_local(void* result)
{
  *(int*)result = local_function();
  return NULL;
}

/* A thread that was there before dlopen must have the plugin's thread-local storage, too. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* wait_and_use_local(void* result)
{
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return use_local(result);
}

static int find_self(struct dl_phdr_info* info, size_t size, void* found)
{
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD) {
      const ElfW(Addr) begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      const ElfW(Addr) here = (ElfW(Addr))&program_function;
      if (here >= begin && here < begin + info->dlpi_phdr[i].p_memsz) *(const char**)found = info->dlpi_name;
    }
  return 0;
}

int main(int argc, char** argv)
{
  char path[4096];
  rank = rank_of(argc, argv);
  const int ranks = atoi(argv[argc - 2]);
  pthread_t early;
  int of_early = 0;
  pthread_mutex_lock(&mutex);
  CHECK(pthread_create(&early, NULL, wait_and_use_local, &of_early) == 0);

  snprintf(path, sizeof path, "%s/libplugin.so", argv[argc - 3]);
  CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
  void* handle = dlopen(path, RTLD_NOW);
  CHECK(handle != NULL);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*add)(int) = (int (*)(int))dlsym(handle, "plugin_add");
  int* state = dlsym(handle, "plugin_state");
  local_function = (int (*)(void))dlsym(handle, "plugin_local");
  int (*catches)(void) = (int (*)(void))dlsym(handle, "plugin_catches");
  CHECK(add && state && local_function && catches);
  pthread_mutex_unlock(&mutex);
  pthread_join(early, NULL);
  CHECK(of_early == 5);
  CHECK(*state == 101);
  CHECK(add(rank) == 101 + 2 * rank);
  meet(ranks);
  CHECK(*state == 101 + rank);
  CHECK(local_function() == 5 + rank);
  int* local = dlsym(handle, "plugin_thread_local");
  CHECK(local && *local == 5 + rank);
  CHECK(catches() == 6);
  pthread_t thread;
  int of_thread = 0;
  CHECK(pthread_create(&thread, NULL, use_local, &of_thread) == 0);
  pthread_join(thread, NULL);
  CHECK(of_thread == 5);

  CHECK(dlopen(path, RTLD_NOW) == handle);
  CHECK(dlclose(handle) == 0 && destroyed == 0);
  CHECK(dlclose(handle) == 0 && destroyed == 1);
  handle = dlopen(path, RTLD_NOW);
  CHECK(handle != NULL);
  CHECK(*(int*)dlsym(handle, "plugin_state") == 101);

  CHECK(dlsym(handle, "no_such_symbol") == NULL);
  const char* error = dlerror();
  CHECK(error && strstr(error, "no_such_symbol"));
  CHECK(dlerror() == NULL);
  CHECK(dlopen("libno-such-library.so", RTLD_NOW) == NULL);
  error = dlerror();
  CHECK(error && strstr(error, "libno-such-library.so"));

  void* self = dlopen(NULL, RTLD_NOW);
  CHECK(self && dlsym(self, "exported_by_program") == &exported_by_program);
  CHECK(dlsym(RTLD_DEFAULT, "exported_by_program") == &exported_by_program);
  CHECK(dlsym(RTLD_DEFAULT, "printf") != NULL);
  void* math = dlopen("libm.so.6", RTLD_NOW);
  double (*cosine)(double) = (double (*)(double))dlsym(math, "cos");
  CHECK(cosine && cosine(0.0) == 1.0);

  const char* name = NULL;
  dl_iterate_phdr(find_self, &name);
  CHECK(name && strstr(name, "opens_plugin"));
  Dl_info info;
  CHECK(dladdr((void*)&program_function, &info) && info.dli_sname && strcmp(info.dli_sname, "program_function") == 0);
  CHECK(strstr(info.dli_fname, "opens_plugin") != NULL);
  void* frames[10];
  CHECK(backtrace(frames, 10) >= 2);
  return check_failures != 0;
}
