/* MPI 5.0 section 12.3.4: accumulates of all kinds are atomic element by element, whatever their number, their layout
   and their mix; on any number of ranks.
   mpich: version 4.0 loses sums where derived and plain layouts meet at one element
   openmpi: version 4.1 crashes in derived accumulates of several ranks */
#include <stdlib.h>
#include <string.h>

#include "../check.h"

static int rank, size;

/* Everybody adds to everybody's whole window, at first in long calls, then one by one, then in strides. */
static void sums(MPI_Datatype type, int bytes, void (*set)(void*, double), double (*get)(const void*))
{
  enum { n = 3000 };
  char* memory;
  char* data = malloc((size_t)(n * bytes));
  MPI_Win win;
  MPI_Datatype every_third;
  MPI_Win_allocate((MPI_Aint)n * bytes, bytes, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Type_vector(n / 3, 1, 3, type, &every_third);
  MPI_Type_commit(&every_third);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; ++i) set(memory + i * bytes, 0), set(data + i * bytes, 1);
  MPI_Win_fence(0, win);
  for (int target = 0; target < size; ++target) {
    CALL(MPI_Accumulate(data, n, type, target, 0, n, type, MPI_SUM, win));
    for (int i = 0; i < 200; ++i) CALL(MPI_Accumulate(data, 1, type, target, i, 1, type, MPI_SUM, win));
    CALL(MPI_Accumulate(data, n / 3, type, target, 0, 1, every_third, MPI_SUM, win));
    CALL(MPI_Accumulate(data, 1, every_third, target, 0, n / 3, type, MPI_SUM, win));
  }
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; ++i) {
    const int calls = 1 + (i < 200) + (i % 3 == 0) + (i < n / 3);
    CHECK(get(memory + i * bytes) == (double)(calls * size));
  }
  MPI_Win_free(&win);
  MPI_Type_free(&every_third);
  free(data);
}

#define NUMBERS(name, type)                                                          \
  static void set_##name(void* at, double value) { *(type*)at = (type)value; }       \
  static double get_##name(const void* at) { return (double)*(const type*)at; }
NUMBERS(char, signed char)
NUMBERS(short, short)
NUMBERS(int, int)
NUMBERS(long, long)
NUMBERS(float, float)
NUMBERS(double, double)
NUMBERS(long_double, long double)

/* Two numbers in one element: both halves are added, and are never torn apart. */
static void complex_sums(void)
{
  double* memory;
  const double one[2] = {1, 2};
  MPI_Win win;
  MPI_Win_allocate(16, 16, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = memory[1] = 0;
  MPI_Win_fence(0, win);
  for (int i = 0; i < 100; ++i)
    CALL(MPI_Accumulate(one, 1, MPI_C_DOUBLE_COMPLEX, 0, 0, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, win));
  MPI_Win_fence(0, win);
  if (rank == 0) CHECK(memory[0] == 100.0 * size && memory[1] == 200.0 * size);
  MPI_Win_free(&win);
}

static void pairs(void)
{
  struct { double value; int index; } *memory, mine = {10.0 + rank, rank}, start = {5, 77}, old = {0, 0};
  MPI_Win win;
  MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  *memory = start;
  MPI_Win_fence(0, win);
  CALL(MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win));
  MPI_Win_fence(0, win);
  CALL(MPI_Get_accumulate(NULL, 0, MPI_DOUBLE_INT, &old, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_NO_OP, win));
  MPI_Win_fence(0, win);
  CHECK(old.value == 10.0 + size - 1 && old.index == size - 1);
  MPI_Win_free(&win);
}

/* A ticket machine: every number is drawn once, and each rank's grow. */
static void tickets(void)
{
  enum { draws = 500 };
  int *memory, one = 1, ticket, last = -1;
  char* seen;
  MPI_Win win;
  MPI_Win_allocate(rank == 0 ? (MPI_Aint)(sizeof(int) * (1 + draws * size)) : 0, sizeof(int), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &memory, &win);
  MPI_Win_fence(0, win);
  if (rank == 0) memset(memory, 0, sizeof(int) * (size_t)(1 + draws * size));
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < draws; ++i) {
    CALL(MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win));
    CALL(MPI_Win_flush(0, win));
    CHECK(ticket > last && ticket < draws * size);
    last = ticket;
    CALL(MPI_Accumulate(&one, 1, MPI_INT, 0, 1 + ticket, 1, MPI_INT, MPI_SUM, win));
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  seen = (char*)memory;
  if (rank == 0)
    for (int i = 0; i < draws * size; ++i) CHECK(((int*)seen)[1 + i] == 1);
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
}

/* A lock made of compare-and-swap guards a plain counter. */
static void compare_and_swap(void)
{
  long *memory, free_value = -1, mine = rank, found, count;
  MPI_Win win;
  MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = -1;
  memory[1] = 0;
  MPI_Win_fence(0, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 50; ++i) {
    do {
      CALL(MPI_Compare_and_swap(&mine, &free_value, &found, MPI_LONG, 0, 0, win));
      CALL(MPI_Win_flush(0, win));
    } while (found != free_value);
    CALL(MPI_Get(&count, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win));
    CALL(MPI_Win_flush(0, win));
    ++count;
    CALL(MPI_Put(&count, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win));
    CALL(MPI_Win_flush(0, win));
    CALL(MPI_Accumulate(&free_value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_REPLACE, win));
    CALL(MPI_Win_flush(0, win));
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  if (rank == 0) CHECK(memory[1] == 50 * size && memory[0] == -1);
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sums(MPI_SIGNED_CHAR, 1, set_char, get_char);
  sums(MPI_SHORT, sizeof(short), set_short, get_short);
  sums(MPI_INT, sizeof(int), set_int, get_int);
  sums(MPI_LONG, sizeof(long), set_long, get_long);
  sums(MPI_FLOAT, sizeof(float), set_float, get_float);
  sums(MPI_DOUBLE, sizeof(double), set_double, get_double);
  sums(MPI_LONG_DOUBLE, sizeof(long double), set_long_double, get_long_double);
  complex_sums();
  pairs();
  tickets();
  compare_and_swap();
  return finish();
}
