/* Programs that use windows, wrongly or rightly: the first argument says which. What the usage checks say of
   the wrong ones names the lines marked by "here" and, for the other party, "there". */
#include "tasks.h"

static int data[1 << 10];

static MPI_Win window(void)
{
  MPI_Win win;
  MPI_Win_create(data, sizeof data, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  return win;
}

/* --- wrong */

static void puts_conflict(void)
{
  MPI_Win win = window();
  int value = rank;
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, win); /* puts-conflict either */
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void put_and_get_conflict(void)
{
  MPI_Win win = window();
  int value[8] = {0};
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Put(value, 4, MPI_INT, 1, 5, 4, MPI_INT, win);     /* put-and-get-conflict there */
    MPI_Get(value + 4, 1, MPI_INT, 1, 8, 1, MPI_INT, win); /* put-and-get-conflict here */
    MPI_Win_flush(1, win);
    MPI_Get(value, 1, MPI_INT, 1, 8, 1, MPI_INT, win); /* right */
    MPI_Win_unlock(1, win);
  }
  MPI_Win_free(&win);
}

static void accumulates_conflict(void)
{
  MPI_Win win = window();
  int value = 1;
  MPI_Win_fence(0, win);
  /* accumulates-conflict: on the next line, either */
  MPI_Accumulate(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, rank ? MPI_SUM : MPI_PROD, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void exposure_conflict(void)
{
  MPI_Win win = window();
  MPI_Group world, target;
  int zero = 0, value = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &zero, &target);
  if (rank == 0) {
    MPI_Group origins;
    MPI_Group_difference(world, target, &origins);
    MPI_Win_post(origins, 0, win);
    MPI_Win_wait(win);
    MPI_Group_free(&origins);
  } else {
    MPI_Win_start(target, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, win); /* exposure-conflict either */
    MPI_Win_complete(win);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&target);
  MPI_Win_free(&win);
}

/* Each shifts the other's elements by half of one. */
static void accumulates_shifted(void)
{
  MPI_Win win;
  int values[4] = {1, 1, 1, 1};
  MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(values, 3, MPI_INT, 0, rank * 2, 3, MPI_INT, MPI_SUM, win); /* accumulates-shifted either */
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void accumulates_of_types(void)
{
  MPI_Win win = window();
  int values[4] = {1, 1, 1, 1};
  MPI_Datatype type = rank == 0 ? MPI_INT : MPI_FLOAT;
  MPI_Win_fence(0, win);
  MPI_Accumulate(values, 4, type, 0, 0, 4, type, MPI_SUM, win); /* accumulates-of-types either */
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void gets_into_one_place(void)
{
  MPI_Win win = window();
  int value = 0;
  MPI_Win_fence(0, win);
  if (rank == 0) {
    MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* gets-into-one-place there */
    MPI_Get(&value, 1, MPI_INT, 1, 4, 1, MPI_INT, win); /* gets-into-one-place here */
  }
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void result_used_early(void)
{
  MPI_Win win = window();
  int one = 1, before = 0;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Fetch_and_op(&one, &before, MPI_INT, 1, 0, MPI_SUM, win); /* result-used-early there */
    MPI_Send(&before, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);          /* result-used-early here */
  } else if (rank == 1) {
    MPI_Recv(&before, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static void put_data_changed(void)
{
  MPI_Win win = window();
  int value = 1;
  MPI_Win_fence(0, win);
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* put-data-changed here */
    value = 2;
  }
  MPI_Win_fence(0, win); /* put-data-changed there */
  MPI_Win_free(&win);
}

static void put_data_changed_exposed(void)
{
  MPI_Win win = window();
  MPI_Group world, peer;
  int value = 1, target = 1 - rank;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &target, &peer);
  if (rank == 1) {
    MPI_Win_post(peer, 0, win);
    MPI_Win_wait(win);
  } else {
    MPI_Win_start(peer, 0, win);
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* put-data-changed-exposed here */
    value = 2;
    MPI_Win_complete(win); /* put-data-changed-exposed there */
  }
  MPI_Group_free(&world);
  MPI_Group_free(&peer);
  MPI_Win_free(&win);
}

/* Another operation tells before what completes both. */
static void accumulate_data_changed(void)
{
  MPI_Win win = window();
  int value;
  MPI_Win_fence(0, win);
  for (value = 0; rank == 0 && value < 20000; ++value)
    MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win); /* accumulate-data-changed either */
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

/* --- right */

/* What was got is there after the local flush, so that others may be told that they can put. */
static void get_before_put(void)
{
  MPI_Win win = window();
  int value = 0;
  MPI_Win_lock_all(0, win);
  for (int all = 0; all < 2; ++all) {
    if (rank == 1) {
      MPI_Get(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
      if (all)
        MPI_Win_flush_local_all(win);
      else
        MPI_Win_flush_local(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) {
      MPI_Put(&rank, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
      MPI_Win_flush(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/* The same in one exposure epoch of the target. */
static void get_before_put_exposed(void)
{
  MPI_Win win = window();
  MPI_Group world, target, origins;
  int zero = 0, value = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &zero, &target);
  MPI_Group_difference(world, target, &origins);
  if (rank == 0) {
    MPI_Win_post(origins, 0, win);
    MPI_Win_wait(win);
  } else {
    MPI_Win_start(target, 0, win);
    if (rank == 1) MPI_Get(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
    if (rank == 2) {
      MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Put(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
    }
    MPI_Win_complete(win);
    if (rank == 1) MPI_Send(NULL, 0, MPI_INT, 2, 1, MPI_COMM_WORLD);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&target);
  MPI_Group_free(&origins);
  MPI_Win_free(&win);
}

/* Fences before and after the epochs of locks. */
static void fence_before_lock(void)
{
  MPI_Win win = window();
  int value = rank;
  for (int i = 0; i < 200; ++i) {
    MPI_Win_fence(0, win);
    if (rank == 1) MPI_Put(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (rank == 2) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      MPI_Put(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
      MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
}

/* What completes an operation at its origin gives its buffers back. */
static void origin_buffers(void)
{
  MPI_Win win = window();
  MPI_Request request, requests[4];
  int value = 1, others[4] = {0}, next = (rank + 1) % size;
  MPI_Win_lock_all(0, win);
  for (int turn = 0; turn < 6; ++turn) {
    MPI_Put(&value, 1, MPI_INT, next, rank, 1, MPI_INT, win);
    if (turn == 0) MPI_Win_flush_local(next, win);
    if (turn == 1) MPI_Win_flush(next, win);
    if (turn == 2) MPI_Win_flush_local_all(win);
    if (turn == 3) MPI_Win_flush_all(win);
    if (turn == 4) {
      MPI_Win_unlock_all(win);
      MPI_Win_lock_all(0, win);
    }
    if (turn == 5) break;
    ++value;
    MPI_Win_flush_all(win);
    MPI_Rput(&value, 1, MPI_INT, next, 100 + rank, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ++value;
    MPI_Win_flush_all(win);
    for (int i = 0; i < 4; ++i)
      MPI_Rget(&others[i], 1, MPI_INT, next, 200 + i, 1, MPI_INT, win, &requests[i]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Get(others, 1, MPI_INT, next, 200, 1, MPI_INT, win);
    MPI_Win_flush_local(next, win);
    value += others[0];
    MPI_Rput(&value, 1, MPI_INT, next, 300 + rank, 1, MPI_INT, win, &request);
    MPI_Win_flush_local(next, win);
    ++value;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(win);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_fence(0, win);
  MPI_Get(&value, 1, MPI_INT, next, 500, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, next, 400 + rank, 1, MPI_INT, win);
  MPI_Put(&value, 1, MPI_INT, next, 410 + rank, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  ++value;
  MPI_Win_free(&win);
}

/* Data that several operations read, or that none does. */
static void origin_data_is_read(void)
{
  MPI_Win win = window();
  int one = 1, results[3] = {0};
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 3; ++i) MPI_Accumulate(&one, 1, MPI_INT, 0, i, 1, MPI_INT, MPI_SUM, win);
  for (int i = 0; i < 3; ++i) MPI_Fetch_and_op(&one, &results[i], MPI_INT, 0, i, MPI_SUM, win);
  MPI_Win_flush_all(win);
  MPI_Get_accumulate(results, 3, MPI_INT, results, 3, MPI_INT, 0, 0, 3, MPI_INT, MPI_NO_OP, win);
  MPI_Fetch_and_op(NULL, &one, MPI_INT, MPI_PROC_NULL, 0, MPI_NO_OP, win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/* Elements of one type that meet as a whole, and of two that do not meet. */
static void accumulates_meet(void)
{
  MPI_Win win = window();
  MPI_Datatype pair, wide;
  int values[4] = {1, 1, 1, 1};
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_vector(2, 1, 2, MPI_INT, &wide);
  MPI_Type_commit(&pair);
  MPI_Type_commit(&wide);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Accumulate(values, 2, pair, 0, 0, 2, pair, MPI_SUM, win);
  if (rank == 1) MPI_Accumulate(values, 3, MPI_INT, 0, 1, 3, MPI_INT, MPI_SUM, win);
  if (rank == 2) MPI_Accumulate(values, 1, wide, 0, 1, 1, wide, MPI_SUM, win);
  MPI_Accumulate(values, 1, MPI_FLOAT, 0, 10, 1, MPI_FLOAT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Type_free(&pair);
  MPI_Type_free(&wide);
  MPI_Win_free(&win);
}

/* --- assertions, broken */

static void put_despite_no_put(void)
{
  MPI_Win win = window();
  int value = 1;
  MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : 0, win);                /* put-despite-no-put either */
  if (rank == 1) MPI_Put(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, win); /* put-despite-no-put either */
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static MPI_Group group_of(int member)
{
  MPI_Group world, one;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &member, &one);
  MPI_Group_free(&world);
  return one;
}

static void accumulate_despite_no_put(void)
{
  MPI_Win win = window();
  int value = 1;
  MPI_Group other = group_of(rank == 0);
  if (rank == 0) {
    MPI_Win_post(other, MPI_MODE_NOPUT, win); /* accumulate-despite-no-put there */
    MPI_Win_wait(win);
  } else {
    MPI_Win_start(other, 0, win);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_SUM, win); /* accumulate-despite-no-put here */
    MPI_Win_complete(win);
  }
  MPI_Group_free(&other);
  MPI_Win_free(&win);
}

static void unchecked_lock(void)
{
  MPI_Win win = window();
  if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, win); /* unchecked-lock there */
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Win_lock_all(0, win); /* unchecked-lock here */
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Win_unlock(1, win);
  if (rank == 1) MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static void unchecked_start(void)
{
  MPI_Win win = window();
  MPI_Group other = group_of(rank == 0);
  if (rank == 0) {
    MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_post(other, MPI_MODE_NOCHECK, win);
    MPI_Win_wait(win);
  } else {
    MPI_Win_start(other, MPI_MODE_NOCHECK, win); /* unchecked-start here */
    MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Win_complete(win);
  }
  MPI_Group_free(&other);
  MPI_Win_free(&win);
}

/* Rank 1's part is put to, and its own store is said to be none. */
static void store_despite_no_store(void)
{
  MPI_Win win = window();
  int value = 1;
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 5, 1, MPI_INT, win);
  if (rank == 0) data[3] = 1;
  MPI_Win_fence(MPI_MODE_NOSTORE, win); /* store-despite-no-store here */
  MPI_Win_free(&win);
}

static void receive_despite_no_store(void)
{
  MPI_Win win = window();
  MPI_Win_fence(0, win);
  MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, rank == 0 ? data : data + 512, 1, MPI_INT, 1 - rank, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(rank == 0 ? MPI_MODE_NOSTORE : 0, win); /* receive-despite-no-store here */
  MPI_Win_free(&win);
}

static void store_before_post(void)
{
  MPI_Win win = window();
  MPI_Group other = group_of(rank == 0);
  int i;
  for (i = 0; i < 2; ++i) {
    if (rank == 0) {
      data[2] = 7 + i;
      MPI_Win_post(other, i > 0 ? MPI_MODE_NOSTORE : 0, win); /* store-before-post here */
      MPI_Win_wait(win);
    } else {
      MPI_Win_start(other, 0, win);
      MPI_Win_complete(win);
    }
  }
  MPI_Group_free(&other);
  MPI_Win_free(&win);
}

static void some_precede(void)
{
  MPI_Win win = window();
  MPI_Win_fence(rank == 0 ? MPI_MODE_NOPRECEDE : 0, win); /* some-precede either */
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
}

/* --- assertions, kept */

static void kept_by_fences(void)
{
  MPI_Win win = window();
  int value = 1, result;
  for (int i = 0; i < 20; ++i) {
    MPI_Win_fence(MPI_MODE_NOPUT | (i == 0 ? MPI_MODE_NOPRECEDE : 0), win);
    MPI_Get(&result, 1, MPI_INT, (rank + 1) % size, 5, 1, MPI_INT, win);
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : 0, win);
    if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 6, 1, MPI_INT, win);
    MPI_Fetch_and_op(NULL, &result, MPI_INT, 0, 7, MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 8, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Put(&value, 1, MPI_INT, rank, 9, 1, MPI_INT, win);
    MPI_Win_unlock(rank, win);
  }
  MPI_Win_free(&win);
}

static void kept_by_posts(void)
{
  MPI_Win win = window();
  MPI_Group other = group_of(rank == 0);
  int value = 1, result;
  for (int i = 0; rank < 2 && i < 40; ++i) {
    if (rank == 0) {
      MPI_Win_post(other, (i % 2 ? 0 : MPI_MODE_NOPUT) | MPI_MODE_NOCHECK, win);
      MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
      MPI_Win_wait(win);
    } else {
      MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Win_start(other, MPI_MODE_NOCHECK, win);
      if (i % 2)
        MPI_Put(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
      else
        MPI_Get(&result, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
      MPI_Win_complete(win);
    }
  }
  MPI_Group_free(&other);
  MPI_Win_free(&win);
}

/* In turn, or shared, or at other targets; and with others that are not asserted to be alone. */
static void kept_by_locks(void)
{
  MPI_Win win = window();
  for (int i = 0; i < 10; ++i) {
    for (int turn = 0; turn < size; ++turn) {
      if (rank == turn) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win);
      if (rank == turn) MPI_Win_unlock(0, win);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_lock_all(rank == 0 ? MPI_MODE_NOCHECK : 0, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, MPI_MODE_NOCHECK, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Win_unlock(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
}

/* Stores before a promise's epoch or in another one; puts of others in it, by this window or another one. */
static void kept_by_stores(void)
{
  MPI_Win win = window(), same = window(), large, shared;
  MPI_Group other = group_of(rank == 0);
  const int next = (rank + 1) % size, bytes = 1 << 17;
  char* memory;
  int i, *own, unit;
  MPI_Aint extent;
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &large);
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &shared);
  MPI_Win_fence(0, win);
  for (i = 0; i < 20; ++i) {
    const int value = 100 + i;
    data[i] = i + 1;
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, next, 50 + rank, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    data[100] = i + 1;
    MPI_Win_unlock(rank, win);
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, same);
    MPI_Put(&value, 1, MPI_INT, next, 60 + rank, 1, MPI_INT, same);
    MPI_Win_unlock(next, same);
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
    MPI_Win_fence(0, large);
    MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, large);
    MPI_Win_fence(MPI_MODE_NOSTORE, large);
  }
  for (i = 0; rank < 2 && i < 20; ++i) {
    if (rank == 0) {
      data[3] = 7 + i;
      MPI_Win_post(other, 0, win);
      MPI_Win_wait(win);
      MPI_Win_post(other, MPI_MODE_NOSTORE, win);
      MPI_Win_wait(win);
    } else {
      for (unit = 0; unit < 2; ++unit) {
        MPI_Win_start(other, 0, win);
        MPI_Put(&i, 1, MPI_INT, 0, 70, 1, MPI_INT, win);
        MPI_Win_complete(win);
      }
    }
  }
  /* What another rank stores is no store of this one's. */
  MPI_Win_shared_query(shared, next, &extent, &unit, &own);
  MPI_Win_fence(0, shared);
  own[7] = rank + 1;
  MPI_Win_fence(MPI_MODE_NOSTORE, shared);
  MPI_Group_free(&other);
  MPI_Win_free(&win);
  MPI_Win_free(&same);
  MPI_Win_free(&large);
  MPI_Win_free(&shared);
}

int main(int argc, char** argv)
{
  static const struct task tasks[] = {
      {"puts-conflict", puts_conflict},
      {"put-and-get-conflict", put_and_get_conflict},
      {"accumulates-conflict", accumulates_conflict},
      {"exposure-conflict", exposure_conflict},
      {"accumulates-shifted", accumulates_shifted},
      {"accumulates-of-types", accumulates_of_types},
      {"gets-into-one-place", gets_into_one_place},
      {"result-used-early", result_used_early},
      {"put-data-changed", put_data_changed},
      {"put-data-changed-exposed", put_data_changed_exposed},
      {"accumulate-data-changed", accumulate_data_changed},
      {"get-before-put", get_before_put},
      {"get-before-put-exposed", get_before_put_exposed},
      {"fence-before-lock", fence_before_lock},
      {"origin-buffers", origin_buffers},
      {"origin-data-is-read", origin_data_is_read},
      {"accumulates-meet", accumulates_meet},
      {"put-despite-no-put", put_despite_no_put},
      {"accumulate-despite-no-put", accumulate_despite_no_put},
      {"unchecked-lock", unchecked_lock},
      {"unchecked-start", unchecked_start},
      {"kept-by-fences", kept_by_fences},
      {"kept-by-posts", kept_by_posts},
      {"kept-by-locks", kept_by_locks},
      {"store-despite-no-store", store_despite_no_store},
      {"receive-despite-no-store", receive_despite_no_store},
      {"store-before-post", store_before_post},
      {"some-precede", some_precede},
      {"kept-by-stores", kept_by_stores},
  };
  return run_task(tasks, sizeof tasks / sizeof *tasks, argc, argv, MPI_THREAD_SINGLE);
}
