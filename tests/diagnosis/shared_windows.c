/* Loads and stores to a shared window, of both ranks and beside operations (MPI 5.0 §12.2.3, §12.7). */
#include <stdatomic.h>

#include "cases.h"

static void start(void)
{
  open_shared();
  MPI_Win_lock_all(0, win);
}

static void end(void)
{
  MPI_Win_unlock_all(win);
  barrier();
  MPI_Win_free(&win);
}

static void store_and_load_wrong(void)
{
  start();
  turn();
  if (rank == 0) {
    *word = 1; /* X */
    MPI_Win_sync(win);
  } else {
    MPI_Win_sync(win);
    sink = *word; /* X */
  }
  done();
  end();
}

static void store_and_load_right(void)
{
  start();
  if (rank == 0) *word = 1;
  MPI_Win_sync(win);
  barrier();
  MPI_Win_sync(win);
  if (rank == 1) sink = *word;
  end();
}

static void shared_locks_wrong(void)
{
  open_shared();
  turn();
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  *word = rank; /* X */
  MPI_Win_unlock(0, win);
  done();
  barrier();
  MPI_Win_free(&win);
}

static void exclusive_locks_right(void)
{
  open_shared();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  *word = rank;
  MPI_Win_unlock(0, win);
  barrier();
  MPI_Win_free(&win);
}

static void store_and_put_wrong(void)
{
  const int two = 2;
  start();
  turn();
  if (rank == 0) {
    *word = 1; /* X */
  } else {
    MPI_Put(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(0, win);
  }
  done();
  end();
}

static void store_and_put_right(void)
{
  const int two = 2;
  start();
  if (rank == 0) *word = 1;
  MPI_Win_sync(win);
  barrier();
  MPI_Win_sync(win);
  if (rank == 1) {
    MPI_Put(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
  }
  end();
}

static void store_and_accumulate_wrong(void)
{
  const int two = 2;
  start();
  turn();
  if (rank == 0) {
    *word = 1; /* X */
  } else {
    MPI_Accumulate(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); /* X */
    MPI_Win_flush(0, win);
  }
  done();
  end();
}

static void load_and_accumulate_wrong(void)
{
  const int two = 2;
  start();
  turn();
  if (rank == 0) {
    sink = *word; /* X */
  } else {
    MPI_Accumulate(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); /* X */
    MPI_Win_flush(0, win);
  }
  done();
  end();
}

static void accumulate_and_load_right(void)
{
  const int two = 2;
  start();
  MPI_Accumulate(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_flush(0, win);
  barrier();
  MPI_Win_sync(win);
  sink = *word;
  end();
}

static void load_and_fetch_right(void)
{
  int result;
  start();
  if (rank == 0) {
    sink = *word;
  } else {
    MPI_Fetch_and_op(NULL, &result, MPI_INT, 0, 0, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
  }
  end();
}

static void store_and_get_wrong(void)
{
  int value;
  start();
  turn();
  if (rank == 0) {
    *word = 1; /* X */
  } else {
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(0, win);
  }
  done();
  end();
}

static void load_and_get_right(void)
{
  int value;
  start();
  if (rank == 0) {
    sink = *word;
  } else {
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
  }
  end();
}

/* Who is to wait for whom depends on the collective (§6). */
static void ordered_by(int storing, void (*collective)(void))
{
  start();
  if (rank == storing) {
    *word = 1;
    MPI_Win_sync(win);
  }
  collective();
  if (rank != storing) {
    MPI_Win_sync(win);
    sink = *word;
  }
  end();
}

/* The collective need not make the loading rank wait for the storing one. */
static void not_ordered_by(int storing, void (*collective)(void))
{
  start();
  if (rank == storing) {
    *word = 1; /* X */
    tell();
    MPI_Win_sync(win);
  }
  collective();
  if (rank != storing) {
    MPI_Win_sync(win);
    await();
    sink = *word; /* X */
  }
  end();
}

static void bcast_of_0(void)
{
  int value = 1;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void reduce_to_0(void)
{
  int value = 1, sum;
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void gather_to_0(void)
{
  int value = 1, all[2];
  MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void scatter_of_0(void)
{
  int value, all[2] = {1, 2};
  MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void scan(void)
{
  int value = 1, sum;
  MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void allreduce(void)
{
  int value = 1, sum;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void ibarrier_and_wait(void)
{
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void bcast_wrong(void)
{
  not_ordered_by(1, bcast_of_0);
}
static void bcast_right(void)
{
  ordered_by(0, bcast_of_0);
}
static void scatter_wrong(void)
{
  not_ordered_by(1, scatter_of_0);
}
static void scatter_right(void)
{
  ordered_by(0, scatter_of_0);
}
static void reduce_wrong(void)
{
  not_ordered_by(0, reduce_to_0);
}
static void reduce_right(void)
{
  ordered_by(1, reduce_to_0);
}
static void gather_wrong(void)
{
  not_ordered_by(0, gather_to_0);
}
static void gather_right(void)
{
  ordered_by(1, gather_to_0);
}
static void scan_wrong(void)
{
  not_ordered_by(1, scan);
}
static void scan_right(void)
{
  ordered_by(0, scan);
}
static void allreduce_right(void)
{
  ordered_by(1, allreduce);
}
static void ibarrier_right(void)
{
  ordered_by(1, ibarrier_and_wait);
}

/* The other one has come, but this one does not know. */
static void ibarrier_wrong(void)
{
  MPI_Request request;
  start();
  if (rank == 0) {
    turn();
    *word = 1; /* X */
    done();
  }
  MPI_Win_sync(win);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  if (rank == 1) {
    turn();
    sink = *word; /* X */
    done();
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  end();
}

static void message_wrong(void)
{
  start();
  if (rank == 0) {
    send_word();
    turn();
    *word = 1; /* X */
  } else {
    receive_word();
    turn();
    sink = *word; /* X */
  }
  done();
  end();
}

static void message_right(void)
{
  start();
  if (rank == 0) {
    *word = 1;
    MPI_Win_sync(win);
    send_word();
  } else {
    receive_word();
    MPI_Win_sync(win);
    sink = *word;
  }
  end();
}

/* A send in standard mode does not tell that its receive has begun; a synchronous one does (§3.4). */
static void receiver_stores(int synchronous)
{
  int token = 1;
  start();
  if (rank == 0) {
    if (!synchronous) turn();
    *word = 1; /* X */
    if (!synchronous) done();
    MPI_Win_sync(win);
    receive_word();
  } else {
    if (synchronous)
      MPI_Ssend(&token, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    else
      MPI_Send(&token, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    MPI_Win_sync(win);
    if (!synchronous) turn();
    sink = *word; /* X */
    if (!synchronous) done();
  }
  end();
}

static void receiver_stores_wrong(void)
{
  receiver_stores(0);
}

static void receiver_stores_right(void)
{
  receiver_stores(1);
}

static void probe_right(void)
{
  start();
  if (rank == 0) {
    *word = 1;
    MPI_Win_sync(win);
    send_word();
  } else {
    MPI_Probe(0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_sync(win);
    sink = *word;
    receive_word();
  }
  end();
}

/* A polled variable needs no order of its own where both sides call MPI_Win_sync (§12.8). */
static void polled(int in_time)
{
  atomic_int* flag;
  start();
  flag = (atomic_int*)(word + 8);
  if (rank == 0) {
    if (in_time) *word = 1;
    MPI_Win_sync(win);
    atomic_store_explicit(flag, 1, memory_order_relaxed);
    if (!in_time) turn();
    if (!in_time) *word = 1; /* X */
  } else {
    while (!atomic_load_explicit(flag, memory_order_relaxed)) sched_yield();
    MPI_Win_sync(win);
    if (!in_time) turn();
    sink = *word; /* X */
  }
  if (!in_time) done();
  end();
}

static void polled_wrong(void)
{
  polled(0);
}

static void polled_right(void)
{
  polled(1);
}

/* Both store to one element, and only then draw who may. */
static void drawn_too_late_wrong(void)
{
  const int one = 1;
  int ticket;
  start();
  turn();
  word[1] = rank; /* X */
  done();
  MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
  MPI_Win_flush(0, win);
  end();
}

static void drawn_in_time_right(void)
{
  const int one = 1;
  int ticket;
  start();
  MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
  MPI_Win_flush(0, win);
  word[1 + ticket] = rank;
  end();
}

/* The put's end at its origin does not tell that the target may load. */
static void local_flush_wrong(void)
{
  const int two = 2;
  start();
  if (rank == 1) {
    MPI_Put(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush_local(0, win);
  }
  barrier();
  MPI_Win_sync(win);
  if (rank == 0) sink = *word; /* X */
  end();
}

static const struct test_case cases[] = {
    {"store_and_load_wrong", "wrong", "12.7", store_and_load_wrong},
    {"store_and_load_right", "right", "12.5.4", store_and_load_right},
    {"shared_locks_wrong", "wrong", "12.5.3", shared_locks_wrong},
    {"exclusive_locks_right", "right", "12.5.3", exclusive_locks_right},
    {"store_and_put_wrong", "wrong", "12.7", store_and_put_wrong},
    {"store_and_put_right", "right", "12.5.4", store_and_put_right},
    {"store_and_accumulate_wrong", "wrong", "12.7", store_and_accumulate_wrong},
    {"load_and_accumulate_wrong", "wrong", "12.7", load_and_accumulate_wrong},
    {"accumulate_and_load_right", "right", "12.5.4", accumulate_and_load_right},
    {"load_and_fetch_right", "right", "12.7", load_and_fetch_right},
    {"store_and_get_wrong", "wrong", "12.7", store_and_get_wrong},
    {"load_and_get_right", "right", "12.7", load_and_get_right},
    {"bcast_wrong", "wrong", "6.4", bcast_wrong},
    {"bcast_right", "right", "6.4", bcast_right},
    {"scatter_wrong", "wrong", "6.6", scatter_wrong},
    {"scatter_right", "right", "6.6", scatter_right},
    {"reduce_wrong", "wrong", "6.9", reduce_wrong},
    {"reduce_right", "right", "6.9", reduce_right},
    {"gather_wrong", "wrong", "6.5", gather_wrong},
    {"gather_right", "right", "6.5", gather_right},
    {"scan_wrong", "wrong", "6.11", scan_wrong},
    {"scan_right", "right", "6.11", scan_right},
    {"allreduce_right", "right", "6.9.6", allreduce_right},
    {"ibarrier_wrong", "wrong", "6.12", ibarrier_wrong},
    {"ibarrier_right", "right", "6.12", ibarrier_right},
    {"message_wrong", "wrong", "3", message_wrong},
    {"message_right", "right", "3", message_right},
    {"receiver_stores_wrong", "wrong", "3.4", receiver_stores_wrong},
    {"receiver_stores_right", "right", "3.4", receiver_stores_right},
    {"probe_right", "right", "3.8", probe_right},
    {"polled_wrong", "wrong", "12.8", polled_wrong},
    {"polled_right", "right", "12.8", polled_right},
    {"drawn_too_late_wrong", "wrong", "12.7", drawn_too_late_wrong},
    {"drawn_in_time_right", "right", "12.3.4", drawn_in_time_right},
    {"local_flush_wrong", "wrong", "12.5.4", local_flush_wrong},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
