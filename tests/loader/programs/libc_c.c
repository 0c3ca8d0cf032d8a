// Uses what libc keeps per process, by all the ways that a C program has; complains on stderr and returns 1 if
// another rank's state shows.
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int failures;
static volatile sig_atomic_t handled;

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "rank %s, line %d: %s\n", getenv("RANK"), __LINE__, #condition);        \
      failures = 1;                                                                           \
    }                                                                                         \
  } while (0)

static void handler(int signal)
{
  handled = handled + signal;
}

static void options(const char* rank)
{
  char name[] = "prog", file[] = "operand", n[] = "-n", value[16], longer[32];
  snprintf(value, sizeof value, "%s", rank);
  snprintf(longer, sizeof longer, "--size=%s", rank);
  char* arguments[] = {name, file, n, value, longer, NULL};
  const struct option longs[] = {{"size", required_argument, NULL, 's'}, {NULL, 0, NULL, 0}};
  CHECK(optind == 1);
  CHECK(getopt_long(5, arguments, "n:", longs, NULL) == 'n');
  CHECK(strcmp(optarg, rank) == 0);
  usleep(1000);
  CHECK(getopt_long(5, arguments, "n:", longs, NULL) == 's');
  CHECK(strcmp(optarg, rank) == 0);
  CHECK(getopt_long(5, arguments, "n:", longs, NULL) == -1);
  CHECK(optind == 4);
  CHECK(strcmp(arguments[4], "operand") == 0);
}

static void numbers(int rank)
{
  char state[128];
  struct random_data data = {0};
  initstate_r(100 + (unsigned)rank, state, sizeof state, &data);
  srand(100 + (unsigned)rank);
  for (int i = 0; i < 1000; ++i) {
    int expected;
    random_r(&data, &expected);
    if (rand() != expected) {
      CHECK(!"rand");
      return;
    }
    if (i % 100 == 0) usleep(100);
  }
}

int main(int argc, char** argv)
{
  (void)argc;
  const char* rank = getenv("RANK");
  const int number = atoi(rank);
  CHECK(strstr(program_invocation_name, "libc_c") != NULL);
  CHECK(strncmp(program_invocation_short_name, "libc_c", 6) == 0);
  CHECK(strstr(argv[0], "libc_c") != NULL);

  int found = 0;
  for (char** entry = environ; *entry; ++entry) found += strncmp(*entry, "RANK=", 5) == 0;
  CHECK(found == 1);
  setenv("MINE", rank, 1);
  options(rank);
  numbers(number);

  char text[32];
  snprintf(text, sizeof text, "%s %s %s", rank, rank, rank);
  int words = 0;
  for (char* word = strtok(text, " "); word; word = strtok(NULL, " ")) {
    CHECK(strcmp(word, rank) == 0);
    ++words;
    usleep(100);
  }
  CHECK(words == 3);

  char folder[] = "/tmp/ranklet-libc-XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  CHECK(chdir(folder) == 0);
  FILE* file = fopen("relative", "w");
  fprintf(file, "%s\n", rank);
  fclose(file);
  char where[64];
  usleep(1000);
  CHECK(strcmp(getcwd(where, sizeof where), folder) == 0);
  CHECK(system("test \"$MINE\" = \"$(cat relative)\"") == 0);
  CHECK(unlink("relative") == 0);
  CHECK(chdir("/") == 0);
  rmdir(folder);

  signal(SIGUSR1, number % 2 ? handler : SIG_IGN);
  usleep(1000);
  raise(SIGUSR1);
  CHECK(handled == (number % 2 ? SIGUSR1 : 0));

  CHECK(strcmp(getenv("MINE"), rank) == 0);
  CHECK(fileno(stdout) == 1);
  errno = 0;
  for (int i = 0; i < 100; ++i) {
    printf("%s", rank);
    putchar(' ');
    fputs("line ", stdout);
    if (i % 10 == 0) fflush(stdout);
    fprintf(stdout, "%d", i);
    puts("");
  }
  if (number == 1) {
    CHECK(freopen("/dev/null", "w", stdout) == stdout);
    puts("not to be seen");
  }
  printf("%s end", rank);
  return failures;
}
