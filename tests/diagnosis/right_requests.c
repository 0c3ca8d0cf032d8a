/* Right: operations with a request, which is complete at the origin (MPI 5.0 §12.3.5, §12.5.4). */
#include "locked.h"
#include "right.h"

enum { rounds = 8 };

static void rput(const int* value, int target, int place, MPI_Request* request)
{
  MPI_Rput(value, 1, MPI_INT, target, place, 1, MPI_INT, win, request);
}

static void rget(int* value, int target, int place, MPI_Request* request)
{
  MPI_Rget(value, 1, MPI_INT, target, place, 1, MPI_INT, win, request);
}

static void wait_for(MPI_Request* request)
{
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void put_and_wait(void)
{
  MPI_Request request;
  int value, i;
  start();
  for (i = 0; i < size; ++i) {
    value = 10 * rank + i;
    rput(&value, i, rank, &request);
    wait_for(&request);
  }
  value = -1;
  meet();
  for (i = 0; i < size; ++i) expect(mem[i] == 10 * i + rank);
  end();
}

static void put_and_test(void)
{
  MPI_Request request;
  int value = rank, flag = 0;
  start();
  rput(&value, next(), 0, &request);
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  value = -1;
  meet();
  expect(mem[0] == previous());
  end();
}

static void get_and_test(void)
{
  MPI_Request request;
  int value = -1, flag = 0;
  start();
  mem[0] = rank;
  meet();
  rget(&value, next(), 0, &request);
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  expect(value == next());
  value = 0;
  end();
}

static void waitall_of_targets(void)
{
  MPI_Request requests[2];
  int values[2] = {rank, 100 + rank};
  start();
  rput(values, next(), 0, requests);
  rput(values + 1, previous(), 1, requests + 1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  values[0] = values[1] = -1;
  meet();
  expect(mem[0] == previous() && mem[1] == 100 + next());
  end();
}

/* What MPI_Waitany names may be used, and no other. */
static void waitany(void)
{
  MPI_Request requests[4];
  int values[4], index, i;
  start();
  for (i = 0; i < 4; ++i) mem[i] = 10 * rank + i;
  meet();
  for (i = 0; i < 4; ++i) rget(values + i, next(), i, requests + i);
  for (i = 0; i < 4; ++i) {
    MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    expect(values[index] == 10 * next() + index);
    values[index] = -1;
  }
  end();
}

static void waitsome(void)
{
  MPI_Request requests[4];
  int values[4], indices[4], done_count = 0, count, i;
  start();
  for (i = 0; i < 4; ++i) mem[i] = 10 * rank + i;
  meet();
  for (i = 0; i < 4; ++i) rget(values + i, next(), i, requests + i);
  while (done_count < 4) {
    MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
    for (i = 0; i < count; ++i) {
      expect(values[indices[i]] == 10 * next() + indices[i]);
      values[indices[i]] = -1;
    }
    done_count += count;
  }
  end();
}

static void testall(void)
{
  MPI_Request requests[2];
  int value = 4, found = -1, flag = 0;
  start();
  rput(&value, next(), 0, requests);
  rget(&found, next(), 1, requests + 1);
  while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  value = found;
  expect(value == 0);
  meet();
  expect(mem[0] == 4);
  end();
}

/* A flush completes it at both, and the request is waited for later. */
static void flush_before_wait(void)
{
  MPI_Request request;
  int value = rank;
  start();
  rput(&value, next(), 0, &request);
  MPI_Win_flush(next(), win);
  barrier();
  MPI_Win_sync(win);
  expect(mem[0] == previous());
  wait_for(&request);
  value = -1;
  end();
}

/* The request of a get is complete when its data are there, and then its place may be changed. */
static void got_then_put(void)
{
  MPI_Request request;
  int value = -1, i;
  start();
  for (i = 0; i < rounds; ++i) {
    rget(&value, next(), 0, &request);
    wait_for(&request);
    expect(value == i);
    ++value;
    put(&value, next(), 0);
    MPI_Win_flush(next(), win);
  }
  end();
}

static void got_then_told(void)
{
  MPI_Request request;
  int value = -1;
  start();
  if (rank == 0) {
    rget(&value, 2, 0, &request);
    wait_for(&request);
    expect(value == 0);
    send_to(1);
  } else if (rank == 1) {
    receive_from(0);
    put(&size, 2, 0);
  }
  meet();
  if (rank == 2) expect(mem[0] == size);
  end();
}

static void accumulates(void)
{
  MPI_Request requests[rounds];
  int ones[rounds], i;
  start();
  for (i = 0; i < rounds; ++i) {
    ones[i] = 1;
    MPI_Raccumulate(ones + i, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, requests + i);
  }
  MPI_Waitall(rounds, requests, MPI_STATUSES_IGNORE);
  memset(ones, 0, sizeof ones);
  meet();
  if (rank == 0) expect(mem[0] == rounds * size);
  end();
}

static void fetches(void)
{
  MPI_Request requests[rounds];
  const int one = 1;
  int found[rounds], i;
  start();
  for (i = 0; i < rounds; ++i)
    MPI_Rget_accumulate(&one, 1, MPI_INT, found + i, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win,
                        requests + i);
  MPI_Waitall(rounds, requests, MPI_STATUSES_IGNORE);
  for (i = 0; i < rounds; ++i) expect(found[i] >= 0 && found[i] < rounds * size);
  meet();
  if (rank == 0) expect(mem[0] == rounds * size);
  end();
}

/* A fetch that changes nothing beside accumulates. */
static void fetch_without_change(void)
{
  MPI_Request request;
  const int one = 1;
  int found = -1;
  start();
  if (rank == 0) {
    MPI_Raccumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win, &request);
    wait_for(&request);
  } else {
    MPI_Rget_accumulate(NULL, 0, MPI_INT, &found, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_NO_OP, win, &request);
    wait_for(&request);
    expect(found == 0 || found == 1);
  }
  meet();
  if (rank == 1) expect(mem[0] == 1);
  end();
}

static void nothing(void)
{
  MPI_Request requests[4];
  int value = 3, i;
  start();
  MPI_Rput(&value, 0, MPI_INT, next(), 0, 0, MPI_INT, win, requests);
  MPI_Rget(&value, 0, MPI_INT, next(), 0, 0, MPI_INT, win, requests + 1);
  rput(&value, MPI_PROC_NULL, 0, requests + 2);
  rget(&value, MPI_PROC_NULL, 0, requests + 3);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  value = rank;
  mem[0] = 1;
  for (i = 0; i < 4; ++i) expect(requests[i] == MPI_REQUEST_NULL);
  end();
}

/* Requests of windows and of messages are waited for together. */
static void with_messages(void)
{
  MPI_Request requests[4];
  int values[2] = {rank, -1}, received = -1;
  start();
  rput(values, next(), 0, requests);
  MPI_Isend(values, 1, MPI_INT, next(), 0, MPI_COMM_WORLD, requests + 1);
  MPI_Irecv(&received, 1, MPI_INT, previous(), 0, MPI_COMM_WORLD, requests + 2);
  rget(values + 1, next(), 1, requests + 3);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  expect(received == previous() && values[1] == 0);
  values[0] = -1;
  meet();
  expect(mem[0] == previous());
  end();
}

/* Two buffers, each waited for before it is used again. */
static void two_buffers(void)
{
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int values[2], i;
  start();
  for (i = 0; i < rounds; ++i) {
    wait_for(requests + i % 2);
    values[i % 2] = 10 * rank + i;
    rput(values + i % 2, next(), i, requests + i % 2);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  values[0] = values[1] = 0;
  meet();
  for (i = 0; i < rounds; ++i) expect(mem[i] == 10 * previous() + i);
  end();
}

/* What has been got goes on at once, as a message and as a put. */
static void handed_on(void)
{
  MPI_Request request;
  int value = -1, received = -1;
  start();
  mem[0] = rank;
  meet();
  rget(&value, next(), 0, &request);
  wait_for(&request);
  put(&value, previous(), 1);
  MPI_Sendrecv(&value, 1, MPI_INT, next(), 0, &received, 1, MPI_INT, previous(), 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect(received == rank);
  meet();
  expect(mem[1] == (rank + 2) % size);
  end();
}

/* Results between each other in one array. (MPICH 4.0.2 gives wrong values: it does not wait for what it
 * unpacks.) */
static void interleaved_results(void)
{
  MPI_Request requests[2];
  MPI_Datatype vector;
  int found[8], i;
  MPI_Type_vector(4, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  start();
  for (i = 0; i < 8; ++i) mem[i] = i;
  meet();
  MPI_Rget(found, 1, vector, next(), 0, 4, MPI_INT, win, requests);
  MPI_Rget(found + 1, 1, vector, previous(), 4, 4, MPI_INT, win, requests + 1);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  expect(found[0] == 0 && found[6] == 3);
  found[0] = 9;
  MPI_Wait(requests + 1, MPI_STATUS_IGNORE);
  expect(found[1] == 4 && found[7] == 7);
  end();
  MPI_Type_free(&vector);
}

static void two_windows(void)
{
  MPI_Request requests[2];
  MPI_Win second;
  int* memory;
  int found[2] = {-1, -1};
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &second);
  memory[0] = 20 + rank;
  start();
  mem[0] = rank;
  meet();
  MPI_Win_lock(MPI_LOCK_SHARED, next(), 0, second);
  rget(found, next(), 0, requests);
  MPI_Rget(found + 1, 1, MPI_INT, next(), 0, 1, MPI_INT, second, requests + 1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Win_unlock(next(), second);
  expect(found[0] == next() && found[1] == 20 + next());
  end();
  MPI_Win_free(&second);
}

/* In an epoch of one target, at whose end the request is complete already. */
static void in_an_exclusive_epoch(void)
{
  MPI_Request request;
  int value, i;
  open_window();
  for (i = 0; i < rounds; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    rget(&value, 0, 0, &request);
    wait_for(&request);
    ++value;
    rput(&value, 0, 0, &request);
    wait_for(&request);
    value = -1;
    MPI_Win_unlock(0, win);
  }
  barrier();
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  get(&value, 0, 0);
  MPI_Win_unlock(0, win);
  expect(value == rounds * size);
  barrier();
  MPI_Win_free(&win);
}

/* MPI_Request_get_status tells it, too, and leaves the request (§3.7.6). */
static void get_status(void)
{
  MPI_Request request;
  int value = -1, flag = 0;
  start();
  mem[0] = rank;
  meet();
  rget(&value, next(), 0, &request);
  while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  expect(value == next());
  wait_for(&request);
  value = 0;
  end();
}

static const struct test_case cases[] = {
    {"put_and_wait", "right", "12.3.5", put_and_wait},
    {"put_and_test", "right", "12.3.5", put_and_test},
    {"get_and_test", "right", "12.3.5", get_and_test},
    {"waitall_of_targets", "right", "12.3.5", waitall_of_targets},
    {"waitany", "right", "12.3.5", waitany},
    {"waitsome", "right", "12.3.5", waitsome},
    {"testall", "right", "12.3.5", testall},
    {"flush_before_wait", "right", "12.5.4", flush_before_wait},
    {"got_then_put", "right", "12.3.5", got_then_put},
    {"got_then_told", "right", "12.3.5", got_then_told},
    {"accumulates", "right", "12.7.1", accumulates},
    {"fetches", "right", "12.7.1", fetches},
    {"fetch_without_change", "right", "12.2.1", fetch_without_change},
    {"nothing", "right", "12.3", nothing},
    {"with_messages", "right", "12.3.5", with_messages},
    {"two_buffers", "right", "12.3.5", two_buffers},
    {"handed_on", "right", "12.3.5", handed_on},
    {"interleaved_results", "right", "12.3.5", interleaved_results},
    {"two_windows", "right", "12.3.5", two_windows},
    {"in_an_exclusive_epoch", "right", "12.5.3", in_an_exclusive_epoch},
    {"get_status", "right", "3.7.6", get_status},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
