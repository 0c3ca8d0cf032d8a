/* Right: locks of one target and of all, flushes (MPI 5.0 §12.5.3, §12.5.4, §12.5.5, §12.7). */
#include "locked.h"
#include "right.h"

enum { guard = 32, turn_of = 33, rounds = 8 };

static void exclusive(int target)
{
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
}

static void shared(int target)
{
  MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
}

static int read_alone(int target, int place)
{
  int value = -1;
  shared(target);
  get(&value, target, place);
  MPI_Win_unlock(target, win);
  return value;
}

/* Read, change, write in one epoch. */
static void counter(void)
{
  int value, i;
  open_window();
  for (i = 0; i < rounds; ++i) {
    exclusive(0);
    get(&value, 0, 0);
    MPI_Win_flush(0, win);
    ++value;
    put(&value, 0, 0);
    MPI_Win_unlock(0, win);
  }
  barrier();
  expect(read_alone(0, 0) == rounds * size);
  end_without_locks();
}

/* The target counts by loads and stores, the others by operations. */
static void counter_of_target(void)
{
  int value, i;
  open_window();
  for (i = 0; i < rounds; ++i) {
    exclusive(0);
    if (rank == 0) {
      mem[0] += 1;
    } else {
      get(&value, 0, 0);
      MPI_Win_flush_local(0, win);
      value += 1;
      put(&value, 0, 0);
    }
    MPI_Win_unlock(0, win);
  }
  barrier();
  expect(read_alone(0, 0) == rounds * size);
  end_without_locks();
}

static void shared_apart(void)
{
  int i;
  open_window();
  shared(0);
  put(&rank, 0, rank);
  MPI_Win_unlock(0, win);
  barrier();
  for (i = 0; i < size; ++i) expect(read_alone(0, i) == i);
  end_without_locks();
}

static void shared_readers(void)
{
  open_window();
  if (rank == 0) {
    exclusive(0);
    mem[0] = 3;
    MPI_Win_unlock(0, win);
  }
  barrier();
  if (rank == 0) {
    shared(0);
    expect(mem[0] == 3);
    MPI_Win_unlock(0, win);
  }
  expect(read_alone(0, 0) == 3);
  end_without_locks();
}

static void shared_accumulates(void)
{
  int i;
  const int one = 1;
  open_window();
  for (i = 0; i < rounds; ++i) {
    shared(0);
    add(&one, 0, 0);
    MPI_Win_unlock(0, win);
  }
  barrier();
  expect(read_alone(0, 0) == rounds * size);
  end_without_locks();
}

/* A writer keeps two places alike, readers never see that they are not. */
static void readers_and_writers(void)
{
  int pair[2], i;
  open_window();
  for (i = 0; i < rounds; ++i) {
    if (rank % 2 == 0) {
      exclusive(1);
      MPI_Get(pair, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
      MPI_Win_flush(1, win);
      expect(pair[0] == pair[1]);
      ++pair[0];
      ++pair[1];
      put(pair, 1, 0);
      put(pair + 1, 1, 1);
    } else {
      shared(1);
      MPI_Get(pair, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
      MPI_Win_flush_local(1, win);
      expect(pair[0] == pair[1]);
    }
    MPI_Win_unlock(1, win);
  }
  end_without_locks();
}

/* Locks of two targets at a time, always in the same order. */
static void two_targets(void)
{
  int found[2], i;
  open_window();
  for (i = 0; i < rounds; ++i) {
    exclusive(0);
    exclusive(1);
    get(found, 0, 0);
    get(found + 1, 1, 0);
    MPI_Win_flush(0, win);
    MPI_Win_flush_local(1, win);
    expect(found[0] + found[1] == 0);
    --found[0];
    ++found[1];
    put(found, 0, 0);
    put(found + 1, 1, 0);
    MPI_Win_unlock(0, win);
    MPI_Win_unlock(1, win);
  }
  end_without_locks();
}

/* Epochs of two windows at once: what the one's lock excludes is also ordered in the other one. */
static void lock_of_another_window(void)
{
  int value, i;
  MPI_Win guards;
  int* memory;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &guards);
  start();
  for (i = 0; i < rounds; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, guards);
    get(&value, 1, 0);
    MPI_Win_flush(1, win);
    ++value;
    put(&value, 1, 0);
    MPI_Win_flush(1, win);
    MPI_Win_unlock(0, guards);
  }
  barrier();
  get(&value, 1, 0);
  MPI_Win_flush_all(win);
  expect(value == rounds * size);
  end();
  MPI_Win_free(&guards);
}

static void unlock_gives_origin_back(void)
{
  int value = 5, found;
  open_window();
  exclusive(next());
  put(&value, next(), 0);
  MPI_Win_unlock(next(), win);
  value = 6;
  exclusive(next());
  get(&found, next(), 0);
  MPI_Win_unlock(next(), win);
  expect(found == 5);
  end_without_locks();
}

static void lock_all_twice(void)
{
  start();
  put(&rank, next(), 0);
  MPI_Win_unlock_all(win);
  barrier();
  MPI_Win_lock_all(0, win);
  expect(mem[0] == previous());
  put(&size, previous(), 1);
  end();
}

/* No rank ever takes another lock than that of all (§12.5.5). */
static void lock_all_unchecked(void)
{
  int i;
  open_window();
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  for (i = 0; i < size; ++i) put(&rank, i, rank);
  MPI_Win_flush_all(win);
  barrier();
  MPI_Win_sync(win);
  for (i = 0; i < size; ++i) expect(mem[i] == i);
  end();
}

/* A token says whose turn it is, so no other lock is held or asked for. */
static void unchecked_in_turns(void)
{
  int value;
  open_window();
  if (rank > 0) receive_from(previous());
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last(), MPI_MODE_NOCHECK, win);
  get(&value, last(), 0);
  MPI_Win_flush(last(), win);
  expect(value == rank);
  ++value;
  put(&value, last(), 0);
  MPI_Win_unlock(last(), win);
  if (rank < last()) send_to(next());
  end_without_locks();
}

/* Operations of one origin, one complete at the target before the next one. */
static void flush_between(void)
{
  int values[3] = {1, 2, 3}, found = 0;
  start();
  put(values, next(), 0);
  MPI_Win_flush(next(), win);
  put(values + 1, next(), 0);
  MPI_Win_flush_all(win);
  get(&found, next(), 0);
  MPI_Win_flush(next(), win);
  expect(found == 2);
  add(values + 2, next(), 0);
  MPI_Win_flush(next(), win);
  get(&found, next(), 0);
  MPI_Win_flush_local(next(), win);
  expect(found == 5);
  end();
}

/* A get is complete when it is so at its origin. */
static void get_then_put(void)
{
  int found = -1;
  start();
  get(&found, next(), 0);
  MPI_Win_flush_local(next(), win);
  expect(found == 0);
  put(&size, next(), 0);
  MPI_Win_flush_local(next(), win);
  end();
}

/* One buffer for all, which flush_local gives back each time. */
static void one_buffer(void)
{
  int value, i;
  start();
  for (i = 0; i < size; ++i) {
    value = 10 * rank + i;
    put(&value, i, rank);
    MPI_Win_flush_local(i, win);
  }
  value = -1;
  MPI_Win_flush_all(win);
  barrier();
  MPI_Win_sync(win);
  for (i = 0; i < size; ++i) expect(mem[i] == 10 * i + rank);
  end();
}

static void one_buffer_for_all(void)
{
  int value = rank, i;
  start();
  for (i = 0; i < size; ++i) put(&value, i, rank);
  MPI_Win_flush_local_all(win);
  value = -1;
  for (i = 0; i < size; ++i) add(&value, i, size + rank);
  MPI_Win_flush_all(win);
  value = -2;
  barrier();
  MPI_Win_sync(win);
  for (i = 0; i < size; ++i) expect(mem[i] == i && mem[size + i] == -1);
  end();
}

/* In the epoch of all: a token goes around, and with it the right to change. */
static void token(void)
{
  int value, i;
  start();
  for (i = 0; i < 2; ++i) {
    if (rank > 0 || i > 0) receive_from(previous());
    get(&value, 0, 0);
    MPI_Win_flush(0, win);
    expect(value == i * size + rank);
    ++value;
    put(&value, 0, 0);
    MPI_Win_flush(0, win);
    if (rank < last() || i == 0) send_to(next());
  }
  end();
}

static int fetched(int target, int place)
{
  int value;
  MPI_Fetch_and_op(NULL, &value, MPI_INT, target, place, MPI_NO_OP, win);
  MPI_Win_flush(target, win);
  return value;
}

static void ticket_lock(void)
{
  const int one = 1;
  int ticket, value, i;
  start();
  for (i = 0; i < rounds; ++i) {
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, guard, MPI_SUM, win);
    MPI_Win_flush(0, win);
    while (fetched(0, turn_of) != ticket) sched_yield();
    get(&value, 1, 0);
    MPI_Win_flush(1, win);
    ++value;
    put(&value, 1, 0);
    MPI_Win_flush(1, win);
    add(&one, 0, turn_of);
    MPI_Win_flush(0, win);
  }
  barrier();
  get(&value, 1, 0);
  MPI_Win_flush(1, win);
  expect(value == rounds * size);
  end();
}

/* Each put has a place of its own, as each number is given once. */
static void numbered_slots(void)
{
  const int one = 1;
  int slot, i, sum = 0;
  start();
  for (i = 0; i < 4; ++i) {
    MPI_Fetch_and_op(&one, &slot, MPI_INT, 0, guard, MPI_SUM, win);
    MPI_Win_flush(0, win);
    if (slot < guard) put(&one, 0, slot);
  }
  MPI_Win_flush(0, win);
  barrier();
  MPI_Win_sync(win);
  for (i = 0; rank == 0 && i < guard; ++i) sum += mem[i];
  if (rank == 0) expect(sum == (4 * size < guard ? 4 * size : guard));
  end();
}

/* Full and empty, told by accumulates to the other one's part. */
static void producer_and_consumer(void)
{
  const int one = 1;
  int value, i;
  start();
  for (i = 0; i < rounds; ++i) {
    if (rank == 0) {
      value = 100 + i;
      put(&value, 1, 0);
      MPI_Win_flush(1, win);
      add(&one, 2, guard);
      MPI_Win_flush(2, win);
      while (fetched(2, turn_of) != i + 1) sched_yield();
    } else if (rank == 1) {
      while (fetched(2, guard) != i + 1) sched_yield();
      get(&value, 1, 0);
      MPI_Win_flush(1, win);
      expect(value == 100 + i);
      add(&one, 2, turn_of);
      MPI_Win_flush(2, win);
    }
  }
  end();
}

/* The target uses the rest of its part meanwhile. */
static void beside_own_loads_and_stores(void)
{
  int i;
  start();
  for (i = 0; i < 10; ++i) {
    put(&i, next(), 2 * i);
    MPI_Win_flush_local(next(), win);
    mem[2 * i + 1] = i;
    load(mem + 2 * i + 1);
  }
  MPI_Win_flush(next(), win);
  barrier();
  MPI_Win_sync(win);
  for (i = 0; i < 10; ++i) expect(mem[2 * i] == i && mem[2 * i + 1] == i);
  end();
}

/* A store to the own part, and then a message that lets the other one get it. */
static void stored_then_got(void)
{
  int value;
  start();
  mem[3] = rank;
  MPI_Win_sync(win);
  barrier();
  get(&value, next(), 3);
  MPI_Win_flush(next(), win);
  expect(value == next());
  barrier();
  mem[3] = -1;
  end();
}

/* A shared lock's holder learns of the other one's operation while both hold theirs. */
static void both_hold_it(void)
{
  int value;
  open_window();
  shared(2);
  if (rank == 0) {
    put(&size, 2, 0);
    MPI_Win_flush(2, win);
    send_to(1);
  } else if (rank == 1) {
    receive_from(0);
    get(&value, 2, 0);
    MPI_Win_flush(2, win);
    expect(value == size);
    put(&rank, 2, 0);
  }
  MPI_Win_unlock(2, win);
  barrier();
  expect(read_alone(2, 0) == 1);
  end_without_locks();
}

/* An exclusive lock among shared ones: each kind excludes it. */
static void exclusive_after_shared(void)
{
  int value = -1;
  const int ten = 10;
  open_window();
  shared(0);
  add(&ten, 0, 0);
  MPI_Win_unlock(0, win);
  exclusive(0);
  get(&value, 0, 0);
  MPI_Win_flush(0, win);
  expect(value % 10 == 0 && value > 0);
  MPI_Win_unlock(0, win);
  end_without_locks();
}

/* An epoch of all after an exclusive one, and the other way around. */
static void lock_all_and_exclusive(void)
{
  const int one = 1;
  int value, i;
  open_window();
  for (i = 0; i < rounds; ++i) {
    if ((rank + i) % 2 == 0) {
      MPI_Win_lock_all(0, win);
      add(&one, 0, 0);
      MPI_Win_unlock_all(win);
    } else {
      exclusive(0);
      get(&value, 0, 0);
      MPI_Win_flush(0, win);
      ++value;
      put(&value, 0, 0);
      MPI_Win_unlock(0, win);
    }
  }
  barrier();
  expect(read_alone(0, 0) == rounds * size);
  end_without_locks();
}

static const struct test_case cases[] = {
    {"counter", "right", "12.5.3", counter},
    {"counter_of_target", "right", "12.5.3", counter_of_target},
    {"shared_apart", "right", "12.7", shared_apart},
    {"shared_readers", "right", "12.5.3", shared_readers},
    {"shared_accumulates", "right", "12.7.1", shared_accumulates},
    {"readers_and_writers", "right", "12.5.3", readers_and_writers},
    {"two_targets", "right", "12.5.3", two_targets},
    {"lock_of_another_window", "right", "12.5.3", lock_of_another_window},
    {"unlock_gives_origin_back", "right", "12.5.3", unlock_gives_origin_back},
    {"lock_all_twice", "right", "12.5.3", lock_all_twice},
    {"lock_all_unchecked", "right", "12.5.5", lock_all_unchecked},
    {"unchecked_in_turns", "right", "12.5.5", unchecked_in_turns},
    {"flush_between", "right", "12.5.4", flush_between},
    {"get_then_put", "right", "12.5.4", get_then_put},
    {"one_buffer", "right", "12.5.4", one_buffer},
    {"one_buffer_for_all", "right", "12.5.4", one_buffer_for_all},
    {"token", "right", "12.5.4", token},
    {"ticket_lock", "right", "12.7", ticket_lock},
    {"numbered_slots", "right", "12.7", numbered_slots},
    {"producer_and_consumer", "right", "12.5.4", producer_and_consumer},
    {"beside_own_loads_and_stores", "right", "12.7", beside_own_loads_and_stores},
    {"stored_then_got", "right", "12.5.4", stored_then_got},
    {"both_hold_it", "right", "12.5.4", both_hold_it},
    {"exclusive_after_shared", "right", "12.5.3", exclusive_after_shared},
    {"lock_all_and_exclusive", "right", "12.5.3", lock_all_and_exclusive},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
