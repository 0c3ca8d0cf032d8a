/* Thread-local storage larger than the host's reserve, aligned more than it, with initial values. */
#include <pthread.h>
#include <stdint.h>

#include "check.h"

static _Thread_local int first = 11;
static _Thread_local char large[300000];
static _Thread_local int last = 22;
static _Alignas(256) _Thread_local int aligned = 33;

static void* use(void* argument)
{
  const int number = *(int*)argument;
  CHECK(first == 11 && last == 22 && aligned == 33);
  CHECK((uintptr_t)&aligned % 256 == 0);
  for (int i = 0; i < 300000; i += 1000) CHECK(large[i] == 0);
  for (int i = 0; i < 300000; ++i) large[i] = (char)number;
  first += number;
  last += number;
  aligned += number;
  CHECK(first == 11 + number && last == 22 + number && aligned == 33 + number);
  for (int i = 0; i < 300000; i += 1000) CHECK(large[i] == (char)number);
  return NULL;
}

int main(int argc, char** argv)
{
  const int rank = rank_of(argc, argv);
  int numbers[] = {rank + 1, rank + 2, rank + 3};
  use(&numbers[0]);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) CHECK(pthread_create(&threads[i], NULL, use, &numbers[i + 1]) == 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  CHECK(first == 12 + rank && large[299999] == (char)(rank + 1));
  CHECK(getenv("RANKLET_SAVED_LD_LIBRARY_PATH") == NULL);
  return check_failures != 0;
}
