/* Right: operations, loads and stores between fences (MPI 5.0 §12.5.1, §12.5.5, §12.7). */
#include "right.h"

static void start(void)
{
  open_window();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
}

static void fence(void)
{
  MPI_Win_fence(0, win);
}

/* What is loaded afterwards is the last that happens to the window. */
static void close_epoch(void)
{
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void end(void)
{
  MPI_Win_free(&win);
}

static void ring_of_puts(void)
{
  start();
  put(&rank, next(), 0);
  close_epoch();
  expect(mem[0] == previous());
  end();
}

/* Each origin has a place of its own. */
static void puts_to_all(void)
{
  int i;
  start();
  for (i = 0; i < size; ++i) put(&rank, i, rank);
  close_epoch();
  for (i = 0; i < size; ++i) expect(mem[i] == i);
  end();
}

static void put_then_get(void)
{
  int value = -1;
  start();
  put(&rank, next(), 3);
  fence();
  get(&value, next(), 3);
  close_epoch();
  expect(value == rank);
  end();
}

/* Its own part is a target as any other. */
static void to_itself(void)
{
  int value = -1;
  start();
  put(&rank, rank, 1);
  fence();
  get(&value, rank, 1);
  expect(mem[1] == rank);
  close_epoch();
  mem[1] = -1;
  expect(value == rank);
  end();
}

/* Reading is no conflict. */
static void gets_and_loads(void)
{
  int value = -1;
  start();
  if (rank == 0) mem[7] = 7;
  fence();
  get(&value, 0, 7);
  if (rank == 0) load(mem + 7);
  close_epoch();
  expect(value == 7);
  end();
}

static void get_beside_put(void)
{
  int value = -1;
  start();
  mem[5] = rank;
  fence();
  put(&rank, next(), 4);
  get(&value, next(), 5);
  put(&rank, next(), 6);
  close_epoch();
  expect(value == next() && mem[4] == previous() && mem[6] == previous());
  end();
}

/* A store beside a put, in one word of the machine. */
static void store_beside_put(void)
{
  start();
  put(&rank, next(), 2);
  mem[3] = rank;
  load(mem + 3);
  close_epoch();
  expect(mem[2] == previous() && mem[3] == rank);
  end();
}

static MPI_Datatype committed(MPI_Datatype type)
{
  MPI_Type_commit(&type);
  return type;
}

static void interleaved_vectors(void)
{
  int values[8], i;
  MPI_Datatype vector;
  MPI_Type_vector(8, 1, size, MPI_INT, &vector);
  vector = committed(vector);
  for (i = 0; i < 8; ++i) values[i] = rank;
  start();
  if (8 * size <= 64) MPI_Put(values, 8, MPI_INT, 0, rank, 1, vector, win);
  close_epoch();
  if (rank == 0 && 8 * size <= 64)
    for (i = 0; i < 8 * size; ++i) expect(mem[i] == i % size);
  end();
  MPI_Type_free(&vector);
}

/* One puts into the hole of the other one's structure. */
static void holes(void)
{
  struct pair {
    char small;
    int large;
  };
  static const struct pair mine = {'a', 5};
  struct pair found;
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {offsetof(struct pair, small), offsetof(struct pair, large)};
  const MPI_Datatype types[2] = {MPI_CHAR, MPI_INT};
  const MPI_Aint gap = offsetof(struct pair, small) + 1;
  const char filler = 'b';
  MPI_Datatype structure, hole;
  MPI_Type_create_struct(2, lengths, places, types, &structure);
  structure = committed(structure);
  MPI_Type_create_hindexed_block(1, 1, &gap, MPI_CHAR, &hole);
  hole = committed(hole);
  start();
  if (rank == 0) MPI_Put(&mine, 1, structure, 2, 0, 1, structure, win);
  if (rank == 1) MPI_Put(&filler, 1, MPI_CHAR, 2, 0, 1, hole, win);
  close_epoch();
  if (rank == 2) {
    memcpy(&found, mem, sizeof found);
    expect(found.small == 'a' && found.large == 5 && ((char*)mem)[gap] == 'b');
  }
  end();
  MPI_Type_free(&structure);
  MPI_Type_free(&hole);
}

static void columns(void)
{
  const int sizes[2] = {8, 8}, part[2] = {8, 1}, starts[2] = {0, rank % 8};
  int values[8], i;
  MPI_Datatype column;
  MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_INT, &column);
  column = committed(column);
  for (i = 0; i < 8; ++i) values[i] = 10 * i + rank;
  start();
  if (rank < 8) MPI_Put(values, 8, MPI_INT, 0, 0, 1, column, win);
  close_epoch();
  if (rank == 0)
    for (i = 0; i < 8; ++i) expect(mem[8 * i + 1] == 10 * i + 1 && mem[8 * i + 2] == 10 * i + 2);
  end();
  MPI_Type_free(&column);
}

static void bytes_of_one_word(void)
{
  MPI_Aint offset = rank;
  const unsigned char value = (unsigned char)(rank + 1);
  MPI_Datatype byte;
  MPI_Type_create_hindexed_block(1, 1, &offset, MPI_BYTE, &byte);
  byte = committed(byte);
  start();
  if (rank < 4) MPI_Put(&value, 1, MPI_BYTE, 0, 0, 1, byte, win);
  close_epoch();
  if (rank == 0) expect(((unsigned char*)mem)[0] == 1 && ((unsigned char*)mem)[2] == 3);
  end();
  MPI_Type_free(&byte);
}

/* An origin buffer may be read by any number of operations and by the program (§12.3). */
static void one_origin_buffer(void)
{
  int value = 10 + rank;
  start();
  put(&value, next(), 0);
  put(&value, previous(), 1);
  add(&value, next(), 2);
  load(&value);
  close_epoch();
  value = 0;
  expect(mem[0] == 10 + previous() && mem[1] == 10 + next() && mem[2] == 10 + previous());
  end();
}

/* Origin buffers that are part of the window. */
static void from_window_to_window(void)
{
  start();
  mem[0] = rank;
  fence();
  put(mem, next(), 1);
  get(mem + 2, next(), 0);
  close_epoch();
  expect(mem[0] == rank && mem[1] == previous() && mem[2] == next());
  end();
}

static void zero_counts(void)
{
  start();
  mem[0] = rank;
  MPI_Put(&rank, 0, MPI_INT, next(), 0, 0, MPI_INT, win);
  MPI_Get(mem, 0, MPI_INT, next(), 0, 0, MPI_INT, win);
  MPI_Accumulate(&rank, 0, MPI_INT, next(), 0, 0, MPI_INT, MPI_PROD, win);
  mem[0] += 1;
  close_epoch();
  expect(mem[0] == rank + 1);
  end();
}

static void no_process(void)
{
  int value = 3;
  start();
  put(&value, MPI_PROC_NULL, 0);
  get(&value, MPI_PROC_NULL, 0);
  mem[0] = 1;
  fence();
  put(&value, rank == 0 ? 1 : MPI_PROC_NULL, 0);
  close_epoch();
  expect(mem[0] == (rank == 1 ? 3 : 1));
  end();
}

/* Assertions that are true, on each fence (§12.5.5). */
static void assertions(void)
{
  int value = -1;
  open_window();
  mem[0] = rank;
  MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT, win);
  get(&value, next(), 0);
  MPI_Win_fence(MPI_MODE_NOSTORE, win);
  expect(value == next());
  put(&rank, next(), 1);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, win);
  expect(mem[1] == previous());
  mem[1] = 0;
  barrier();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  put(&rank, previous(), 1);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  expect(mem[1] == next());
  end();
}

/* Only rank 0 puts, so that NOPUT is true at that target alone; NOSTORE where a rank has not stored. */
static void assertions_of_some(void)
{
  start();
  if (rank == 0) {
    put(&size, 1, 0);
    mem[2] = 4;
  }
  MPI_Win_fence(rank == 0 ? 0 : MPI_MODE_NOSTORE, win);
  if (rank == 1) put(mem, 0, 1);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 0) expect(mem[1] == size && mem[2] == 4);
  end();
}

/* The origin of the second epoch has done nothing in the first one. */
static void third_rank(void)
{
  int value = 0;
  start();
  if (rank == 0) put(&size, 2, 0);
  fence();
  if (rank == 1) get(&value, 2, 0);
  fence();
  if (rank == 1) {
    expect(value == size);
    value = 5;
    put(&value, 2, 0);
  }
  close_epoch();
  if (rank == 2) expect(mem[0] == 5);
  end();
}

/* Who stores and who puts takes turns. */
static void taking_turns(void)
{
  int i;
  start();
  for (i = 0; i < 12; ++i) {
    const int owner = i % size;
    if (i % 2 == 0 && rank == owner) mem[0] = i;
    if (i % 2 == 1 && rank != owner) put(&i, rank == (owner + 1) % size ? owner : MPI_PROC_NULL, 0);
    fence();
    if (rank == owner) expect(mem[0] == i);
    fence();
  }
  close_epoch();
  end();
}

/* The same places of two windows are different memory, whose epochs have nothing to do with each other. */
static void two_windows(void)
{
  MPI_Win second;
  int* memory;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &second);
  *memory = 0;
  start();
  MPI_Win_fence(0, second);
  put(&rank, next(), 0);
  MPI_Put(&size, 1, MPI_INT, previous(), 0, 1, MPI_INT, second);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, second);
  expect(*memory == size);
  *memory = 2;
  close_epoch();
  expect(mem[0] == previous());
  end();
  MPI_Win_free(&second);
}

/* An epoch of a fence may be followed by epochs of other kinds when it is closed. */
static void fence_then_lock(void)
{
  int value = 0;
  start();
  put(&rank, next(), 0);
  close_epoch();
  expect(mem[0] == previous());
  barrier();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next(), 0, win);
  get(&value, next(), 0);
  MPI_Win_flush(next(), win);
  expect(value == rank);
  value = 20;
  put(&value, next(), 0);
  MPI_Win_unlock(next(), win);
  barrier();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  get(&value, previous(), 0);
  close_epoch();
  expect(value == 20);
  end();
}

/* A result may be handed on as soon as the fence has returned. */
static void result_sent(void)
{
  int value = -1, received;
  start();
  mem[0] = rank;
  fence();
  get(&value, next(), 0);
  fence();
  MPI_Sendrecv(&value, 1, MPI_INT, previous(), 0, &received, 1, MPI_INT, next(), 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  value = 0;
  close_epoch();
  expect(received == (rank + 2) % size);
  end();
}

/* A message received into the window, in a place that no operation touches. */
static void received_into_window(void)
{
  start();
  put(&rank, next(), 0);
  MPI_Sendrecv(&rank, 1, MPI_INT, next(), 0, mem + 1, 1, MPI_INT, previous(), 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  fence();
  get(mem + 2, next(), 1);
  close_epoch();
  expect(mem[0] == previous() && mem[1] == previous() && mem[2] == rank);
  end();
}

/* Two gets into the alternating elements of one array. */
static void interleaved_results(void)
{
  int found[8] = {0}, i;
  MPI_Datatype vector;
  MPI_Type_vector(4, 1, 2, MPI_INT, &vector);
  vector = committed(vector);
  start();
  for (i = 0; i < 4; ++i) mem[i] = 10 * rank + i;
  fence();
  MPI_Get(found, 1, vector, next(), 0, 4, MPI_INT, win);
  MPI_Get(found + 1, 1, vector, previous(), 0, 4, MPI_INT, win);
  close_epoch();
  for (i = 0; i < 4; ++i) expect(found[2 * i] == 10 * next() + i && found[2 * i + 1] == 10 * previous() + i);
  end();
  MPI_Type_free(&vector);
}

/* Fences do not care which ranks communicate, nor whether any does. */
static void empty_epochs(void)
{
  int i;
  start();
  for (i = 0; i < 5; ++i) {
    mem[0] = i;
    fence();
  }
  if (rank == 2) put(&rank, 0, 0);
  fence();
  fence();
  expect(mem[0] == (rank == 0 ? 2 : 4));
  close_epoch();
  end();
}

/* A fence orders also what is known by a message: rank 1's store comes after the put that rank 0 tells of. */
static void fence_then_message(void)
{
  start();
  if (rank == 0) put(&size, 1, 0);
  fence();
  if (rank == 0) send_to(1);
  if (rank == 1) {
    receive_from(0);
    expect(mem[0] == size);
    mem[0] = 9;
  }
  fence();
  if (rank == 2) get(mem + 1, 1, 0);
  close_epoch();
  if (rank == 2) expect(mem[1] == 9);
  end();
}

static const struct test_case cases[] = {
    {"ring_of_puts", "right", "12.5.1", ring_of_puts},
    {"puts_to_all", "right", "12.7", puts_to_all},
    {"put_then_get", "right", "12.5.1", put_then_get},
    {"to_itself", "right", "12.5.1", to_itself},
    {"gets_and_loads", "right", "12.7", gets_and_loads},
    {"get_beside_put", "right", "12.7", get_beside_put},
    {"store_beside_put", "right", "12.7", store_beside_put},
    {"interleaved_vectors", "right", "12.7", interleaved_vectors},
    {"holes", "right", "12.7", holes},
    {"columns", "right", "12.7", columns},
    {"bytes_of_one_word", "right", "12.7", bytes_of_one_word},
    {"one_origin_buffer", "right", "12.3", one_origin_buffer},
    {"from_window_to_window", "right", "12.7", from_window_to_window},
    {"zero_counts", "right", "12.3", zero_counts},
    {"no_process", "right", "12.3", no_process},
    {"assertions", "right", "12.5.5", assertions},
    {"assertions_of_some", "right", "12.5.5", assertions_of_some},
    {"third_rank", "right", "12.5.1", third_rank},
    {"taking_turns", "right", "12.5.1", taking_turns},
    {"two_windows", "right", "12.5", two_windows},
    {"fence_then_lock", "right", "12.5", fence_then_lock},
    {"result_sent", "right", "12.5.1", result_sent},
    {"received_into_window", "right", "12.7", received_into_window},
    {"interleaved_results", "right", "12.3", interleaved_results},
    {"empty_epochs", "right", "12.5.1", empty_epochs},
    {"fence_then_message", "right", "12.5.1", fence_then_message},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
