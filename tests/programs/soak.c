/* Runs for long, under any MPI: soak [messages N] [windows N] [random STEPS] [seconds S] [seed N]
 *
 * messages: neighbours exchange N messages in all, each with its number; windows: N windows are made, used and freed;
 * random: so many random operations, each with its data checked. With seconds, the parts are repeated until the time is
 * over. Afterwards rank 0 prints what was done, and how much memory the process had after the first round and at most
 * after the last; it may grow by no more than 32 MB and a tenth. Every wrong datum is an error and ends the job. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static uint64_t random_state;
static long long messages_done, windows_done, steps_done;

static uint64_t next_random(void)
{
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static int below(int n)
{
  return (int)(next_random() % (uint64_t)n);
}

static void check(int right, const char* what, long long where)
{
  if (right) return;
  printf("rank %d: wrong %s at %lld\n", rank, what, where);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Resident memory of the process in MB. */
static long memory(void)
{
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
  fclose(file);
  return pages / 256;
}

enum { batch = 64 };

/* Both neighbours in a ring get the same number of messages from this rank. */
static void exchange(long long all)
{
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  static long long number;
  for (long long sent = 0; sent < all; sent += (long long)batch * size) {
    MPI_Request requests[2 * batch];
    int64_t out[batch], in[batch];
    for (int i = 0; i < batch; ++i)
      MPI_Irecv(&in[i], 1, MPI_INT64_T, i % 3 == 0 ? MPI_ANY_SOURCE : from, 5, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < batch; ++i) {
      out[i] = (number + i) * 1000 + rank;
      MPI_Isend(&out[i], 1, MPI_INT64_T, to, 5, MPI_COMM_WORLD, &requests[batch + i]);
    }
    MPI_Waitall(2 * batch, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < batch; ++i) check(in[i] == (number + i) * 1000 + from, "message", number + i);
    number += batch;
    messages_done += (long long)batch * size;
  }
}

static void use_window(long long number)
{
  MPI_Win win;
  int64_t* base = NULL;
  int64_t own[4] = {-1, -1, -1, -1};
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  const int64_t value = number * 1000 + rank;
  if (number % 2 == 0) {
    base = own;
    MPI_Win_create(own, sizeof own, sizeof own[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  } else {
    MPI_Win_allocate(sizeof own, sizeof own[0], MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  }
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT64_T, to, 2, 1, MPI_INT64_T, win);
  MPI_Win_fence(0, win);
  check(base[2] == number * 1000 + from, "put", number);
  MPI_Win_free(&win);
  ++windows_done;
}

/* What a rank sends to another one in a step. */
static void fill(int* data, int count, int source, int dest, long long step)
{
  for (int i = 0; i < count; ++i) data[i] = (int)(step * 31 + source * 7 + dest * 3 + i);
}

static void compare(const int* data, int count, int source, int dest, long long step, const char* what)
{
  for (int i = 0; i < count; ++i) check(data[i] == (int)(step * 31 + source * 7 + dest * 3 + i), what, step);
}

/* A message of a random size to a neighbour at a random distance, in a random mode. */
static void pass(MPI_Comm comm, int* out, int* in, int count, long long step)
{
  const int distance = below(size), how = below(6), tag = below(4);
  const int to = (rank + distance) % size, from = (rank + size - distance) % size;
  MPI_Request request, receive;
  MPI_Status status;
  int got = -1, flag = 0;
  fill(out, count, rank, to, step);
  memset(in, 0, (size_t)count * sizeof *in);
  if (how == 0) {
    MPI_Sendrecv(out, count, MPI_INT, to, tag, in, count, MPI_INT, from, tag, comm, &status);
  } else if (how == 1) {
    MPI_Message message;
    MPI_Isend(out, count, MPI_INT, to, tag, comm, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, tag, comm, &message, &status);
    MPI_Mrecv(in, count, MPI_INT, &message, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (how == 2) {
    MPI_Recv_init(in, count, MPI_INT, from, tag, comm, &receive);
    MPI_Start(&receive);
    MPI_Issend(out, count, MPI_INT, to, tag, comm, &request);
    while (!flag) MPI_Test(&receive, &flag, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&receive);
  } else if (how == 3) {
    MPI_Datatype every_other;
    MPI_Type_vector(count / 2 + 1, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    fill(out, 2 * count + 2, rank, to, step);
    MPI_Irecv(in, count / 2 + 1, MPI_INT, from, tag, comm, &receive);
    MPI_Send(out, 1, every_other, to, tag, comm);
    MPI_Wait(&receive, &status);
    MPI_Type_free(&every_other);
    for (int i = 0; i <= count / 2; ++i)
      check(in[i] == (int)(step * 31 + from * 7 + rank * 3 + 2 * i), "vector", step);
    return;
  } else {
    MPI_Irecv(in, count, MPI_INT, how == 4 ? MPI_ANY_SOURCE : from, tag, comm, &receive);
    MPI_Send(out, count, MPI_INT, to, tag, comm);
    MPI_Wait(&receive, &status);
  }
  MPI_Get_count(&status, MPI_INT, &got);
  check(got == count && status.MPI_SOURCE == from, "status", step);
  compare(in, count, from, rank, step, "message of a random size");
}

static void collect(MPI_Comm comm, int* out, int* in, int count, long long step)
{
  const int how = below(7), root = below(size);
  MPI_Request request = MPI_REQUEST_NULL;
  if (how == 0 || how == 1) {
    fill(out, count, rank == root ? root : 99, 0, step);
    if (how == 0) MPI_Bcast(out, count, MPI_INT, root, comm);
    if (how == 1) MPI_Ibcast(out, count, MPI_INT, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compare(out, count, root, 0, step, "broadcast");
  } else if (how == 2 || how == 3) {
    for (int i = 0; i < count; ++i) out[i] = (rank + 1) * (i + 1);
    if (how == 2) MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, comm);
    if (how == 3) MPI_Iallreduce(out, in, count, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) check(in[i] == size * (size + 1) / 2 * (i + 1), "sum", step);
  } else if (how == 4) {
    const int each = count / size + 1;
    for (int i = 0; i < size; ++i) fill(out + i * each, each, rank, i, step);
    MPI_Alltoall(out, each, MPI_INT, in, each, MPI_INT, comm);
    for (int i = 0; i < size; ++i) compare(in + i * each, each, i, rank, step, "exchange of all");
  } else if (how == 5) {
    const int each = count / size + 1;
    fill(out, each, rank, root, step);
    MPI_Gather(out, each, MPI_INT, in, each, MPI_INT, root, comm);
    for (int i = 0; rank == root && i < size; ++i) compare(in + i * each, each, i, root, step, "gather");
  } else {
    MPI_Barrier(comm);
  }
}

static void random_steps(long long steps)
{
  enum { most = 40000 };
  static int out[2 * most + 64], in[2 * most + 64];
  MPI_Comm comms[3];
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[1]);
  MPI_Comm_dup(comms[0], &comms[2]);
  for (long long step = 0; step < steps; ++step) {
    const int which = below(3), what = below(20);
    const int large = below(30) == 0, small = below(60), much = below(most);
    if (what == 0) {
      MPI_Comm_free(&comms[which]);
      MPI_Comm_dup(MPI_COMM_WORLD, &comms[which]);
    } else if (what == 1) {
      use_window(step);
    } else if (what < 12) {
      pass(comms[which], out, in, large ? much : small, steps_done);
      /* Without it a later any-source receive might take another step's message. */
      MPI_Barrier(comms[which]);
    } else {
      collect(comms[which], out, in, large ? much : small, steps_done);
    }
    ++steps_done;
  }
  for (int i = 0; i < 3; ++i) MPI_Comm_free(&comms[i]);
}

int main(int argc, char** argv)
{
  long long messages = 0, windows = 0, steps = 0, seconds = 0, seed = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i + 1 < argc; i += 2) {
    const long long value = atoll(argv[i + 1]);
    if (strcmp(argv[i], "messages") == 0) messages = value;
    if (strcmp(argv[i], "windows") == 0) windows = value;
    if (strcmp(argv[i], "random") == 0) steps = value;
    if (strcmp(argv[i], "seconds") == 0) seconds = value;
    if (strcmp(argv[i], "seed") == 0) seed = value;
  }
  random_state = (uint64_t)seed;
  const double start = MPI_Wtime();
  long first = 0, last = 0, rounds = 0;
  /* Ten parts, so that memory is looked at before most of the work is done. */
  for (int go_on = 1; go_on;) {
    exchange(messages / 10);
    for (long long i = 0; i < windows / 10; ++i) use_window(windows_done);
    random_steps(steps / 10);
    ++rounds;
    last = memory();
    if (rounds == 1) first = last;
    go_on = rounds < 10 || MPI_Wtime() - start < (double)seconds;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    printf("soak: seed %lld: %lld messages, %lld windows, %lld random steps in %.0f s; memory %ld MB, then %ld MB\n", seed,
           messages_done, windows_done, steps_done, MPI_Wtime() - start, first, last);
    check(last <= first + first / 10 + 32, "growth of memory", last - first);
  }
  MPI_Finalize();
  return 0;
}
