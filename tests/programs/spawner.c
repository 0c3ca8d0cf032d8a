/* A program that starts itself or another one (test_spawn.py). Its first argument says what it does; children
   have "child" before that. */
#include <locale.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <threads.h>
#include <unistd.h>

#ifndef VERSION
#define VERSION "1"
#endif

static int counter;
static thread_local int of_thread;

static void must_not_run(void* argument)
{
  (void)argument;
  fprintf(stderr, "the destructor of a key has run\n");
  abort();
}

static void* nothing(void* argument)
{
  return argument;
}

static MPI_Comm parent;
static int rank;

static MPI_Comm start(char* program, char* what, int count, MPI_Comm of)
{
  char* arguments[] = {"child", what, NULL};
  MPI_Comm inter;
  MPI_Comm_spawn(program, arguments, count, MPI_INFO_NULL, 0, of, &inter, MPI_ERRCODES_IGNORE);
  return inter;
}

static void as_child(const char* what)
{
  int value = 7;
  if (strcmp(what, "hello") == 0) {
    printf("child %d ", rank);
    printf("prints\n");
    fprintf(stderr, "child %d complains\n", rank);
  } else if (strcmp(what, "state") == 0) {
    char here[4096];
    const mode_t mask = umask(0);
    printf("%s umask %o %s stdin %d\n", getcwd(here, sizeof here), (unsigned)mask, getenv("OF_PARENT"),
           getchar());
  } else if (strcmp(what, "code") == 0) {
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    exit(rank == 1 ? 3 : 0);
  } else if (strcmp(what, "abort") == 0) {
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Recv(&value, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "crash") == 0) {
    if (rank == 1) abort();
    MPI_Recv(&value, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "fail") == 0) {
    MPI_Recv(&value, 1, MPI_INT, 0, -9, parent, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "deadlock") == 0) {
    // A circle of all three, so that none can be left out of the report: parent, child 1, child 0, parent.
    MPI_Recv(&value, 1, MPI_INT, 0, 1, rank == 0 ? parent : MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "gone") == 0) {
    MPI_Comm_disconnect(&parent);
  } else if (strcmp(what, "leak") == 0) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  } else if (strcmp(what, "outlive") == 0) {
    MPI_Comm_disconnect(&parent);
    printf("child %d goes on\n", rank);
  } else if (strcmp(what, "wait") == 0) {
    MPI_Recv(&value, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "version") == 0) {
    printf("version %s\n", VERSION);
  } else if (strcmp(what, "cycle") == 0) {
    /* What the end of a process takes with it: no destructor of these runs. */
    pthread_key_t key;
    tss_t other;
    if (pthread_key_create(&key, must_not_run) != 0 || tss_create(&other, must_not_run) != thrd_success)
      abort();
    static char keep;
    pthread_setspecific(key, &keep);
    tss_set(other, &keep);
    if (counter++ != 0 || ++of_thread != 1) abort();
    if (rank == 1) {
      pthread_t thread;
      pthread_create(&thread, NULL, nothing, NULL);
      pthread_join(thread, NULL);
      for (int i = 0; i < 10; ++i) setlocale(LC_ALL, i % 2 == 0 ? "C.UTF-8" : "C");
    }
  }
}

static char* program;

/* The threads' communicators are their own: two calls on one at once would be wrong (MPI 5.0 section 6.14).
 */
static void* spawn_many(void* own)
{
  for (int i = 0; i < 20; ++i) {
    MPI_Comm inter = start(program, "", 1 + i % 2, *(MPI_Comm*)own);
    MPI_Comm_disconnect(&inter);
  }
  return NULL;
}

/* Lines of a file of /proc that begin with a word, or what stands behind it in the only one. */
static long count_lines(const char* path, const char* word, int value)
{
  FILE* file = fopen(path, "r");
  char line[4096];
  long found = 0;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, word, strlen(word)) == 0) found = value ? atol(line + strlen(word)) : found + 1;
  fclose(file);
  return found;
}

static void show_size(void)
{
  printf("maps %ld threads %ld kB %ld\n", count_lines("/proc/self/maps", "", 0),
         count_lines("/proc/self/status", "Threads:", 1), count_lines("/proc/self/status", "VmRSS:", 1));
}

static void as_parent(char* self, const char* what, char* more)
{
  int value = 7;
  MPI_Comm inter;
  if (strcmp(what, "try") == 0) {
    int codes[2] = {-1, -1}, length, class;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int code = MPI_Comm_spawn(more, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes);
    MPI_Error_string(code, text, &length);
    MPI_Error_class(code, &class);
    if (rank == 0)
      printf("%s: %s; %d %d\n", class == MPI_ERR_SPAWN ? "MPI_ERR_SPAWN" : "another class", text,
             codes[0] == MPI_ERR_SPAWN, codes[1] == MPI_ERR_SPAWN);
    return;
  }
  if (strcmp(what, "threads") == 0) {
    pthread_t threads[3];
    MPI_Comm own[3];
    program = self;
    for (int i = 0; i < 3; ++i) MPI_Comm_dup(MPI_COMM_SELF, &own[i]);
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, spawn_many, &own[i]);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; ++i) MPI_Comm_free(&own[i]);
    printf("threads done\n");
    return;
  }
  if (strcmp(what, "version") == 0) {
    for (int i = 0; i < 2; ++i) {
      char* arguments[] = {"child", "version", NULL};
      MPI_Comm_spawn(more, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
      MPI_Comm_free(&inter);
      char other[4096];
      snprintf(other, sizeof other, "%s.other", more);
      if (i == 0 && rename(other, more) != 0) abort();
    }
    return;
  }
  if (strcmp(what, "cycles") == 0) {
    const int cycles = atoi(more);
    for (int i = 0; i < 2 * cycles; ++i) {
      if (i == cycles) show_size();
      inter = start(self, "cycle", 2, MPI_COMM_WORLD);
      MPI_Comm_free(&inter);
    }
    show_size();
    return;
  }
  if (strcmp(what, "state") == 0 && rank == 0) {
    setenv("OF_PARENT", "inherited", 1);
    umask(0135);
    setenv("PATH", getenv("FOUND_IN") ? getenv("FOUND_IN") : getenv("PATH"), 1);
    if (chdir(more) != 0) abort();
  }
  inter = start(self, (char*)what, 2, MPI_COMM_WORLD);
  if (strcmp(what, "deadlock") == 0) MPI_Recv(&value, 1, MPI_INT, 1, 2, inter, MPI_STATUS_IGNORE);
  if (strcmp(what, "gone") == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, inter, MPI_STATUS_IGNORE);
  if (strcmp(what, "abort") == 0 || strcmp(what, "crash") == 0 || strcmp(what, "fail") == 0)
    MPI_Recv(&value, 1, MPI_INT, 1, 2, inter, MPI_STATUS_IGNORE);
  if (strcmp(what, "outlive") == 0) {
    MPI_Comm_disconnect(&inter);
    return;
  }
  if (strcmp(what, "wait") == 0) {
    printf("waiting\n");
    fflush(stdout);
    while (access(more, F_OK) != 0) usleep(1000);
    for (int i = 0; i < 2 && rank == 0; ++i) MPI_Send(&value, 1, MPI_INT, i, 1, inter);
  }
  /* Their programs have ended when nobody sends any more: nothing is left to do for the parents. */
}

int main(int argc, char** argv)
{
  if (argc > 1 && strcmp(argv[1], "child") == 0 && strcmp(argv[2], "early") == 0) return 4;
  int level;
  MPI_Init_thread(&argc, &argv,
                  argc > 1 && strcmp(argv[1], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL)
    as_child(argc > 2 ? argv[2] : "");
  else
    as_parent(getenv("SPAWNED") ? getenv("SPAWNED") : argv[0], argv[1], argc > 2 ? argv[2] : NULL);
  MPI_Finalize();
  return 0;
}
