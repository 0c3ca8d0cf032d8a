/* pthread_atfork in a rank, while the other ranks fork. Argument: the directory of its library. Exported: note(). */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char notes[64];
static pthread_t owner;

void note(char what)
{
  /* In the child, too, the thread is the one that forked. */
  if (!pthread_equal(owner, pthread_self())) what = '!';
  const size_t length = strlen(notes);
  if (length + 1 < sizeof notes) notes[length] = what;
}

static void first_prepare(void) { note('1'); }
static void first_parent(void) { note('2'); }
static void first_child(void) { note('3'); }
static void second_prepare(void) { note('4'); }
static void second_parent(void) { note('5'); }
static void second_child(void) { note('6'); }

/* What the handlers noted: in this process, and whether the child has seen what it should. */
static void expect(pid_t (*how)(void), const char* in_parent, const char* in_child)
{
  int status = -1;
  memset(notes, 0, sizeof notes);
  const pid_t child = how();
  if (child == 0) _exit(strcmp(notes, in_child) != 0);
  CHECK(strcmp(notes, in_parent) == 0);
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char** argv)
{
  const int rank = atoi(getenv("RANK"));
  char path[4096];
  owner = pthread_self();
  for (int i = 0; i < 20; ++i) expect(fork, "", "");
  if (rank % 2 == 0) {
    CHECK(pthread_atfork(first_prepare, first_parent, first_child) == 0);
    CHECK(pthread_atfork(second_prepare, NULL, second_child) == 0);
    CHECK(pthread_atfork(NULL, second_parent, NULL) == 0);
  }
  for (int i = 0; i < 20; ++i)
    if (rank % 2 == 0)
      expect(fork, "4125", "4136");
    else
      expect(fork, "", "");

  snprintf(path, sizeof path, "%s/libfork_handler.so", argv[argc - 1]);
  void* const library = dlopen(path, RTLD_NOW);
  CHECK(library != NULL);
  if (rank % 2 == 0)
    expect(fork, "P4125A", "P4136C");
  else
    expect(fork, "PA", "PC");
  CHECK(library && dlclose(library) == 0);
  if (rank % 2 == 0)
    expect(fork, "4125", "4136");
  else
    expect(fork, "", "");
  memset(notes, 0, sizeof notes);
  CHECK(system("true") == 0 && notes[0] == 0);
  return check_failures != 0;
}
