/* Buffers of operations under way (MPI 5.0 §3.7.2, §4.2, §6.12): what the operation reads may not be changed
 * before it is complete, what it writes not be touched. */
#include "cases.h"

enum { early, in_time };

static void isend(int when)
{
  MPI_Request request;
  int value = 1;
  if (rank == 0) {
    MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* X */
    if (when == early) value = 2;                                  /* X */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (when == in_time) value = 2;
    load(&value);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void isend_wrong(void)
{
  isend(early);
}
static void isend_right(void)
{
  isend(in_time);
}

static void isend_loaded_right(void)
{
  MPI_Request request;
  int value = 1;
  if (rank == 0) {
    MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    load(&value); /* reading is permitted */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void irecv_load(int when)
{
  MPI_Request request;
  int value = 1;
  if (rank == 1) {
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* X */
    if (when == early) sink = value;                               /* X */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    load(&value);
  } else {
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
}

static void irecv_load_wrong(void)
{
  irecv_load(early);
}
static void irecv_load_right(void)
{
  irecv_load(in_time);
}

static void irecv_store(int when)
{
  MPI_Request request;
  int value = 1;
  if (rank == 1) {
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* X */
    if (when == early) value = 5;                                  /* X */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (when == in_time) value = 5;
    load(&value);
  } else {
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
}

static void irecv_store_wrong(void)
{
  irecv_store(early);
}
static void irecv_store_right(void)
{
  irecv_store(in_time);
}

/* MPI_Waitany has completed the other one. */
static void waitany(int when)
{
  MPI_Request requests[2];
  int values[2] = {0, 0}, index;
  if (rank == 1) {
    MPI_Irecv(values, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, requests);
    MPI_Irecv(values + 1, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, requests + 1); /* X */
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    send_word();
    if (when == early) sink = values[1]; /* X */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    load(values + 1);
  } else {
    MPI_Send(values, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    receive_word();
    MPI_Send(values, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  }
}

static void waitany_wrong(void)
{
  waitany(early);
}
static void waitany_right(void)
{
  waitany(in_time);
}

static void iallreduce_send(int when)
{
  MPI_Request request;
  int value = 1, sum;
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* X */
  if (when == early) value = 2;                                                /* X */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (when == in_time) value = 2;
  load(&value);
}

static void iallreduce_send_wrong(void)
{
  iallreduce_send(early);
}
static void iallreduce_send_right(void)
{
  iallreduce_send(in_time);
}

static void iallreduce_result(int when)
{
  MPI_Request request;
  int value = 1, sum = 0;
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* X */
  if (when == early) sum = 2;                                                  /* X */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  load(&sum);
}

static void iallreduce_result_wrong(void)
{
  iallreduce_result(early);
}
static void iallreduce_result_right(void)
{
  iallreduce_result(in_time);
}

static void ibcast(int when)
{
  MPI_Request request;
  int value = 1;
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request); /* X */
  if (when == early && rank == 1) sink = value;                /* X */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  load(&value);
}

static void ibcast_wrong(void)
{
  ibcast(early);
}
static void ibcast_right(void)
{
  ibcast(in_time);
}

static void ialltoallv(int when)
{
  MPI_Request request;
  const int counts[2] = {1, 1}, places[2] = {2, 0};
  int values[3] = {1, 2, 3}, results[3] = {0, 0, 0};
  MPI_Ialltoallv(values, counts, places, MPI_INT, results, counts, places, MPI_INT, /* X */
                 MPI_COMM_WORLD, &request);
  load(results + 1);                    /* a gap */
  if (when == early) sink = results[2]; /* X */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  load(results + 2);
}

static void ialltoallv_wrong(void)
{
  ialltoallv(early);
}
static void ialltoallv_right(void)
{
  ialltoallv(in_time);
}

static void neighbors(int when, int of_send)
{
  MPI_Request request;
  MPI_Comm ring;
  int size = 2, periodic = 1, value = 1, results[2] = {0, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Ineighbor_allgather(&value, 1, MPI_INT, results, 1, MPI_INT, ring, &request); /* X */
  if (when == early && of_send) value = 2;                                          /* X */
  if (when == early && !of_send) sink = results[1];                                 /* X */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  value = results[1];
  load(&value);
  MPI_Comm_free(&ring);
}

static void neighbors_send_wrong(void)
{
  neighbors(early, 1);
}
static void neighbors_result_wrong(void)
{
  neighbors(early, 0);
}
static void neighbors_right(void)
{
  neighbors(in_time, 0);
}

static void persistent_send(int when)
{
  MPI_Request request;
  int value = 1, i;
  if (rank == 0) {
    MPI_Send_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* X */
    for (i = 0; i < 2; ++i) {
      value = i; /* before the start */
      MPI_Start(&request);
      if (when == early) value = 7; /* X */
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    load(&value);
  } else {
    for (i = 0; i < 2; ++i) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void persistent_send_wrong(void)
{
  persistent_send(early);
}
static void persistent_send_right(void)
{
  persistent_send(in_time);
}

#if MPI_VERSION >= 4
static void persistent_allreduce(int when)
{
  MPI_Request request;
  int value = 1, sum = 0, i;
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* X */
  for (i = 0; i < 2; ++i) {
    value = i;
    MPI_Start(&request);
    if (when == early) sink = sum; /* X */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    load(&sum);
  }
  MPI_Request_free(&request);
}

static void persistent_allreduce_wrong(void)
{
  persistent_allreduce(early);
}
static void persistent_allreduce_right(void)
{
  persistent_allreduce(in_time);
}

static void partitioned_send(int when)
{
  MPI_Request request;
  int values[2] = {0, 0};
  if (rank == 0) {
    MPI_Psend_init(values, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* X */
    MPI_Start(&request);
    values[0] = 1;
    MPI_Pready(0, request);
    values[1] = 1;                    /* not ready yet */
    if (when == early) values[0] = 2; /* X */
    MPI_Pready(1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    values[0] = 3;
    load(values);
  } else {
    MPI_Precv_init(values, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

static void partitioned_send_wrong(void)
{
  partitioned_send(early);
}
static void partitioned_send_right(void)
{
  partitioned_send(in_time);
}

static void partitioned_receive(int when)
{
  MPI_Request request;
  int values[2] = {0, 0}, arrived = 0;
  if (rank == 0) {
    MPI_Psend_init(values, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(1, request);
    MPI_Pready(0, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Precv_init(values, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* X */
    MPI_Start(&request);
    while (!arrived) MPI_Parrived(request, 1, &arrived);
    load(values + 1);
    if (when == early) sink = values[0]; /* X */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    load(values);
  }
  MPI_Request_free(&request);
}

static void partitioned_receive_wrong(void)
{
  partitioned_receive(early);
}
static void partitioned_receive_right(void)
{
  partitioned_receive(in_time);
}
#endif

/* What is received into lies in a window. */
static void put_into_receive_wrong(void)
{
  MPI_Request request;
  int value = 1;
  open_window();
  MPI_Win_lock_all(0, win);
  if (rank == 1) MPI_Irecv(mem, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* X */
  barrier();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    MPI_Win_flush(1, win);
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static void put_into_receive_right(void)
{
  MPI_Request request;
  int value = 1;
  open_window();
  MPI_Win_lock_all(0, win);
  if (rank == 1) {
    MPI_Irecv(mem, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
  barrier();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_flush(1, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static const struct test_case cases[] = {
    {"isend_wrong", "wrong", "3.7.2", isend_wrong},
    {"isend_right", "right", "3.7.2", isend_right},
    {"isend_loaded_right", "right", "3.7.2", isend_loaded_right},
    {"irecv_load_wrong", "wrong", "3.7.2", irecv_load_wrong},
    {"irecv_load_right", "right", "3.7.2", irecv_load_right},
    {"irecv_store_wrong", "wrong", "3.7.2", irecv_store_wrong},
    {"irecv_store_right", "right", "3.7.2", irecv_store_right},
    {"waitany_wrong", "wrong", "3.7.5", waitany_wrong},
    {"waitany_right", "right", "3.7.5", waitany_right},
    {"iallreduce_send_wrong", "wrong", "6.12", iallreduce_send_wrong},
    {"iallreduce_send_right", "right", "6.12", iallreduce_send_right},
    {"iallreduce_result_wrong", "wrong", "6.12", iallreduce_result_wrong},
    {"iallreduce_result_right", "right", "6.12", iallreduce_result_right},
    {"ibcast_wrong", "wrong", "6.12", ibcast_wrong},
    {"ibcast_right", "right", "6.12", ibcast_right},
    {"ialltoallv_wrong", "wrong", "6.12", ialltoallv_wrong},
    {"ialltoallv_right", "right", "6.12", ialltoallv_right},
    {"neighbors_send_wrong", "wrong", "8.7", neighbors_send_wrong},
    {"neighbors_result_wrong", "wrong", "8.7", neighbors_result_wrong},
    {"neighbors_right", "right", "8.7", neighbors_right},
    {"persistent_send_wrong", "wrong", "3.9", persistent_send_wrong},
    {"persistent_send_right", "right", "3.9", persistent_send_right},
#if MPI_VERSION >= 4
    {"persistent_allreduce_wrong", "wrong", "6.13", persistent_allreduce_wrong},
    {"persistent_allreduce_right", "right", "6.13", persistent_allreduce_right},
    {"partitioned_send_wrong", "wrong", "4.2.2", partitioned_send_wrong},
    {"partitioned_send_right", "right", "4.2.2", partitioned_send_right},
    {"partitioned_receive_wrong", "wrong", "4.2.3", partitioned_receive_wrong},
    {"partitioned_receive_right", "right", "4.2.3", partitioned_receive_right},
#endif
    {"put_into_receive_wrong", "wrong", "12.7", put_into_receive_wrong},
    {"put_into_receive_right", "right", "12.7", put_into_receive_right},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
