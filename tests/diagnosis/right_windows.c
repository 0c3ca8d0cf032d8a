/* Right: windows of all kinds over distinct and over common memory, one after the other and at once (MPI 5.0
 * §12.2, §12.7). */
#include "right.h"

static int array[256];

/* A window over the own memory given. */
static void create(int* base, int count)
{
  MPI_Win_create(base, (MPI_Aint)(count * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  mem = base;
}

static void clear_array(void)
{
  memset(array, 0, sizeof array);
}

static void fence(MPI_Win window)
{
  MPI_Win_fence(0, window);
}

static MPI_Aint address_of(const int* place)
{
  MPI_Aint address;
  MPI_Get_address(place, &address);
  return address;
}

/* Where the next rank has what it has attached. */
static MPI_Aint address_at_next(const int* place)
{
  MPI_Aint mine = address_of(place), its;
  MPI_Sendrecv(&mine, 1, MPI_AINT, previous(), 1, &its, 1, MPI_AINT, next(), 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  return its;
}

static void start_dynamic(void)
{
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
}

static void meet(void)
{
  MPI_Win_flush_all(win);
  MPI_Win_sync(win);
  barrier();
  MPI_Win_sync(win);
}

static void end_dynamic(void)
{
  barrier();
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static void put_at(const int* value, MPI_Aint address)
{
  MPI_Put(value, 1, MPI_INT, next(), address, 1, MPI_INT, win);
}

/* The program uses the rest of the array meanwhile. */
static void part_of_an_array(void)
{
  clear_array();
  create(array + 64, 64);
  fence(win);
  put(&rank, next(), 0);
  array[63] = array[128] = rank;
  load(array + 63);
  fence(win);
  expect(array[64] == previous());
  MPI_Win_free(&win);
}

/* Two windows over the halves of one array. */
static void two_halves(void)
{
  MPI_Win first_half;
  clear_array();
  create(array, 64);
  first_half = win;
  create(array + 64, 64);
  fence(first_half);
  fence(win);
  put(&rank, next(), 0);
  MPI_Put(&size, 1, MPI_INT, next(), 0, 1, MPI_INT, first_half);
  array[63] = 3;
  fence(win);
  expect(array[64] == previous());
  array[64] = -1;
  fence(first_half);
  expect(array[0] == size && array[63] == 3);
  MPI_Win_free(&win);
  MPI_Win_free(&first_half);
}

/* Two windows over the same memory, one after the other. */
static void same_memory_in_turn(void)
{
  MPI_Win one_more;
  int value = -1;
  clear_array();
  create(array, 64);
  one_more = win;
  create(array, 64);
  fence(win);
  put(&rank, next(), 5);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  expect(array[5] == previous());
  MPI_Win_fence(0, one_more);
  MPI_Get(&value, 1, MPI_INT, next(), 5, 1, MPI_INT, one_more);
  MPI_Win_fence(0, one_more);
  expect(value == rank);
  MPI_Put(&size, 1, MPI_INT, previous(), 5, 1, MPI_INT, one_more);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, one_more);
  expect(array[5] == size);
  MPI_Win_free(&win);
  MPI_Win_free(&one_more);
}

/* The memory belongs to the program when its window is free. */
static void free_and_again(void)
{
  int i;
  clear_array();
  for (i = 0; i < 4; ++i) {
    array[0] = -1;
    create(array, 64);
    fence(win);
    put(&i, next(), 0);
    fence(win);
    MPI_Win_free(&win);
    expect(array[0] == i);
  }
}

/* What MPI_Win_unlock has completed is there when the window is free, which is a barrier. */
static void unlock_and_free(void)
{
  clear_array();
  create(array, 64);
  barrier();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next(), 0, win);
  put(&rank, next(), 7);
  MPI_Win_unlock(next(), win);
  MPI_Win_free(&win);
  expect(array[7] == previous());
}

static void of_stack_memory(void)
{
  int local[16] = {0};
  create(local, 16);
  fence(win);
  put(&rank, next(), 15);
  fence(win);
  expect(local[15] == previous());
  MPI_Win_free(&win);
  local[15] = 0;
  load(local + 15);
}

static void of_alloc_mem(void)
{
  int *base, i;
  MPI_Alloc_mem(64 * sizeof(int), MPI_INFO_NULL, &base);
  for (i = 0; i < 64; ++i) base[i] = rank;
  create(base, 64);
  fence(win);
  put(&size, previous(), 63);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  expect(base[63] == size && base[62] == rank);
  MPI_Win_free(&win);
  MPI_Free_mem(base);
}

/* Only rank 0 has memory, the others nothing at all. */
static void empty_parts(void)
{
  clear_array();
  create(rank == 0 ? array : NULL, rank == 0 ? 64 : 0);
  fence(win);
  put(&rank, 0, rank);
  fence(win);
  if (rank == 0) expect(array[2] == 2);
  MPI_Win_free(&win);
}

/* Sizes and units of each rank's own. */
static void different_units(void)
{
  static char bytes[64];
  const int unit = rank % 2 ? 1 : 4;
  const MPI_Aint place = next() % 2 ? 8 : 2;
  memset(bytes, 0, sizeof bytes);
  MPI_Win_create(bytes, rank % 2 ? 64 : 32, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, next(), place, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  expect(((int*)(void*)bytes)[2] == previous());
  MPI_Win_free(&win);
}

static void info_hints(void)
{
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Info_set(info, "same_size", "true");
  MPI_Info_set(info, "same_disp_unit", "true");
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &mem, &win);
  MPI_Info_free(&info);
  mem[0] = -1;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  put(&rank, next(), 0);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  expect(mem[0] == previous());
  MPI_Win_free(&win);
}

/* A window for each half of the ranks. (Open MPI 4.1 makes none of one rank alone.) */
static void of_a_part_of_the_ranks(void)
{
  MPI_Comm half;
  int members, number;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  MPI_Comm_size(half, &members);
  MPI_Comm_rank(half, &number);
  clear_array();
  MPI_Win_create(array, sizeof array, sizeof(int), MPI_INFO_NULL, half, &win);
  MPI_Win_fence(0, win);
  put(&rank, (number + 1) % members, 0);
  MPI_Win_fence(0, win);
  expect(array[0] % 2 == rank % 2);
  MPI_Win_free(&win);
  MPI_Comm_free(&half);
}

/* Ranks of the window are those of its communicator. */
static void of_reversed_ranks(void)
{
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  clear_array();
  MPI_Win_create(array, sizeof array, sizeof(int), MPI_INFO_NULL, reversed, &win);
  MPI_Win_lock_all(0, win);
  put(&rank, last() - next(), 0);
  MPI_Win_flush_all(win);
  barrier();
  MPI_Win_sync(win);
  expect(array[0] == previous());
  barrier();
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&reversed);
}

/* (Open MPI 4.1 makes none of one rank alone.) */
static void of_oneself(void)
{
  int found = -1;
  clear_array();
  MPI_Win_create(array, sizeof array, sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  put(&rank, 0, 0);
  MPI_Win_flush(0, win);
  expect(array[0] == rank);
  array[0] += 1;
  MPI_Win_sync(win);
  get(&found, 0, 0);
  MPI_Win_unlock(0, win);
  expect(found == rank + 1);
  MPI_Win_free(&win);
}

/* A window of neighbours on a ring. */
static void of_a_topology(void)
{
  const int periodic = 1;
  MPI_Comm ring;
  int before, after;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Cart_shift(ring, 0, 1, &before, &after);
  clear_array();
  MPI_Win_create(array, sizeof array, sizeof(int), MPI_INFO_NULL, ring, &win);
  MPI_Win_fence(0, win);
  put(&rank, after, 0);
  put(&rank, before, 1);
  MPI_Win_fence(0, win);
  expect(array[0] == previous() && array[1] == next());
  MPI_Win_free(&win);
  MPI_Comm_free(&ring);
}

/* The group of a window is that of the epochs on it. */
static void groups_of_the_window(void)
{
  MPI_Group all, to, from;
  const int after = next(), before = previous();
  clear_array();
  create(array, 64);
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &after, &to);
  MPI_Group_incl(all, 1, &before, &from);
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  put(&rank, after, 0);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  expect(array[0] == before);
  MPI_Group_free(&all);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&win);
}

/* No process, in all kinds of epochs. (Open MPI 4.1 takes it for no target of a lock.) */
static void no_process(void)
{
  int value = 4, found = 5, compare = 4;
  clear_array();
  create(array, 64);
  barrier();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win);
  put(&value, MPI_PROC_NULL, 0);
  MPI_Win_unlock(MPI_PROC_NULL, win);
  MPI_Win_lock_all(0, win);
  put(&value, MPI_PROC_NULL, 0);
  add(&value, MPI_PROC_NULL, 0);
  get(&found, MPI_PROC_NULL, 0);
  MPI_Fetch_and_op(&value, &found, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win);
  MPI_Compare_and_swap(&value, &compare, &found, MPI_INT, MPI_PROC_NULL, 0, win);
  MPI_Win_flush_local(MPI_PROC_NULL, win);
  array[0] = 1;
  MPI_Win_unlock_all(win);
  expect(array[0] == 1 && found == 5);
  barrier();
  MPI_Win_free(&win);
}

static void dynamic_ring(void)
{
  MPI_Aint its;
  clear_array();
  start_dynamic();
  MPI_Win_attach(win, array, 64 * sizeof(int));
  its = address_at_next(array);
  put_at(&rank, its);
  meet();
  expect(array[0] == previous());
  end_dynamic();
}

/* Two pieces with a gap, which is not part of the window. */
static void dynamic_pieces(void)
{
  MPI_Aint its;
  clear_array();
  start_dynamic();
  MPI_Win_attach(win, array, 64 * sizeof(int));
  MPI_Win_attach(win, array + 128, 64 * sizeof(int));
  its = address_at_next(array);
  put_at(&rank, its);
  put_at(&size, MPI_Aint_add(its, 128 * sizeof(int)));
  array[64] = array[127] = rank;
  meet();
  expect(array[0] == previous() && array[128] == size);
  end_dynamic();
}

/* Detached memory belongs to the program alone, and may be attached again. */
static void dynamic_again(void)
{
  MPI_Aint its;
  int i;
  clear_array();
  start_dynamic();
  its = address_at_next(array);
  for (i = 0; i < 4; ++i) {
    MPI_Win_attach(win, array, 64 * sizeof(int));
    barrier();
    put_at(&i, its);
    meet();
    MPI_Win_detach(win, array);
    expect(array[0] == i);
    array[0] = -1;
  }
  end_dynamic();
}

/* Blocks of the heap that come and go, perhaps at the same addresses. */
static void dynamic_blocks(void)
{
  int i;
  start_dynamic();
  for (i = 0; i < 4; ++i) {
    int* block = malloc(64 * sizeof(int));
    MPI_Aint its;
    block[0] = block[1] = 0;
    MPI_Win_attach(win, block, 64 * sizeof(int));
    its = address_at_next(block);
    barrier();
    put_at(&i, its);
    meet();
    expect(block[0] == i && block[1] == 0);
    MPI_Win_detach(win, block);
    free(block);
  }
  end_dynamic();
}

static void dynamic_counter(void)
{
  const int one = 1;
  MPI_Aint of_0;
  int found, i;
  clear_array();
  start_dynamic();
  MPI_Win_attach(win, array, 64 * sizeof(int));
  of_0 = address_of(array);
  MPI_Bcast(&of_0, 1, MPI_AINT, 0, MPI_COMM_WORLD);
  for (i = 0; i < 5; ++i) {
    MPI_Fetch_and_op(&one, &found, MPI_INT, 0, of_0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    expect(found >= i);
  }
  meet();
  if (rank == 0) expect(array[0] == 5 * size);
  end_dynamic();
}

/* Fences, posts and locks of one target work on dynamic windows as well. */
static void dynamic_epochs(void)
{
  MPI_Aint its;
  MPI_Group to = group_of_one(next()), from = group_of_one(previous());
  int value = -1;
  clear_array();
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, array, 64 * sizeof(int));
  its = address_at_next(array);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  put_at(&rank, its);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  expect(array[0] == previous());
  array[0] = 50 + rank;
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  MPI_Get(&value, 1, MPI_INT, next(), its, 1, MPI_INT, win);
  MPI_Win_complete(win);
  expect(value == 50 + next());
  MPI_Win_wait(win);
  barrier();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next(), 0, win);
  put_at(&size, its);
  MPI_Win_unlock(next(), win);
  barrier();
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  expect(array[0] == size);
  MPI_Win_unlock(rank, win);
  MPI_Win_detach(win, array);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&win);
}

/* Epochs of several kinds on several windows, open at the same time. */
static void kinds_at_once(void)
{
  MPI_Win fenced, locked;
  MPI_Group to = group_of_one(next()), from = group_of_one(previous());
  clear_array();
  create(array, 64);
  fenced = win;
  create(array + 64, 64);
  locked = win;
  create(array + 128, 64);
  MPI_Win_fence(0, fenced);
  MPI_Win_lock_all(0, locked);
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  MPI_Put(&rank, 1, MPI_INT, next(), 0, 1, MPI_INT, fenced);
  MPI_Put(&rank, 1, MPI_INT, next(), 0, 1, MPI_INT, locked);
  put(&rank, next(), 0);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  expect(array[128] == previous());
  MPI_Win_unlock_all(locked);
  MPI_Win_fence(0, fenced);
  expect(array[0] == previous());
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, locked);
  expect(array[64] == previous());
  MPI_Win_unlock(rank, locked);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&win);
  MPI_Win_free(&locked);
  MPI_Win_free(&fenced);
}

/* A window of what was an intercommunicator. Last, as all that comes after its making is ordered anyway. */
static void of_merged_groups(void)
{
  MPI_Comm half, both, merged;
  int number;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 3, &both);
  MPI_Intercomm_merge(both, rank == 0, &merged);
  MPI_Comm_rank(merged, &number);
  clear_array();
  MPI_Win_create(array, sizeof array, sizeof(int), MPI_INFO_NULL, merged, &win);
  MPI_Win_fence(0, win);
  put(&number, (number + 1) % size, 0);
  MPI_Win_fence(0, win);
  expect(array[0] == (number + size - 1) % size);
  MPI_Win_free(&win);
  MPI_Comm_free(&half);
  MPI_Comm_free(&both);
  MPI_Comm_free(&merged);
}

static const struct test_case cases[] = {
    {"part_of_an_array", "right", "12.2.1", part_of_an_array},
    {"two_halves", "right", "12.2.1", two_halves},
    {"same_memory_in_turn", "right", "12.2.1", same_memory_in_turn},
    {"free_and_again", "right", "12.2.5", free_and_again},
    {"unlock_and_free", "right", "12.2.5", unlock_and_free},
    {"of_stack_memory", "right", "12.2.1", of_stack_memory},
    {"of_alloc_mem", "right", "12.2.1", of_alloc_mem},
    {"empty_parts", "right", "12.2.1", empty_parts},
    {"different_units", "right", "12.2.1", different_units},
    {"info_hints", "right", "12.2.1", info_hints},
    {"of_a_part_of_the_ranks", "right", "12.2.1", of_a_part_of_the_ranks},
    {"of_reversed_ranks", "right", "12.2.1", of_reversed_ranks},
    {"of_oneself", "right", "12.5.4", of_oneself},
    {"of_a_topology", "right", "12.2.1", of_a_topology},
    {"groups_of_the_window", "right", "12.5.2", groups_of_the_window},
    {"no_process", "right", "12.3", no_process},
    {"dynamic_ring", "right", "12.2.4", dynamic_ring},
    {"dynamic_pieces", "right", "12.2.4", dynamic_pieces},
    {"dynamic_again", "right", "12.2.4", dynamic_again},
    {"dynamic_blocks", "right", "12.2.4", dynamic_blocks},
    {"dynamic_counter", "right", "12.2.4", dynamic_counter},
    {"dynamic_epochs", "right", "12.5", dynamic_epochs},
    {"kinds_at_once", "right", "12.5", kinds_at_once},
    {"of_merged_groups", "right", "12.2.1", of_merged_groups},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
