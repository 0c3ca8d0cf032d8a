/* Ways to end a rank or the job. Arguments: way rank. Rank 0 takes the way, the others return 0. */
#include <err.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void* thread_that_exits(void* argument)
{
  (void)argument;
  exit(21);
}

static void* thread_that_lasts(void* argument)
{
  for (int i = 0; i < 100; ++i) usleep(100);
  *(int*)argument = 1;
  return NULL;
}

static int lasted;
static void report(void)
{
  if (!lasted) _exit(99);
}

int main(int argc, char** argv)
{
  const char* way = argv[1];
  if (rank_of(argc, argv) != 0) return 0;
  pthread_t thread;
  if (strcmp(way, "exit") == 0) exit(3);
  if (strcmp(way, "large") == 0) exit(256 + 4);
  if (strcmp(way, "_exit") == 0) _exit(5);
  if (strcmp(way, "_Exit") == 0) _Exit(6);
  if (strcmp(way, "errx") == 0) errx(7, "a reason");
  if (strcmp(way, "thread") == 0) {
    pthread_create(&thread, NULL, thread_that_exits, NULL);
    pthread_join(thread, NULL);
  }
  if (strcmp(way, "pthread_exit") == 0) {
    atexit(report);
    pthread_create(&thread, NULL, thread_that_lasts, &lasted);
    pthread_exit(NULL);
  }
  if (strcmp(way, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) exit(8);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 8);
    const pid_t second = fork();
    if (second == 0) _exit(9);
    CHECK(waitpid(second, &status, 0) == second);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 9);
    return check_failures ? 99 : 10;
  }
  return 98;
}
