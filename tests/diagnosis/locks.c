/* Passive target communication: locks, flushes, requests (MPI 5.0 §12.5.3, §12.5.4, §12.3.5). */
#include "cases.h"

static void start(void)
{
  open_window();
  MPI_Win_lock_all(0, win);
}

static void end(void)
{
  barrier();
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static void shared_locks_wrong(void)
{
  const int value = 1;
  open_window();
  turn();
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* X */
  MPI_Win_unlock(0, win);
  done();
  MPI_Win_free(&win);
}

static void exclusive_locks_right(void)
{
  const int value = 1;
  open_window();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
}

static void shared_and_exclusive_right(void)
{
  int value = 1;
  open_window();
  MPI_Win_lock(rank == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
  if (rank == 0)
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  else
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
}

static void unchecked_locks_wrong(void)
{
  const int value = 1;
  open_window();
  turn();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win);
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* X */
  MPI_Win_unlock(0, win);
  done();
  MPI_Win_free(&win);
}

static void unchecked_locks_right(void)
{
  const int value = 1;
  int i;
  open_window();
  for (i = 0; i < 2; ++i) {
    if (rank == i) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win);
      MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
      MPI_Win_unlock(0, win);
    }
    barrier();
  }
  MPI_Win_free(&win);
}

/* The target itself needs a lock, too. */
static void unlocked_store_wrong(void)
{
  const int value = 1;
  open_window();
  turn();
  if (rank == 0) {
    mem[0] = 1; /* X */
  } else {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* X */
    MPI_Win_unlock(0, win);
  }
  done();
  MPI_Win_free(&win);
}

static void locked_store_right(void)
{
  const int value = 1;
  open_window();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  if (rank == 0)
    mem[0] = 1;
  else
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
}

static void put_without_flush_wrong(void)
{
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    send_word();
  } else {
    receive_word();
    MPI_Win_sync(win);
    sink = mem[0]; /* X */
  }
  end();
}

static void put_with_flush_right(void)
{
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_flush(1, win);
    send_word();
  } else {
    receive_word();
    MPI_Win_sync(win);
    load(mem);
  }
  end();
}

/* MPI_Win_flush_local says nothing of the target. */
static void put_with_flush_local_wrong(void)
{
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush_local(1, win);
  }
  barrier();
  MPI_Win_sync(win);
  if (rank == 1) sink = mem[0]; /* X */
  end();
}

static void put_with_flush_all_right(void)
{
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_flush_all(win);
  }
  barrier();
  MPI_Win_sync(win);
  if (rank == 1) load(mem);
  end();
}

static void flush_of_another_target_wrong(void)
{
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(0, win);
  }
  barrier();
  MPI_Win_sync(win);
  if (rank == 1) sink = mem[0]; /* X */
  end();
}

static void origin_without_flush_wrong(void)
{
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    value = 2;                                          /* X */
  }
  end();
}

static void origin_with_flush_local_right(void)
{
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_flush_local(1, win);
    value = 2;
  }
  end();
}

static void accumulate_origin_wrong(void)
{
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win); /* X */
    value = 2;                                                          /* X */
  }
  end();
}

static void accumulate_origin_right(void)
{
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_local_all(win);
    value = 2;
  }
  end();
}

static void result_without_flush_wrong(void)
{
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    sink = value;                                       /* X */
  }
  end();
}

static void result_with_flush_local_right(void)
{
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_flush_local(1, win);
    load(&value);
  }
  end();
}

static void fetched_without_flush_wrong(void)
{
  const int one = 1;
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Fetch_and_op(&one, &value, MPI_INT, 1, 0, MPI_SUM, win); /* X */
    sink = value;                                                /* X */
  }
  end();
}

static void fetched_with_flush_right(void)
{
  const int one = 1;
  int value = 1;
  start();
  MPI_Fetch_and_op(&one, &value, MPI_INT, 1, 0, MPI_SUM, win);
  MPI_Win_flush(1, win);
  load(&value);
  end();
}

static void request_origin_wrong(void)
{
  MPI_Request request;
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Rput(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request); /* X */
    value = 2;                                                     /* X */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  end();
}

static void request_origin_right(void)
{
  MPI_Request request;
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Rput(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    value = 2;
  }
  end();
}

static void request_of_another_operation_wrong(void)
{
  MPI_Request requests[2];
  int values[2] = {1, 2};
  start();
  if (rank == 0) {
    MPI_Rput(values, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &requests[0]);
    MPI_Rput(values + 1, 1, MPI_INT, 1, 1, 1, MPI_INT, win, &requests[1]); /* X */
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    values[1] = 2; /* X */
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  }
  end();
}

static void requests_of_both_operations_right(void)
{
  MPI_Request requests[2];
  int values[2] = {1, 2};
  start();
  if (rank == 0) {
    MPI_Rput(values, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &requests[0]);
    MPI_Rput(values + 1, 1, MPI_INT, 1, 1, 1, MPI_INT, win, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    values[1] = 2;
  }
  end();
}

/* The request of a put is complete at the origin, not at the target. */
static void request_and_target_wrong(void)
{
  MPI_Request request;
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Rput(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request); /* X */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  barrier();
  MPI_Win_sync(win);
  if (rank == 1) sink = mem[0]; /* X */
  end();
}

static void request_and_flush_right(void)
{
  MPI_Request request;
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Rput(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush(1, win);
  }
  barrier();
  MPI_Win_sync(win);
  if (rank == 1) load(mem);
  end();
}

static void request_result_wrong(void)
{
  MPI_Request request;
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Rget(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request); /* X */
    sink = value;                                                  /* X */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  end();
}

static void request_result_right(void)
{
  MPI_Request request;
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Rget(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    load(&value);
  }
  end();
}

static void request_fetch_wrong(void)
{
  MPI_Request request;
  const int one = 1;
  int value = 1;
  start();
  if (rank == 0) {
    MPI_Rget_accumulate(&one, 1, MPI_INT, &value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win, /* X */
                        &request);
    value = 3; /* X */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  end();
}

static void request_fetch_right(void)
{
  MPI_Request request;
  const int one = 1;
  int value = 1;
  start();
  MPI_Rget_accumulate(&one, 1, MPI_INT, &value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  value = 3;
  load(&value);
  end();
}

static void same_origin_wrong(void)
{
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);                 /* X */
    MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win); /* X */
  }
  end();
}

static void same_origin_right(void)
{
  const int value = 1;
  start();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_flush(1, win);
    MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
  }
  end();
}

static void swap_and_put_wrong(void)
{
  const int value = 1, expected = 0;
  int result;
  start();
  turn();
  if (rank == 0)
    MPI_Compare_and_swap(&value, &expected, &result, MPI_INT, 1, 0, win); /* X */
  else
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
  done();
  end();
}

static void swap_and_swap_right(void)
{
  const int value = 1, expected = 0;
  int result;
  start();
  MPI_Compare_and_swap(&value, &expected, &result, MPI_INT, 1, 0, win);
  end();
}

static void fetch_and_store_wrong(void)
{
  const int value = 1;
  int result;
  start();
  turn();
  if (rank == 0)
    MPI_Fetch_and_op(&value, &result, MPI_INT, 1, 0, MPI_SUM, win); /* X */
  else
    mem[0] = 1; /* X */
  done();
  end();
}

static void fetch_and_load_right(void)
{
  int result;
  start();
  if (rank == 0)
    MPI_Fetch_and_op(NULL, &result, MPI_INT, 1, 0, MPI_NO_OP, win);
  else
    load(mem);
  end();
}

/* A polled flag by accumulates, after the data is complete at its target, or not. */
static void polled_flag(int flushes)
{
  const int one = 1;
  int flag = 0;
  start();
  if (rank == 0) {
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    if (flushes) MPI_Win_flush(1, win);
    MPI_Accumulate(&one, 1, MPI_INT, 1, 8, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(1, win);
  } else {
    while (!flag) {
      MPI_Fetch_and_op(NULL, &flag, MPI_INT, 1, 8, MPI_NO_OP, win);
      MPI_Win_flush(1, win);
    }
    sink = mem[0]; /* X */
  }
  end();
}

static void polled_flag_wrong(void)
{
  polled_flag(0);
}

static void polled_flag_right(void)
{
  polled_flag(1);
}

static void dynamic(int ordered)
{
  int data[4] = {0};
  const int value = 1;
  MPI_Aint address = 0;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (rank == 1) {
    MPI_Win_attach(win, data, sizeof data);
    MPI_Get_address(data, &address);
  }
  MPI_Bcast(&address, 1, MPI_AINT, 1, MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (!ordered) turn();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, MPI_Aint_add(address, 4), 1, MPI_INT, win); /* X */
    MPI_Win_flush(1, win);
  }
  if (ordered) barrier();
  if (rank == 1) data[1] = 2; /* X */
  if (!ordered) done();
  barrier();
  MPI_Win_unlock_all(win);
  if (rank == 1) MPI_Win_detach(win, data);
  MPI_Win_free(&win);
}

static void dynamic_wrong(void)
{
  dynamic(0);
}

static void dynamic_right(void)
{
  dynamic(1);
}

static const struct test_case cases[] = {
    {"shared_locks_wrong", "wrong", "12.5.3", shared_locks_wrong},
    {"exclusive_locks_right", "right", "12.5.3", exclusive_locks_right},
    {"shared_and_exclusive_right", "right", "12.5.3", shared_and_exclusive_right},
    {"unchecked_locks_wrong", "wrong", "12.5.5", unchecked_locks_wrong},
    {"unchecked_locks_right", "right", "12.5.5", unchecked_locks_right},
    {"unlocked_store_wrong", "wrong", "12.5.3", unlocked_store_wrong},
    {"locked_store_right", "right", "12.5.3", locked_store_right},
    {"put_without_flush_wrong", "wrong", "12.5.4", put_without_flush_wrong},
    {"put_with_flush_right", "right", "12.5.4", put_with_flush_right},
    {"put_with_flush_local_wrong", "wrong", "12.5.4", put_with_flush_local_wrong},
    {"put_with_flush_all_right", "right", "12.5.4", put_with_flush_all_right},
    {"flush_of_another_target_wrong", "wrong", "12.5.4", flush_of_another_target_wrong},
    {"origin_without_flush_wrong", "wrong", "12.3", origin_without_flush_wrong},
    {"origin_with_flush_local_right", "right", "12.5.4", origin_with_flush_local_right},
    {"accumulate_origin_wrong", "wrong", "12.3", accumulate_origin_wrong},
    {"accumulate_origin_right", "right", "12.5.4", accumulate_origin_right},
    {"result_without_flush_wrong", "wrong", "12.3", result_without_flush_wrong},
    {"result_with_flush_local_right", "right", "12.5.4", result_with_flush_local_right},
    {"fetched_without_flush_wrong", "wrong", "12.3", fetched_without_flush_wrong},
    {"fetched_with_flush_right", "right", "12.5.4", fetched_with_flush_right},
    {"request_origin_wrong", "wrong", "12.3.5", request_origin_wrong},
    {"request_origin_right", "right", "12.3.5", request_origin_right},
    {"request_of_another_operation_wrong", "wrong", "12.3.5", request_of_another_operation_wrong},
    {"requests_of_both_operations_right", "right", "12.3.5", requests_of_both_operations_right},
    {"request_and_target_wrong", "wrong", "12.3.5", request_and_target_wrong},
    {"request_and_flush_right", "right", "12.5.4", request_and_flush_right},
    {"request_result_wrong", "wrong", "12.3.5", request_result_wrong},
    {"request_result_right", "right", "12.3.5", request_result_right},
    {"request_fetch_wrong", "wrong", "12.3.5", request_fetch_wrong},
    {"request_fetch_right", "right", "12.3.5", request_fetch_right},
    {"same_origin_wrong", "wrong", "12.7.2", same_origin_wrong},
    {"same_origin_right", "right", "12.7.2", same_origin_right},
    {"swap_and_put_wrong", "wrong", "12.7", swap_and_put_wrong},
    {"swap_and_swap_right", "right", "12.7.1", swap_and_swap_right},
    {"fetch_and_store_wrong", "wrong", "12.7", fetch_and_store_wrong},
    {"fetch_and_load_right", "right", "12.7", fetch_and_load_right},
    {"polled_flag_wrong", "wrong", "12.5.4", polled_flag_wrong},
    {"polled_flag_right", "right", "12.5.4", polled_flag_right},
    {"dynamic_wrong", "wrong", "12.2.5", dynamic_wrong},
    {"dynamic_right", "right", "12.2.5", dynamic_right},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
