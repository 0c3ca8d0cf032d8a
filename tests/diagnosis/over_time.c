/* Operations of two ranks on one place of a third one's memory, whose epochs are not open at once: on 3
 * ranks. The lines are found without any tool, too (mpiexec --check). */
#include <stdatomic.h>

#include "locked.h"

enum { target = 2, flag = 8 };

static void put_and_flush(void)
{
  const int value = 1;
  MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
  MPI_Win_flush(target, win);
}

static void lock_and_put(int kind)
{
  const int value = 1;
  MPI_Win_lock(kind, target, 0, win);
  MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
  MPI_Win_unlock(target, win);
}

static void locks_wrong(void)
{
  const int value = 1;
  open_window();
  if (rank < 2) {
    turn();
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_unlock(target, win);
    done();
  }
  end_without_locks();
}

static void locks_and_barrier_right(void)
{
  open_window();
  if (rank == 0) lock_and_put(MPI_LOCK_SHARED);
  barrier();
  if (rank == 1) lock_and_put(MPI_LOCK_SHARED);
  end_without_locks();
}

static void locks_and_message_right(void)
{
  open_window();
  if (rank == 0) {
    lock_and_put(MPI_LOCK_SHARED);
    send_word();
  } else if (rank == 1) {
    receive_word();
    lock_and_put(MPI_LOCK_SHARED);
  }
  end_without_locks();
}

/* The message goes the other way. */
static void locks_and_message_wrong(void)
{
  const int value = 1;
  open_window();
  if (rank == 1) {
    send_word();
    await();
  }
  if (rank < 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_unlock(target, win);
  }
  if (rank == 0) {
    receive_word();
    tell();
  }
  end_without_locks();
}

static void exclusive_locks_right(void)
{
  int i;
  open_window();
  for (i = 0; rank < 2 && i < 20; ++i) lock_and_put(MPI_LOCK_EXCLUSIVE);
  end_without_locks();
}

static void exclusive_and_shared_right(void)
{
  open_window();
  if (rank < 2) lock_and_put(rank == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED);
  end_without_locks();
}

static void unlock_all_wrong(void)
{
  const int value = 1;
  open_window();
  if (rank < 2) {
    turn();
    MPI_Win_lock_all(0, win);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_unlock_all(win);
    done();
  }
  end_without_locks();
}

static void flush_and_barrier_right(void)
{
  start();
  if (rank == 0) put_and_flush();
  barrier();
  if (rank == 1) put_and_flush();
  end();
}

static void flush_alone_wrong(void)
{
  const int value = 1;
  start();
  if (rank < 2) {
    turn();
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
    done();
  }
  end();
}

static void get_and_put_wrong(void)
{
  int value = 1;
  start();
  if (rank < 2) {
    turn();
    if (rank == 0)
      MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    else
      MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
    done();
  }
  end();
}

static void get_and_put_right(void)
{
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    MPI_Win_flush_local(target, win);
    send_word();
  } else if (rank == 1) {
    receive_word();
    put_and_flush();
  }
  end();
}

static void operators_wrong(void)
{
  const int value = 1;
  start();
  if (rank < 2) {
    turn();
    MPI_Accumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, rank ? MPI_SUM : MPI_PROD, win); /* X */
    MPI_Win_flush(target, win);
    done();
  }
  end();
}

static void operators_right(void)
{
  const int value = 1;
  start();
  if (rank < 2) {
    MPI_Accumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(target, win);
  }
  end();
}

static void accumulate_and_put_wrong(void)
{
  const int value = 1;
  start();
  if (rank < 2) {
    turn();
    if (rank == 0)
      MPI_Accumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win); /* X */
    else
      MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
    done();
  }
  end();
}

/* What is complete at its origin need not be so at its target. */
static void request(int flushes)
{
  MPI_Request request;
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Rput(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win, &request); /* X */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (flushes) MPI_Win_flush(target, win);
    send_word();
  } else if (rank == 1) {
    receive_word();
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
  }
  end();
}

static void request_wrong(void)
{
  request(0);
}

static void request_right(void)
{
  request(1);
}

/* What is got is there when the request is complete, and not before. */
static void got_by_request(int waits)
{
  MPI_Request request;
  const int one = 1;
  int value;
  start();
  if (rank == 0) {
    MPI_Rget(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win, &request); /* X */
    if (waits) MPI_Wait(&request, MPI_STATUS_IGNORE);
    send_word();
    if (!waits) MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    receive_word();
    MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
  }
  end();
}

static void got_by_request_wrong(void)
{
  got_by_request(0);
}

static void got_by_request_right(void)
{
  got_by_request(1);
}

/* Of several requests each completes its own operation. */
static void one_of_requests(int waits_for)
{
  MPI_Request requests[2];
  const int one = 1;
  int values[2];
  start();
  if (rank == 0) {
    MPI_Rget(&values[0], 1, MPI_INT, target, 0, 1, MPI_INT, win, &requests[0]); /* X */
    MPI_Rget(&values[1], 1, MPI_INT, target, 1, 1, MPI_INT, win, &requests[1]);
    MPI_Wait(&requests[waits_for], MPI_STATUS_IGNORE);
    send_word();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    receive_word();
    MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
  }
  end();
}

static void one_of_requests_wrong(void)
{
  one_of_requests(1);
}

static void one_of_requests_right(void)
{
  one_of_requests(0);
}

/* A flush completes it as well, and the request is waited for later. */
static void request_and_flush_right(void)
{
  MPI_Request request;
  int value;
  start();
  if (rank == 0) {
    MPI_Rget(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win, &request);
    MPI_Win_flush_local(target, win);
    value = 2;
    send_word();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    receive_word();
    put_and_flush();
  }
  end();
}

/* What the request of an accumulate tells is that its result is there. */
static void fetched_by_request(int flushes)
{
  MPI_Request request;
  const int one = 1;
  int found;
  start();
  if (rank == 0) {
    MPI_Rget_accumulate(&one, 1, MPI_INT, &found, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win, /* X */
                        &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (flushes) MPI_Win_flush(target, win);
    send_word();
  } else if (rank == 1) {
    receive_word();
    MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
  }
  end();
}

static void fetched_by_request_wrong(void)
{
  fetched_by_request(0);
}

static void fetched_by_request_right(void)
{
  fetched_by_request(1);
}

/* One rank's own operations. */
static void got_and_put(int waits)
{
  MPI_Request request;
  const int one = 1;
  int value;
  start();
  if (rank == 0) {
    MPI_Rget(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win, &request); /* X */
    if (waits) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    if (!waits) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  end();
}

static void got_and_put_wrong(void)
{
  got_and_put(0);
}

static void got_and_put_right(void)
{
  got_and_put(1);
}

static void polled_by_fetches_right(void)
{
  const int one = 1;
  int found = 0;
  start();
  if (rank == 0) {
    put_and_flush();
    MPI_Accumulate(&one, 1, MPI_INT, target, flag, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(target, win);
  } else if (rank == 1) {
    while (!found) {
      MPI_Fetch_and_op(NULL, &found, MPI_INT, target, flag, MPI_NO_OP, win);
      MPI_Win_flush(target, win);
    }
    put_and_flush();
  }
  end();
}

static void spin_lock_right(void)
{
  const int zero = 0, one = 1;
  int found, i;
  start();
  for (i = 0; rank < 2 && i < 20; ++i) {
    do {
      MPI_Compare_and_swap(&one, &zero, &found, MPI_INT, target, flag, win);
      MPI_Win_flush(target, win);
    } while (found);
    put_and_flush();
    MPI_Accumulate(&zero, 1, MPI_INT, target, flag, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush(target, win);
  }
  end();
}

/* Own memory, into which another rank accumulates. */
static void polled_by_loads_right(void)
{
  const int one = 1;
  start();
  if (rank == 0) {
    put_and_flush();
    MPI_Accumulate(&one, 1, MPI_INT, 1, flag, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush(1, win);
  } else if (rank == 1) {
    while (!atomic_load((atomic_int*)(mem + flag))) {
      MPI_Win_sync(win);
      sched_yield();
    }
    MPI_Win_sync(win);
    put_and_flush();
  }
  end();
}

/* What a rank has stored to its own memory. */
static void stored_and_fetched_right(void)
{
  int found = 0;
  start();
  if (rank == 0) {
    put_and_flush();
    atomic_store((atomic_int*)(mem + flag), 1);
    MPI_Win_sync(win);
  } else if (rank == 1) {
    while (!found) {
      MPI_Fetch_and_op(NULL, &found, MPI_INT, 0, flag, MPI_NO_OP, win);
      MPI_Win_flush(0, win);
    }
    put_and_flush();
  }
  end();
}

static void stored_and_loaded_right(void)
{
  open_shared();
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    put_and_flush();
    atomic_store((atomic_int*)(word + flag), 1);
  } else if (rank == 1) {
    while (!atomic_load((atomic_int*)(word + flag))) sched_yield();
    put_and_flush();
  }
  end();
}

static void chain_right(void)
{
  start();
  if (rank == 0) {
    put_and_flush();
    send_to(2);
  } else if (rank == 2) {
    receive_from(0);
    send_to(1);
  } else {
    receive_from(2);
    put_and_flush();
  }
  end();
}

static void chain_wrong(void)
{
  const int value = 1;
  start();
  if (rank == 1) {
    receive_from(2);
    await();
  }
  if (rank < 2) {
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
  }
  if (rank == 0) {
    send_to(2);
    tell();
  } else if (rank == 2) {
    send_to(1);
    receive_from(0);
  }
  end();
}

static void nonblocking(int waits)
{
  MPI_Request request;
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
    tell();
  }
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  if (waits) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) {
    await();
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
  }
  if (!waits) MPI_Wait(&request, MPI_STATUS_IGNORE);
  end();
}

static void nonblocking_wrong(void)
{
  nonblocking(0);
}

static void nonblocking_right(void)
{
  nonblocking(1);
}

/* The target knows when an operation of its exposure epoch is complete, and the origin does not. */
static void exposed(int teller)
{
  const int value = 1;
  int zero = 0, two = target;
  MPI_Group all, origin, exposer;
  open_window();
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &zero, &origin);
  MPI_Group_incl(all, 1, &two, &exposer);
  if (rank == 0) {
    MPI_Win_start(exposer, 0, win);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_complete(win);
    if (teller == 0) send_to(1);
  } else if (rank == 2) {
    MPI_Win_post(origin, 0, win);
    MPI_Win_wait(win);
    tell();
    if (teller == 2) send_to(1);
  } else {
    receive_from(teller);
    await();
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_unlock(target, win);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&origin);
  MPI_Group_free(&exposer);
  end_without_locks();
}

static void exposed_wrong(void)
{
  exposed(0);
}

static void exposed_right(void)
{
  exposed(2);
}

static void intercommunicator(int ordered)
{
  MPI_Comm half, both;
  const int value = 1;
  int token = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 3, &both);
  start();
  if (rank == 0) {
    if (!ordered) MPI_Send(&token, 1, MPI_INT, 0, 0, both);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
    if (ordered) MPI_Send(&token, 1, MPI_INT, 0, 0, both);
    tell();
  } else if (rank == 1) {
    MPI_Recv(&token, 1, MPI_INT, 0, 0, both, MPI_STATUS_IGNORE);
    await();
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
  }
  end();
  MPI_Comm_free(&half);
  MPI_Comm_free(&both);
}

static void intercommunicator_wrong(void)
{
  intercommunicator(0);
}

static void intercommunicator_right(void)
{
  intercommunicator(1);
}

/* Requests from before there was any window. */
static void persistent_right(void)
{
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int token = 0;
  if (rank == 0) MPI_Send_init(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, requests);
  if (rank == 1) MPI_Recv_init(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, requests);
  if (rank == 2) MPI_Irecv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, requests);
  start();
  if (rank == 0) {
    put_and_flush();
    MPI_Start(requests);
  } else if (rank == 1) {
    MPI_Start(requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    put_and_flush();
    MPI_Isend(NULL, 0, MPI_INT, 2, 1, MPI_COMM_WORLD, requests + 1);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (rank == 2) put_and_flush();
  if (rank < 2) MPI_Request_free(requests);
  end();
}

/* The third rank may be in a barrier, or past collectives, since before there was any window. */
static void partial(int ordered)
{
  MPI_Comm two;
  const int value = 1;
  int i, number = rank;
  for (i = 0; i < 3; ++i) MPI_Bcast(&number, 1, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &two);
  if (rank < 2) {
    MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, two, &mem, &win);
    MPI_Win_lock_all(0, win);
  }
  for (i = 0; i < 3; ++i) {
    if (rank == 0) {
      MPI_Put(&value, 1, MPI_INT, 0, i, 1, MPI_INT, win); /* X */
      MPI_Win_flush(0, win);
      if (!ordered && i == 2) tell();
    }
    if (ordered || i < 2) barrier();
    if (rank == 1) {
      if (!ordered && i == 2) await();
      MPI_Put(&value, 1, MPI_INT, 0, i, 1, MPI_INT, win); /* X */
      MPI_Win_flush(0, win);
    }
  }
  barrier();
  if (rank < 2) {
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
  }
  MPI_Comm_free(&two);
}

static void partial_wrong(void)
{
  partial(0);
}

static void partial_right(void)
{
  partial(1);
}

/* MPI_PROC_NULL completes nothing. */
static void no_process(int flushes)
{
  const int value = 1;
  open_window();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win);
  MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Win_flush(MPI_PROC_NULL, win);
  MPI_Win_unlock(MPI_PROC_NULL, win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(flushes ? target : MPI_PROC_NULL, win);
    send_word();
  } else if (rank == 1) {
    receive_word();
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(target, win);
  }
  end();
}

static void no_process_wrong(void)
{
  no_process(0);
}

static void no_process_right(void)
{
  no_process(1);
}

static const struct test_case cases[] = {
    {"locks_wrong", "wrong", "12.5.3", locks_wrong},
    {"locks_and_barrier_right", "right", "12.5.3", locks_and_barrier_right},
    {"locks_and_message_right", "right", "12.5.3", locks_and_message_right},
    {"locks_and_message_wrong", "wrong", "12.5.3", locks_and_message_wrong},
    {"exclusive_locks_right", "right", "12.5.3", exclusive_locks_right},
    {"exclusive_and_shared_right", "right", "12.5.3", exclusive_and_shared_right},
    {"unlock_all_wrong", "wrong", "12.5.3", unlock_all_wrong},
    {"flush_and_barrier_right", "right", "12.5.4", flush_and_barrier_right},
    {"flush_alone_wrong", "wrong", "12.5.4", flush_alone_wrong},
    {"get_and_put_wrong", "wrong", "12.7", get_and_put_wrong},
    {"get_and_put_right", "right", "12.5.4", get_and_put_right},
    {"operators_wrong", "wrong", "12.2.1", operators_wrong},
    {"operators_right", "right", "12.2.1", operators_right},
    {"accumulate_and_put_wrong", "wrong", "12.7", accumulate_and_put_wrong},
    {"request_wrong", "wrong", "12.3.5", request_wrong},
    {"request_right", "right", "12.3.5", request_right},
    {"got_by_request_wrong", "wrong", "12.3.5", got_by_request_wrong},
    {"got_by_request_right", "right", "12.3.5", got_by_request_right},
    {"one_of_requests_wrong", "wrong", "12.3.5", one_of_requests_wrong},
    {"one_of_requests_right", "right", "12.3.5", one_of_requests_right},
    {"request_and_flush_right", "right", "12.5.4", request_and_flush_right},
    {"fetched_by_request_wrong", "wrong", "12.3.5", fetched_by_request_wrong},
    {"fetched_by_request_right", "right", "12.3.5", fetched_by_request_right},
    {"got_and_put_wrong", "wrong", "12.7", got_and_put_wrong},
    {"got_and_put_right", "right", "12.3.5", got_and_put_right},
    {"polled_by_fetches_right", "right", "12.7", polled_by_fetches_right},
    {"spin_lock_right", "right", "12.7", spin_lock_right},
    {"polled_by_loads_right", "right", "12.7", polled_by_loads_right},
    {"stored_and_fetched_right", "right", "12.7", stored_and_fetched_right},
    {"stored_and_loaded_right", "right", "12.8", stored_and_loaded_right},
    {"chain_right", "right", "3", chain_right},
    {"chain_wrong", "wrong", "3", chain_wrong},
    {"nonblocking_right", "right", "6.12", nonblocking_right},
    {"nonblocking_wrong", "wrong", "6.12", nonblocking_wrong},
    {"exposed_right", "right", "12.5.2", exposed_right},
    {"exposed_wrong", "wrong", "12.5.2", exposed_wrong},
    {"intercommunicator_right", "right", "7.6", intercommunicator_right},
    {"intercommunicator_wrong", "wrong", "7.6", intercommunicator_wrong},
    {"no_process_right", "right", "12.5.3", no_process_right},
    {"no_process_wrong", "wrong", "12.5.4", no_process_wrong},
    {"persistent_right", "right", "3.9", persistent_right},
    {"partial_right", "right", "6", partial_right},
    {"partial_wrong", "wrong", "6", partial_wrong},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
