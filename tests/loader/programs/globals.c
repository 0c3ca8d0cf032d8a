/* C: every kind of variable is private, and pointers in data lead into the rank's own image. Arguments: ranks rank. */
#include <string.h>
#include <unistd.h>

#include "check.h"

void meet(int ranks);

int initialised = 5;
int zeroed[20000];
static int file_static = 7;
static int* pointer_to_static = &file_static;
static const char* const names[] = {"zero", "one", "two"};
int __attribute__((weak)) weak_variable = 9;

static int twice(int x)
{
  return 2 * x;
}
static int thrice(int x)
{
  return 3 * x;
}
static int (*const table[])(int) = {twice, thrice};
static int (*chosen)(int) = twice;

static int next_number(void)
{
  static int number = 100;
  return ++number;
}

int main(int argc, char** argv)
{
  const int rank = rank_of(argc, argv);
  const int ranks = atoi(argv[argc - 2]);
  CHECK(initialised == 5 && zeroed[19999] == 0 && file_static == 7 && weak_variable == 9);
  initialised += rank;
  zeroed[19999] = rank;
  *pointer_to_static += rank;
  weak_variable += rank;
  chosen = table[rank % 2];
  next_number();
  meet(ranks); /* all have written */
  CHECK(initialised == 5 + rank);
  CHECK(zeroed[19999] == rank);
  CHECK(file_static == 7 + rank);
  CHECK(weak_variable == 9 + rank);
  CHECK(chosen(10) == (rank % 2 ? 30 : 20));
  CHECK(next_number() == 102);
  CHECK(strcmp(names[rank % 3], rank % 3 == 0 ? "zero" : rank % 3 == 1 ? "one" : "two") == 0);
  char own[4096] = "";
  CHECK(readlink("/proc/self/exe", own, sizeof own - 1) > 0 && strstr(own, "/globals_"));
  meet(ranks); /* nobody is gone */
  return check_failures != 0;
}
