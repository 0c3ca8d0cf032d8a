/* Right: loads and stores to shared windows, of all ranks and beside operations, with all that may order them
 * (MPI 5.0 §12.2.3, §12.5.4, §12.7, §12.8). */
#include <stdatomic.h>

#include "right.h"

/* The first element of a rank's part, in this rank's memory. */
static int* part_of(int member)
{
  MPI_Aint bytes;
  int unit, *base;
  MPI_Win_shared_query(win, member, &bytes, &unit, &base);
  return base;
}

/* All hold their locks before anybody polls: MPICH needs calls of the target to give them. */
static void start(void)
{
  open_shared();
  MPI_Win_lock_all(0, win);
  barrier();
}

/* What all have stored and what is complete at its target is seen by everybody. */
static void meet(void)
{
  MPI_Win_sync(win);
  barrier();
  MPI_Win_sync(win);
}

static void end(void)
{
  barrier();
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/* With the memory that each rank asks for; no epoch is open. */
static void open_sized(int count, MPI_Info info)
{
  MPI_Win_allocate_shared((MPI_Aint)(count * sizeof(int)), sizeof(int), info, MPI_COMM_WORLD, &mem, &win);
  MPI_Win_lock_all(0, win);
}

static void store_to_the_next(void)
{
  start();
  *part_of(next()) = rank;
  meet();
  expect(mem[0] == previous());
  end();
}

static void load_from_the_next(void)
{
  start();
  mem[5] = rank;
  meet();
  expect(part_of(next())[5] == next());
  end();
}

/* By default the parts lie one after the other. */
static void one_array(void)
{
  int i;
  start();
  word[64 * next() + 63] = rank;
  meet();
  for (i = 0; i < size; ++i) expect(word[64 * i + 63] == (i + size - 1) % size);
  end();
}

static void parts_apart(void)
{
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  open_sized(64, info);
  MPI_Info_free(&info);
  part_of(next())[63] = rank;
  meet();
  expect(mem[63] == previous());
  end();
}

/* MPI_PROC_NULL stands for the first rank that has memory. */
static void memory_of_one(void)
{
  int i, *base;
  open_sized(rank == last() ? 64 : 0, MPI_INFO_NULL);
  base = part_of(MPI_PROC_NULL);
  base[rank] = rank;
  meet();
  for (i = 0; i < size; ++i) expect(base[i] == i);
  end();
}

static void elements_of_one_line(void)
{
  int i;
  start();
  for (i = 0; i < 100; ++i) word[rank] += rank;
  meet();
  for (i = 0; i < size; ++i) expect(word[i] == 100 * i);
  end();
}

static void bytes_of_one_word(void)
{
  char* bytes;
  start();
  bytes = (char*)word;
  if (rank < 4) bytes[rank] = (char)(rank + 1);
  meet();
  expect(bytes[0] == 1 && bytes[1] == 2 && bytes[2] == 3);
  end();
}

/* All load, and get. */
static void readers_only(void)
{
  int value = -1;
  start();
  if (rank == 1) *word = 7;
  meet();
  get(&value, 0, 0);
  expect(*word == 7);
  MPI_Win_flush(0, win);
  expect(value == 7);
  end();
}

static void put_and_load(void)
{
  start();
  put(&rank, next(), 3);
  MPI_Win_flush(next(), win);
  meet();
  expect(mem[3] == previous() && part_of(next())[3] == rank);
  end();
}

static void store_and_get(void)
{
  int value = -1;
  start();
  mem[3] = rank;
  meet();
  get(&value, next(), 3);
  MPI_Win_flush(next(), win);
  expect(value == next());
  end();
}

/* Stored by one rank into the part of another one, and got from there by a third. */
static void three_parties(void)
{
  const int before = (rank + size - 2) % size;
  int value = -1;
  start();
  part_of(next())[2] = rank;
  meet();
  get(&value, previous(), 2);
  MPI_Win_flush_local(previous(), win);
  expect(value == before);
  end();
}

static void put_beside_stores(void)
{
  start();
  put(&rank, next(), 8);
  mem[7] = mem[9] = rank;
  MPI_Win_flush(next(), win);
  meet();
  expect(mem[7] == rank && mem[8] == previous() && mem[9] == rank);
  end();
}

/* A put of every second element; what lies between is stored to. */
static void store_into_gaps(void)
{
  MPI_Datatype every_second;
  const int values[3] = {rank, rank, rank};
  start();
  MPI_Type_vector(3, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Put(values, 3, MPI_INT, next(), 0, 1, every_second, win);
  mem[1] = mem[3] = -1;
  MPI_Win_flush(next(), win);
  meet();
  expect(mem[0] == previous() && mem[2] == previous() && mem[4] == previous());
  expect(mem[1] == -1 && mem[3] == -1);
  MPI_Type_free(&every_second);
  end();
}

static void sum_and_load(void)
{
  const int one = 1;
  start();
  add(&one, 0, 0);
  MPI_Win_flush(0, win);
  meet();
  expect(*word == size);
  end();
}

/* Who draws a number stores to the element of that number. */
static void tickets(void)
{
  const int one = 1;
  int ticket = -1, i, sum = 0;
  start();
  MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
  MPI_Win_flush(0, win);
  word[1 + ticket] = rank + 1;
  meet();
  for (i = 0; i < size; ++i) sum += word[1 + i];
  expect(sum == size * (size + 1) / 2);
  end();
}

/* MPI_NO_OP reads only, as the loads do. */
static void fetch_beside_loads(void)
{
  int value = -1;
  start();
  if (rank == 0) *word = 4;
  meet();
  MPI_Fetch_and_op(NULL, &value, MPI_INT, 0, 0, MPI_NO_OP, win);
  expect(*word == 4);
  MPI_Win_flush(0, win);
  expect(value == 4);
  end();
}

static void requests(void)
{
  MPI_Request request;
  int value = -1;
  start();
  mem[0] = rank;
  meet();
  MPI_Rget(&value, 1, MPI_INT, next(), 0, 1, MPI_INT, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(value == next());
  meet();
  value = -rank;
  MPI_Rput(&value, 1, MPI_INT, next(), 0, 1, MPI_INT, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  value = 0;
  MPI_Win_flush(next(), win);
  meet();
  expect(mem[0] == -previous());
  end();
}

static void fences_and_stores(void)
{
  int i;
  open_shared();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  for (i = 0; i < 3; ++i) {
    part_of(next())[0] = rank + i;
    MPI_Win_fence(0, win);
    expect(mem[0] == previous() + i);
    MPI_Win_fence(0, win);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
}

static void fences_and_operations(void)
{
  int value = -1;
  open_shared();
  MPI_Win_fence(0, win);
  put(&rank, next(), 0);
  MPI_Win_fence(0, win);
  expect(part_of(next())[0] == rank);
  part_of(next())[1] = rank;
  MPI_Win_fence(0, win);
  get(&value, next(), 1);
  MPI_Win_fence(0, win);
  expect(value == rank && mem[0] == previous());
  MPI_Win_free(&win);
}

/* The target stores before it posts, and loads after it has waited. */
static void post_and_wait(void)
{
  MPI_Group from = group_of_one(previous()), to = group_of_one(next());
  int value = -1;
  open_shared();
  mem[0] = rank;
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  get(&value, next(), 0);
  put(&rank, next(), 1);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  expect(value == next() && mem[1] == previous());
  mem[0] = mem[1] = -1;
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  barrier();
  MPI_Win_free(&win);
}

static void exclusive_counter(void)
{
  int i;
  open_shared();
  for (i = 0; i < 20; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    ++*word;
    MPI_Win_unlock(0, win);
  }
  barrier();
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  expect(*word == 20 * size);
  MPI_Win_unlock(0, win);
  barrier();
  MPI_Win_free(&win);
}

/* Stores of some and operations of others, all under the lock of that part. */
static void exclusive_and_operations(void)
{
  const int one = 1;
  int value = -1;
  open_shared();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  if (rank % 2) {
    ++*part_of(1);
  } else {
    get(&value, 1, 0);
    MPI_Win_flush(1, win);
    value += one;
    put(&value, 1, 0);
  }
  MPI_Win_unlock(1, win);
  barrier();
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  expect(*part_of(1) == size);
  MPI_Win_unlock(1, win);
  barrier();
  MPI_Win_free(&win);
}

/* Each rank stores under the lock of another part. */
static void locks_of_parts(void)
{
  open_shared();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next(), 0, win);
  part_of(next())[4] = rank;
  MPI_Win_unlock(next(), win);
  barrier();
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  expect(mem[4] == previous());
  MPI_Win_unlock(rank, win);
  barrier();
  MPI_Win_free(&win);
}

/* Each one adds to what it has been handed, and hands it on. */
static void chain_of_messages(void)
{
  start();
  if (rank > 0) receive_from(previous());
  MPI_Win_sync(win);
  *word += rank + 1;
  MPI_Win_sync(win);
  send_to(next());
  if (rank == 0) {
    receive_from(last());
    MPI_Win_sync(win);
    expect(*word == size * (size + 1) / 2);
  }
  end();
}

static void exchange_with_neighbours(void)
{
  start();
  mem[0] = rank;
  MPI_Win_sync(win);
  MPI_Sendrecv(NULL, 0, MPI_INT, next(), 1, NULL, 0, MPI_INT, previous(), 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Win_sync(win);
  expect(*part_of(previous()) == previous());
  end();
}

/* What is stored before a nonblocking send starts; MPI_Waitall tells of the receive. */
static void nonblocking_messages(void)
{
  MPI_Request pending[2];
  start();
  MPI_Irecv(NULL, 0, MPI_INT, previous(), 1, MPI_COMM_WORLD, &pending[0]);
  mem[0] = rank;
  MPI_Win_sync(win);
  MPI_Isend(NULL, 0, MPI_INT, next(), 1, MPI_COMM_WORLD, &pending[1]);
  mem[1] = rank;
  MPI_Waitall(2, pending, MPI_STATUSES_IGNORE);
  MPI_Win_sync(win);
  expect(*part_of(previous()) == previous());
  end();
}

static void persistent_messages(void)
{
  MPI_Request pending[2];
  int i;
  start();
  MPI_Recv_init(NULL, 0, MPI_INT, previous(), 1, MPI_COMM_WORLD, &pending[0]);
  MPI_Send_init(NULL, 0, MPI_INT, next(), 1, MPI_COMM_WORLD, &pending[1]);
  for (i = 0; i < 3; ++i) {
    mem[i] = rank;
    MPI_Win_sync(win);
    MPI_Startall(2, pending);
    MPI_Waitall(2, pending, MPI_STATUSES_IGNORE);
    MPI_Win_sync(win);
    expect(part_of(previous())[i] == previous());
  }
  MPI_Request_free(&pending[0]);
  MPI_Request_free(&pending[1]);
  end();
}

/* A synchronous send ends when its receive has begun. */
static void receiver_has_stored(void)
{
  start();
  if (rank == 0) {
    *word = 6;
    MPI_Win_sync(win);
    receive_from(1);
  } else if (rank == 1) {
    MPI_Ssend(NULL, 0, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Win_sync(win);
    expect(*word == 6);
  }
  end();
}

static void probed_message(void)
{
  MPI_Request request;
  start();
  mem[0] = rank;
  MPI_Win_sync(win);
  MPI_Isend(NULL, 0, MPI_INT, next(), 5, MPI_COMM_WORLD, &request);
  MPI_Probe(previous(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_sync(win);
  expect(*part_of(previous()) == previous());
  receive_from(previous());
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  end();
}

static void root_of_bcast(void)
{
  int value = 1;
  start();
  if (rank == 1) *word = 8;
  MPI_Win_sync(win);
  MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Win_sync(win);
  expect(*word == 8);
  end();
}

static void root_of_scatter(void)
{
  int* all = calloc((size_t)size, sizeof *all);
  int value = -1;
  start();
  if (rank == 2) *word = 8;
  MPI_Win_sync(win);
  MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Win_sync(win);
  expect(*word == 8 && value == 0);
  free(all);
  end();
}

/* The root knows of all others. */
static void root_of_reduce(void)
{
  int sum = -1, i;
  start();
  mem[0] = rank;
  MPI_Win_sync(win);
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  MPI_Win_sync(win);
  if (rank == 1)
    for (i = 0; i < size; ++i) expect(*part_of(i) == i);
  end();
}

/* Each one knows of those before it. */
static void prefixes(void)
{
  int sum = 0, i;
  start();
  mem[0] = rank;
  MPI_Win_sync(win);
  MPI_Exscan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Win_sync(win);
  for (i = 0; i < rank; ++i) expect(*part_of(i) == i);
  end();
}

static void all_know_of_all(void)
{
  int* all = calloc((size_t)size, sizeof *all);
  int i;
  start();
  mem[0] = rank;
  MPI_Win_sync(win);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Win_sync(win);
  for (i = 0; i < size; ++i) expect(*part_of(i) == all[i]);
  free(all);
  end();
}

/* What is stored while the barrier is under way comes after it for nobody. */
static void nonblocking_barrier(void)
{
  MPI_Request request;
  start();
  mem[0] = rank;
  MPI_Win_sync(win);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  mem[1] = rank;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_sync(win);
  expect(*part_of(next()) == next());
  end();
}

static void neighbours_of_a_ring(void)
{
  const int periodic = 1;
  MPI_Comm ring;
  int around[2];
  start();
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  mem[0] = rank;
  MPI_Win_sync(win);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, ring);
  MPI_Win_sync(win);
  expect(*part_of(previous()) == around[0] && *part_of(next()) == around[1]);
  MPI_Comm_free(&ring);
  end();
}

/* A flag in the window that is polled, with MPI_Win_sync on both sides. */
static void polled_flags(void)
{
  atomic_int *mine, *its;
  start();
  mine = (atomic_int*)(mem + 32);
  its = (atomic_int*)(part_of(previous()) + 32);
  mem[0] = rank;
  MPI_Win_sync(win);
  atomic_store_explicit(mine, 1, memory_order_relaxed);
  while (!atomic_load_explicit(its, memory_order_relaxed)) sched_yield();
  MPI_Win_sync(win);
  expect(*part_of(previous()) == previous());
  end();
}

/* One word goes round and round: whose turn it is stands in a flag. */
static void word_in_turn(void)
{
  atomic_int* turn_of;
  int i;
  start();
  turn_of = (atomic_int*)(word + 32);
  for (i = 0; i < 3; ++i) {
    while (atomic_load_explicit(turn_of, memory_order_relaxed) != i * size + rank) sched_yield();
    MPI_Win_sync(win);
    ++*word;
    MPI_Win_sync(win);
    atomic_store_explicit(turn_of, i * size + rank + 1, memory_order_relaxed);
  }
  meet();
  expect(*word == 3 * size);
  end();
}

/* A lock made of compare-and-swaps guards loads and stores. */
static void swapped_lock(void)
{
  const int free_ = 0, taken = 1;
  int found;
  start();
  do {
    MPI_Compare_and_swap(&taken, &free_, &found, MPI_INT, 0, 1, win);
    MPI_Win_flush(0, win);
    if (found != free_) sched_yield();
  } while (found != free_);
  MPI_Win_sync(win);
  *word += 2;
  MPI_Win_sync(win);
  MPI_Accumulate(&free_, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Win_flush(0, win);
  meet();
  expect(*word == 2 * size);
  end();
}

/* Of the ranks that can share memory, whoever they are. */
static void of_a_node(void)
{
  MPI_Comm node;
  int members, number, *base, unit;
  MPI_Aint bytes;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &members);
  MPI_Comm_rank(node, &number);
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mem, &win);
  MPI_Win_fence(0, win);
  MPI_Win_shared_query(win, (number + 1) % members, &bytes, &unit, &base);
  *base = number;
  MPI_Win_fence(0, win);
  expect(*mem == (number + members - 1) % members);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

/* What orders the ranks on one window orders what they store to the other one. */
static void two_windows(void)
{
  MPI_Win one_more;
  int* base;
  start();
  MPI_Win_allocate_shared(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &one_more);
  MPI_Win_fence(0, one_more);
  mem[0] = base[0] = rank;
  MPI_Win_sync(win);
  MPI_Win_fence(0, one_more);
  MPI_Win_sync(win);
  expect(*part_of(next()) == next());
  MPI_Win_free(&one_more);
  end();
}

/* MPI_Win_free waits for all, and memory that is given again is new. */
static void freed_and_made_again(void)
{
  int i;
  for (i = 0; i < 3; ++i) {
    start();
    part_of(next())[i] = rank;
    meet();
    expect(mem[i] == previous());
    barrier();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
  }
}

static const struct test_case cases[] = {
    {"store_to_the_next", "right", "12.5.4", store_to_the_next},
    {"load_from_the_next", "right", "12.5.4", load_from_the_next},
    {"one_array", "right", "12.2.3", one_array},
    {"parts_apart", "right", "12.2.3", parts_apart},
    {"memory_of_one", "right", "12.2.3", memory_of_one},
    {"elements_of_one_line", "right", "12.7", elements_of_one_line},
    {"bytes_of_one_word", "right", "12.7", bytes_of_one_word},
    {"readers_only", "right", "12.7", readers_only},
    {"put_and_load", "right", "12.5.4", put_and_load},
    {"store_and_get", "right", "12.5.4", store_and_get},
    {"three_parties", "right", "12.5.4", three_parties},
    {"put_beside_stores", "right", "12.7", put_beside_stores},
    {"store_into_gaps", "right", "12.7", store_into_gaps},
    {"sum_and_load", "right", "12.5.4", sum_and_load},
    {"tickets", "right", "12.3.4", tickets},
    {"fetch_beside_loads", "right", "12.7", fetch_beside_loads},
    {"requests", "right", "12.3.5", requests},
    {"fences_and_stores", "right", "12.5.1", fences_and_stores},
    {"fences_and_operations", "right", "12.5.1", fences_and_operations},
    {"post_and_wait", "right", "12.5.2", post_and_wait},
    {"exclusive_counter", "right", "12.5.3", exclusive_counter},
    {"exclusive_and_operations", "right", "12.5.3", exclusive_and_operations},
    {"locks_of_parts", "right", "12.5.3", locks_of_parts},
    {"chain_of_messages", "right", "3.2", chain_of_messages},
    {"exchange_with_neighbours", "right", "3.10", exchange_with_neighbours},
    {"nonblocking_messages", "right", "3.7.3", nonblocking_messages},
    {"persistent_messages", "right", "3.9", persistent_messages},
    {"receiver_has_stored", "right", "3.4", receiver_has_stored},
    {"probed_message", "right", "3.8", probed_message},
    {"root_of_bcast", "right", "6.4", root_of_bcast},
    {"root_of_scatter", "right", "6.6", root_of_scatter},
    {"root_of_reduce", "right", "6.9", root_of_reduce},
    {"prefixes", "right", "6.11", prefixes},
    {"all_know_of_all", "right", "6.7", all_know_of_all},
    {"nonblocking_barrier", "right", "6.12", nonblocking_barrier},
    {"neighbours_of_a_ring", "right", "8.6", neighbours_of_a_ring},
    {"polled_flags", "right", "12.8", polled_flags},
    {"word_in_turn", "right", "12.8", word_in_turn},
    {"swapped_lock", "right", "12.7", swapped_lock},
    {"of_a_node", "right", "12.2.3", of_a_node},
    {"two_windows", "right", "12.5.4", two_windows},
    {"freed_and_made_again", "right", "12.2.5", freed_and_made_again},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
