/* MPI 5.0 sections 2.9, 6.12: random programs of nonblocking and persistent reductions with predefined
   operators and those of a user, of several communicators, completed in another order by each process,
   between messages and blocking calls; by one thread of each process, and then by several at once.

   usage: user_ops_random [SEED [EVENTS]]

   All processes draw the same list of events: starts, messages from one process to another, blocking
   collectives. Each does its part of them in this order, and completes reductions wherever it likes after
   their start. So every event waits only for events that come before it, and nothing can be deadlocked.
*/
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../check.h"

enum { outstanding = 10, comms = 3, threads = 3, most_pairs = 3000, most_ints = 30000, kinds = 6 };

static int rank, size;

/* --- random numbers, of each thread */

typedef unsigned long long Random;
static unsigned draw(Random* state, unsigned below)
{
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(*state >> 33) % below;
}

/* --- operators on pairs (a, b), which stand for x -> a * x + b modulo 2^32; each pair takes `stride` numbers
 */

static void add(void* in, void* inout, int* count, MPI_Datatype* type)
{
  MPI_Aint low, extent;
  MPI_Type_get_extent(*type, &low, &extent);
  for (int i = 0; i < *count; ++i) {
    const unsigned* from = (const unsigned*)((char*)in + i * extent);
    unsigned* to = (unsigned*)((char*)inout + i * extent);
    to[0] += from[0];
    to[1] += from[1];
  }
}

static void compose(void* in, void* inout, int* count, MPI_Datatype* type)
{
  MPI_Aint low, extent;
  MPI_Type_get_extent(*type, &low, &extent);
  for (int i = 0; i < *count; ++i) {
    const unsigned* first = (const unsigned*)((char*)in + i * extent);
    unsigned* second = (unsigned*)((char*)inout + i * extent);
    second[1] += second[0] * first[1];
    second[0] *= first[0];
  }
}

enum { sum, user_sum, user_composition, operators };
static MPI_Op ops[operators];
static MPI_Datatype types[2]; /* of a pair: without and with a gap */
static const int strides[] = {2, 5};

static unsigned operand(unsigned round, int from, int i, int which)
{
  unsigned x =
      (round * 2654435761u) ^ ((unsigned)from * 40503u + (unsigned)i * 2246822519u + (unsigned)which);
  x ^= x >> 15;
  return x * 2654435761u;
}

/* --- one thread's program */

struct Reduction {
  unsigned round; /* distinguishes its operands from those of others */
  int kind, op, layout, pairs, root, comm, persistent;
  int* counts;
  unsigned *send, *recv;
  MPI_Request request;
  int pending;
};

struct Thread {
  int id, failures;
  Random common, own; /* the same in all processes; this process's */
  MPI_Comm comms[comms], messages;
  struct Reduction slots[outstanding];
  int data[most_ints]; /* of messages */
};

static void fail(struct Thread* thread, const struct Reduction* r, const char* what)
{
  if (thread->failures++ < 3)
    fprintf(stderr, "rank %d thread %d: %s: kind %d op %d layout %d pairs %d persistent %d\n", rank,
            thread->id, what, r ? r->kind : -1, r ? r->op : -1, r ? r->layout : -1, r ? r->pairs : -1,
            r ? r->persistent : -1);
}
#define MUST(call)                                        \
  do {                                                    \
    if ((call) != MPI_SUCCESS) fail(thread, NULL, #call); \
  } while (0)

static void start(struct Thread* thread, struct Reduction* r, unsigned round)
{
  static const int some_pairs[] = {1, 2, 50, 200, most_pairs};
  Random* const common = &thread->common;
  memset(r, 0, sizeof *r);
  r->round = round;
  r->kind = (int)draw(common, kinds);
  r->op = (int)draw(common, operators);
  r->layout = r->op == sum ? 0 : (int)draw(common, 2);
  r->pairs = some_pairs[draw(common, 5)];
  r->root = (int)draw(common, (unsigned)size);
  r->comm = (int)draw(common, comms);
#if MPI_VERSION >= 4
  r->persistent = draw(common, 4) == 0;
#endif
  const int blocks = r->kind >= 2 && r->kind <= 3 ? size : 1, stride = strides[r->layout];
  const size_t numbers = (size_t)(r->pairs * blocks * stride);
  r->send = calloc(numbers, sizeof(unsigned));
  r->recv = calloc(numbers, sizeof(unsigned));
  r->counts = malloc(sizeof(int) * (size_t)size);
  for (int i = 0; i < r->pairs * blocks; ++i)
    for (int which = 0; which < 2; ++which) r->send[i * stride + which] = operand(round, rank, i, which);
  /* The predefined one takes the pairs as two numbers. */
  const int each = r->op == sum ? 2 : 1, n = r->pairs * each;
  const MPI_Datatype type = r->op == sum ? MPI_UNSIGNED : types[r->layout];
  const MPI_Op op = ops[r->op];
  const MPI_Comm comm = thread->comms[r->comm];
  MPI_Request* const q = &r->request;
  for (int i = 0; i < size; ++i) r->counts[i] = n;
#if MPI_VERSION >= 4
  if (r->persistent) {
    const MPI_Info info = MPI_INFO_NULL;
    switch (r->kind) {
      case 0:
        MUST(MPI_Allreduce_init(r->send, r->recv, n, type, op, comm, info, q));
        break;
      case 1:
        MUST(MPI_Reduce_init(r->send, r->recv, n, type, op, r->root, comm, info, q));
        break;
      case 2:
        MUST(MPI_Reduce_scatter_init(r->send, r->recv, r->counts, type, op, comm, info, q));
        break;
      case 3:
        MUST(MPI_Reduce_scatter_block_init(r->send, r->recv, n, type, op, comm, info, q));
        break;
      case 4:
        MUST(MPI_Scan_init(r->send, r->recv, n, type, op, comm, info, q));
        break;
      case 5:
        MUST(MPI_Exscan_init(r->send, r->recv, n, type, op, comm, info, q));
        break;
    }
    MUST(MPI_Start(q));
  } else
#endif
    switch (r->kind) {
      case 0:
        MUST(MPI_Iallreduce(r->send, r->recv, n, type, op, comm, q));
        break;
      case 1:
        MUST(MPI_Ireduce(r->send, r->recv, n, type, op, r->root, comm, q));
        break;
      case 2:
        MUST(MPI_Ireduce_scatter(r->send, r->recv, r->counts, type, op, comm, q));
        break;
      case 3:
        MUST(MPI_Ireduce_scatter_block(r->send, r->recv, n, type, op, comm, q));
        break;
      case 4:
        MUST(MPI_Iscan(r->send, r->recv, n, type, op, comm, q));
        break;
      case 5:
        MUST(MPI_Iexscan(r->send, r->recv, n, type, op, comm, q));
        break;
    }
  r->pending = 1;
}

/* After its completion: compares and frees. */
static void end(struct Thread* thread, struct Reduction* r)
{
  const int members = r->kind == 4                      ? rank + 1
                      : r->kind == 5                    ? rank
                      : r->kind == 1 && rank != r->root ? 0
                                                        : size;
  const int first = r->kind == 2 || r->kind == 3 ? rank * r->pairs : 0, stride = strides[r->layout];
  int wrong = 0;
  for (int i = 0; i < r->pairs && members > 0; ++i) {
    unsigned a = operand(r->round, 0, first + i, 0), b = operand(r->round, 0, first + i, 1);
    for (int from = 1; from < members; ++from) {
      const unsigned c = operand(r->round, from, first + i, 0), d = operand(r->round, from, first + i, 1);
      if (r->op == user_composition)
        b = d + c * b, a *= c;
      else
        a += c, b += d;
    }
    wrong += r->recv[i * stride] != a || r->recv[i * stride + 1] != b;
  }
  if (wrong) fail(thread, r, "wrong result");
  if (r->request != MPI_REQUEST_NULL) MUST(MPI_Request_free(&r->request));
  free(r->send);
  free(r->recv);
  free(r->counts);
  r->pending = 0;
}

/* Completes reductions, one at least, in one of the ways. */
static void complete(struct Thread* thread)
{
  MPI_Request requests[outstanding];
  MPI_Status statuses[outstanding];
  int which[outstanding], indices[outstanding], n = 0, count = 0, flag = 0, index;
  for (int i = 0; i < outstanding; ++i)
    if (thread->slots[i].pending) which[n++] = i;
  if (n == 0) return;
  for (int i = n - 1; i > 0; --i) {
    const int j = (int)draw(&thread->own, (unsigned)i + 1), t = which[i];
    which[i] = which[j];
    which[j] = t;
  }
  const int way = (int)draw(&thread->own, 8);
  if (way < 5) n = 1 + (int)draw(&thread->own, (unsigned)n);
  if (way == 0) n = 1;
  for (int i = 0; i < n; ++i) requests[i] = thread->slots[which[i]].request;
  switch (way) {
    case 0:
      MUST(MPI_Wait(&requests[0], statuses));
      count = 1, indices[0] = 0;
      break;
    case 1:
    case 2:
      if (way == 1)
        MUST(MPI_Waitall(n, requests, statuses));
      else
        while (!flag) MUST(MPI_Testall(n, requests, &flag, statuses));
      for (count = 0; count < n; ++count) indices[count] = count;
      break;
    case 3:
      while (!flag) MUST(MPI_Test(&requests[0], &flag, statuses));
      count = 1, indices[0] = 0;
      break;
    case 4:
      MUST(MPI_Waitany(n, requests, &index, statuses));
      count = 1, indices[0] = index;
      break;
    case 5:
      while (!flag) MUST(MPI_Testany(n, requests, &index, &flag, statuses));
      count = 1, indices[0] = index;
      break;
    case 6:
      MUST(MPI_Waitsome(n, requests, &count, indices, statuses));
      break;
    case 7:
      while (count == 0) MUST(MPI_Testsome(n, requests, &count, indices, statuses));
      break;
  }
  for (int i = 0; i < n; ++i) thread->slots[which[i]].request = requests[i];
  for (int i = 0; i < count; ++i) end(thread, &thread->slots[which[indices[i]]]);
}

static void message(struct Thread* thread)
{
  int* const data = thread->data;
  const int from = (int)draw(&thread->common, (unsigned)size),
            to = (int)draw(&thread->common, (unsigned)size);
  const int n = draw(&thread->common, 4) == 0 ? most_ints : 1, synchronous = draw(&thread->common, 2) == 0;
  if (from == to || (rank != from && rank != to)) return;
  if (rank == from) {
    MUST(synchronous ? MPI_Ssend(data, n, MPI_INT, to, 7, thread->messages)
                     : MPI_Send(data, n, MPI_INT, to, 7, thread->messages));
    return;
  }
  MPI_Request request;
  int flag = 0;
  switch (draw(&thread->own, 4)) {
    case 0:
      MUST(MPI_Probe(from, 7, thread->messages, MPI_STATUS_IGNORE));
      break;
    case 1:
      while (!flag) MUST(MPI_Iprobe(from, 7, thread->messages, &flag, MPI_STATUS_IGNORE));
      break;
    case 2:
      MUST(MPI_Irecv(data, n, MPI_INT, from, 7, thread->messages, &request));
      MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
      return;
  }
  MUST(MPI_Recv(data, n, MPI_INT, from, 7, thread->messages, MPI_STATUS_IGNORE));
}

static void block(struct Thread* thread)
{
  const MPI_Comm comm = thread->comms[draw(&thread->common, comms)];
  MPI_Comm copy;
  unsigned one[2] = {1, 1}, total[2] = {0, 0};
  switch (draw(&thread->common, 3)) {
    case 0:
      MUST(MPI_Barrier(comm));
      break;
    case 1:
      MUST(MPI_Allreduce(one, total, 1, types[0], ops[user_sum], comm));
      if (total[0] != (unsigned)size) fail(thread, NULL, "wrong blocking sum");
      break;
    case 2:
      MUST(MPI_Comm_dup(comm, &copy));
      MUST(MPI_Comm_free(&copy));
      break;
  }
}

static int events;

static void* run(void* argument)
{
  struct Thread* const thread = argument;
  for (int e = 0; e < events; ++e) {
    switch (draw(&thread->common, 4)) {
      case 0:
      case 1: {
        /* All choose the same place; where it is taken here the one before is completed first. That may wait
           for earlier events only. */
        struct Reduction* const r = &thread->slots[draw(&thread->common, outstanding)];
        while (r->pending) complete(thread);
        start(thread, r, (unsigned)e);
        break;
      }
      case 2:
        message(thread);
        break;
      case 3:
        if (draw(&thread->common, 4) == 0) block(thread);
        break;
    }
    if (draw(&thread->own, 5) == 0) complete(thread);
  }
  for (int left = 1; left;) {
    complete(thread);
    left = 0;
    for (int i = 0; i < outstanding; ++i) left += thread->slots[i].pending;
  }
  return NULL;
}

static int play(unsigned seed, int number)
{
  static struct Thread states[threads];
  pthread_t handles[threads];
  int failures = 0;
  for (int t = 0; t < number; ++t) {
    struct Thread* const thread = &states[t];
    memset(thread, 0, sizeof *thread);
    thread->id = t;
    thread->common = seed * 31ull + (unsigned)t;
    thread->own = seed * 1000003ull + (unsigned)(t * 1000 + rank);
    for (int c = 0; c < comms; ++c) CALL(MPI_Comm_dup(MPI_COMM_WORLD, &thread->comms[c]));
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &thread->messages));
  }
  for (int t = 1; t < number; ++t) pthread_create(&handles[t], NULL, run, &states[t]);
  run(&states[0]);
  for (int t = 1; t < number; ++t) pthread_join(handles[t], NULL);
  for (int t = 0; t < number; ++t) {
    failures += states[t].failures;
    for (int c = 0; c < comms; ++c) CALL(MPI_Comm_free(&states[t].comms[c]));
    CALL(MPI_Comm_free(&states[t].messages));
  }
  return failures;
}

int main(int argc, char** argv)
{
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
  unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : (unsigned)time(NULL);
  CALL(MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD));
  events = argc > 2 ? atoi(argv[2]) : 60;
  if (rank == 0) {
    printf("seed %u\n", seed);
    fflush(stdout);
  }
  ops[sum] = MPI_SUM;
  CALL(MPI_Op_create(add, 1, &ops[user_sum]));
  CALL(MPI_Op_create(compose, 0, &ops[user_composition]));
  MPI_Datatype pair;
  CALL(MPI_Type_contiguous(2, MPI_UNSIGNED, &pair));
  for (int i = 0; i < 2; ++i) {
    CALL(MPI_Type_create_resized(pair, 0, strides[i] * (MPI_Aint)sizeof(unsigned), &types[i]));
    CALL(MPI_Type_commit(&types[i]));
  }
  CALL(MPI_Type_free(&pair));
  CHECK(play(seed, 1) == 0);
  if (provided == MPI_THREAD_MULTIPLE) CHECK(play(seed + 1, threads) == 0);
  for (int i = 0; i < 2; ++i) CALL(MPI_Type_free(&types[i]));
  CALL(MPI_Op_free(&ops[user_sum]));
  CALL(MPI_Op_free(&ops[user_composition]));
  return finish();
}
