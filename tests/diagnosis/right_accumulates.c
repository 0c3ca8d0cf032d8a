/* Right: accumulates of several origins to the same data, which are atomic element by element (MPI 5.0
 * §12.3.4, §12.7.1, §12.7.2). */
#include "locked.h"
#include "right.h"

enum { rounds = 8 };

static void with_operator(const int* value, int target, int place, MPI_Op operator)
{
  MPI_Accumulate(value, 1, MPI_INT, target, place, 1, MPI_INT, operator, win);
}

static void operators_apart(void)
{
  const int two = 2, bit = 1 << rank;
  start();
  mem[1] = 1;
  mem[3] = 1000;
  meet();
  with_operator(&two, 0, 0, MPI_SUM);
  with_operator(&two, 0, 1, MPI_PROD);
  with_operator(&rank, 0, 2, MPI_MAX);
  with_operator(&rank, 0, 3, MPI_MIN);
  with_operator(&bit, 0, 4, MPI_BOR);
  with_operator(&bit, 0, 5, MPI_BXOR);
  with_operator(&rank, 0, 6, MPI_LOR);
  meet();
  if (rank == 0) {
    expect(mem[0] == 2 * size && mem[1] == 1 << size && mem[2] == last() && mem[3] == 0);
    expect(mem[4] == (1 << size) - 1 && mem[5] == (1 << size) - 1 && mem[6] == 1);
  }
  end();
}

/* Another operator on the same place, when those before are complete. */
static void operators_in_turn(void)
{
  const int two = 2;
  start();
  with_operator(&two, 0, 0, MPI_SUM);
  meet();
  with_operator(&two, 0, 0, MPI_PROD);
  meet();
  with_operator(&two, 0, 0, MPI_MAX);
  meet();
  if (rank == 0) expect(mem[0] == 2 * size << size);
  end();
}

static void operators_of_one_origin(void)
{
  const int two = 2, three = 3;
  start();
  with_operator(&two, next(), 0, MPI_SUM);
  MPI_Win_flush(next(), win);
  with_operator(&three, next(), 0, MPI_PROD);
  MPI_Win_flush(next(), win);
  with_operator(&two, next(), 0, MPI_REPLACE);
  meet();
  expect(mem[0] == 2);
  end();
}

static void info_of_one_operator(void)
{
  const int two = 2;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ops", "same_op");
  MPI_Info_set(info, "accumulate_ordering", "none");
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &mem, &win);
  MPI_Info_free(&info);
  memset(mem, 0, 64 * sizeof(int));
  barrier();
  MPI_Win_fence(0, win);
  add(&two, 0, 0);
  add(&two, 0, 0);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 0) expect(mem[0] == 4 * size);
  MPI_Win_free(&win);
}

/* Elements of different basic types, in different bytes. */
static void types_apart(void)
{
  const int one = 1;
  const long long large = 1;
  const double real = 0.5;
  const short small = 2;
  start();
  MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Accumulate(&large, 1, MPI_LONG_LONG, 1, 2, 1, MPI_LONG_LONG, MPI_SUM, win);
  MPI_Accumulate(&real, 1, MPI_DOUBLE, 1, 4, 1, MPI_DOUBLE, MPI_SUM, win);
  MPI_Accumulate(&small, 1, MPI_SHORT, 1, 1, 1, MPI_SHORT, MPI_SUM, win);
  meet();
  if (rank == 1) {
    long long found;
    double sum;
    memcpy(&found, mem + 2, sizeof found);
    memcpy(&sum, mem + 4, sizeof sum);
    expect(mem[0] == size && found == size && sum == 0.5 * size && *(short*)(mem + 1) == 2 * size);
  }
  end();
}

/* Small elements side by side in one word of the machine. */
static void small_neighbours(void)
{
  const MPI_Aint offset = rank % 4;
  const signed char value = (signed char)(rank + 1);
  MPI_Datatype one;
  MPI_Type_create_hindexed_block(1, 1, &offset, MPI_SIGNED_CHAR, &one);
  MPI_Type_commit(&one);
  start();
  if (rank < 4) MPI_Accumulate(&value, 1, MPI_SIGNED_CHAR, 0, 0, 1, one, MPI_SUM, win);
  if (rank < 4) MPI_Accumulate(&value, 1, MPI_SIGNED_CHAR, 0, 0, 1, one, MPI_SUM, win);
  meet();
  if (rank == 0) expect(((signed char*)mem)[0] == 2 && ((signed char*)mem)[2] == 6);
  end();
  MPI_Type_free(&one);
}

/* Arrays that meet in part, whose elements meet as wholes. */
static void overlapping_arrays(void)
{
  const int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  int i, sum = 0;
  start();
  MPI_Accumulate(ones, 8, MPI_INT, 0, 4 * rank, 8, MPI_INT, MPI_SUM, win);
  meet();
  if (rank == 0) {
    for (i = 0; i < 4 * size + 4; ++i) sum += mem[i];
    expect(sum == 8 * size && mem[0] == 1 && mem[4] == 2);
  }
  end();
}

/* One by a vector, the other ones contiguous. */
static void vector_and_array(void)
{
  const int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  MPI_Datatype vector;
  MPI_Type_vector(4, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  start();
  if (rank == 1)
    MPI_Accumulate(ones, 1, vector, 0, 0, 1, vector, MPI_SUM, win);
  else
    MPI_Accumulate(ones, 8, MPI_INT, 0, 0, 8, MPI_INT, MPI_SUM, win);
  meet();
  if (rank == 0) expect(mem[0] == size && mem[1] == size - 1 && mem[6] == size && mem[7] == size - 1);
  end();
  MPI_Type_free(&vector);
}

/* A vector of the one and a put into its holes. */
static void put_into_holes(void)
{
  const int values[4] = {1, 2, 3, 4};
  MPI_Datatype vector;
  MPI_Type_vector(4, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  start();
  if (rank == 1)
    MPI_Put(values, 4, MPI_INT, 0, 1, 1, vector, win);
  else
    MPI_Accumulate(values, 4, MPI_INT, 0, 0, 1, vector, MPI_SUM, win);
  meet();
  if (rank == 0) expect(mem[0] == size - 1 && mem[1] == 1 && mem[6] == 4 * (size - 1) && mem[7] == 4);
  end();
  MPI_Type_free(&vector);
}

static void fetched_numbers(void)
{
  const int one = 1;
  int found, i, least = -1;
  start();
  for (i = 0; i < rounds; ++i) {
    MPI_Fetch_and_op(&one, &found, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush_local(0, win);
    expect(found > least);
    least = found;
  }
  meet();
  if (rank == 0) expect(mem[0] == rounds * size);
  end();
}

/* The other ones read while some add. */
static void no_op_beside_sum(void)
{
  const int one = 1;
  int found[2], before = 0, i;
  start();
  for (i = 0; i < rounds; ++i) {
    if (rank == 0) {
      add(&one, 1, 0);
      add(&one, 1, 1);
    } else {
      MPI_Get_accumulate(NULL, 0, MPI_INT, found, 2, MPI_INT, 1, 0, 2, MPI_INT, MPI_NO_OP, win);
      MPI_Win_flush(1, win);
      expect(found[0] >= before && found[0] <= rounds);
      before = found[0];
    }
  }
  end();
}

static void get_accumulate_of_all(void)
{
  const int values[4] = {1, 1, 1, 1};
  int found[4], i;
  start();
  MPI_Get_accumulate(values, 4, MPI_INT, found, 4, MPI_INT, 2, 8, 4, MPI_INT, MPI_SUM, win);
  MPI_Win_flush(2, win);
  for (i = 0; i < 4; ++i) expect(found[i] >= 0 && found[i] < size);
  meet();
  if (rank == 2) expect(mem[8] == size && mem[11] == size);
  end();
}

/* Each takes what the one before has left. */
static void exchanged_values(void)
{
  int mine = rank + 1, found, sum, total;
  start();
  MPI_Fetch_and_op(&mine, &found, MPI_INT, 0, 0, MPI_REPLACE, win);
  meet();
  sum = found + (rank == 0 ? mem[0] : 0);
  MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(total == size * (size + 1) / 2);
  end();
}

static void swaps_in_turn(void)
{
  const int to = rank + 1;
  int found;
  start();
  do {
    MPI_Compare_and_swap(&to, &rank, &found, MPI_INT, 0, 0, win);
    MPI_Win_flush(0, win);
  } while (found != rank);
  meet();
  if (rank == 0) expect(mem[0] == size);
  end();
}

/* One of all wins, and alone puts beside the element. */
static void winner_puts(void)
{
  const int none = 0, mine = rank + 1;
  int found;
  start();
  MPI_Compare_and_swap(&mine, &none, &found, MPI_INT, 1, 0, win);
  MPI_Win_flush(1, win);
  if (found == 0) put(&mine, 1, 1);
  meet();
  if (rank == 1) expect(mem[0] == mem[1] && mem[0] > 0);
  end();
}

/* A list on rank 0, whose head is swapped, and whose elements are put before. */
static void list(void)
{
  int head = 0, found, length = 0;
  const int mine = 8 + rank;
  start();
  for (;;) {
    put(&head, 0, mine);
    MPI_Win_flush(0, win);
    MPI_Compare_and_swap(&mine, &head, &found, MPI_INT, 0, 0, win);
    MPI_Win_flush(0, win);
    if (found == head) break;
    head = found;
  }
  meet();
  for (found = rank == 0 ? mem[0] : 0; found; found = mem[found]) ++length;
  if (rank == 0) expect(length == size);
  end();
}

static void largest_and_where(void)
{
  struct {
    int value, where;
  } mine = {rank % 2 ? 50 + rank : rank, rank};
  start();
  MPI_Accumulate(&mine, 1, MPI_2INT, 0, 0, 1, MPI_2INT, MPI_MAXLOC, win);
  meet();
  if (rank == 0) expect(mem[0] == 50 + mem[1] && mem[1] % 2 == 1);
  end();
}

/* A get after the accumulates of all are complete. */
static void then_got(void)
{
  const int one = 1;
  int found;
  start();
  add(&one, last(), 0);
  meet();
  get(&found, last(), 0);
  MPI_Win_flush(last(), win);
  expect(found == size);
  end();
}

/* Shared locks and an epoch of all admit accumulates at the same time. */
static void of_both_kinds_of_epoch(void)
{
  const int one = 1;
  int found = -1;
  open_window();
  if (rank % 2 == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    add(&one, 1, 0);
    MPI_Win_unlock(1, win);
  } else {
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &found, MPI_INT, 1, 0, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    expect(found >= 0 && found < size);
  }
  barrier();
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  get(&found, 1, 0);
  MPI_Win_unlock(1, win);
  expect(found == size);
  barrier();
  MPI_Win_free(&win);
}

/* Own memory as a target of oneself. */
static void at_itself(void)
{
  const int one = 1;
  int found[rounds], i;
  start();
  for (i = 0; i < rounds; ++i) {
    add(&one, rank, 0);
    MPI_Fetch_and_op(&one, found + i, MPI_INT, next(), 0, MPI_SUM, win);
  }
  meet();
  expect(mem[0] == 2 * rounds);
  end();
}

static const struct test_case cases[] = {
    {"operators_apart", "right", "12.7.1", operators_apart},
    {"operators_in_turn", "right", "12.7.1", operators_in_turn},
    {"operators_of_one_origin", "right", "12.7.2", operators_of_one_origin},
    {"info_of_one_operator", "right", "12.2.1", info_of_one_operator},
    {"types_apart", "right", "12.7.1", types_apart},
    {"small_neighbours", "right", "12.7.1", small_neighbours},
    {"overlapping_arrays", "right", "12.7.1", overlapping_arrays},
    {"vector_and_array", "right", "12.7.1", vector_and_array},
    {"put_into_holes", "right", "12.7", put_into_holes},
    {"fetched_numbers", "right", "12.3.4", fetched_numbers},
    {"no_op_beside_sum", "right", "12.2.1", no_op_beside_sum},
    {"get_accumulate_of_all", "right", "12.3.4", get_accumulate_of_all},
    {"exchanged_values", "right", "12.3.4", exchanged_values},
    {"swaps_in_turn", "right", "12.3.4", swaps_in_turn},
    {"winner_puts", "right", "12.7", winner_puts},
    {"list", "right", "12.5.4", list},
    {"largest_and_where", "right", "12.7.1", largest_and_where},
    {"then_got", "right", "12.5.4", then_got},
    {"of_both_kinds_of_epoch", "right", "12.5.3", of_both_kinds_of_epoch},
    {"at_itself", "right", "12.7.1", at_itself},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
