/* MPI 5.0 sections 6.12, 6.13, 8.7, 8.8: every collective in its nonblocking and its persistent form, all
   under way at once, beside a message and completed together; on any number of ranks.
   mpich: 4.0 confuses the two blocks between the same pair of neighbours (on 1 and 2 ranks) and fails in MPI_Waitall of
   persistent collectives
   openmpi: 4.1 calls the default error handler in MPI_Request_free of an active one
*/
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { most = 24, each = 300 };

static int rank, size, persistent;
static MPI_Comm comm;
static MPI_Request requests[most];
static int count;

/* The request that the next call fills. */
static MPI_Request* next(void)
{
  return &requests[count++];
}

#if MPI_VERSION >= 4
#define FORM(nonblocking, prepare, ...) \
  CALL(persistent ? prepare(__VA_ARGS__, MPI_INFO_NULL, next()) : nonblocking(__VA_ARGS__, next()))
#else
#define FORM(nonblocking, prepare, ...) CALL(nonblocking(__VA_ARGS__, next()))
#endif

static int* ints(int n)
{
  return calloc((size_t)n, sizeof(int));
}

/* What rank `from` sends to rank `to` as its i-th number in a round. */
static int number(int from, int to, int i, int round)
{
  return from * 10007 + to * 101 + i + round * 13;
}

static void whole_groups(void)
{
  const int n = each, root = size / 2, rounds = persistent ? 3 : 1;
  int *token = ints(n), *mine = ints(n), *gathered = ints(n * size), *gathered_v = ints(n * size),
      *all = ints(n * size), *all_v = ints(n * size), *out = ints(n * size), *in = ints(n * size),
      *in_v = ints(n * size), *in_w = ints(n * size), *block = ints(n), *block_v = ints(n), *sum = ints(n),
      *sum_all = ints(n), *part = ints(n), *part_v = ints(n), *upto = ints(n), *before = ints(n);
  int *counts = ints(size), *places = ints(size), *bytes = ints(size);
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * (size_t)size);
  for (int i = 0; i < size; ++i)
    counts[i] = n, places[i] = n * i, bytes[i] = n * i * (int)sizeof(int), types[i] = MPI_INT;

  count = 0;
#if MPI_VERSION >= 4
  CALL(persistent ? MPI_Barrier_init(comm, MPI_INFO_NULL, next()) : MPI_Ibarrier(comm, next()));
#else
  CALL(MPI_Ibarrier(comm, next()));
#endif
  /* Buffers are filled before anything starts, so the nonblocking form fills them here. */
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < n; ++i)
      token[i] = rank == root ? number(root, 0, i, round) : -1, mine[i] = number(rank, 0, i, round);
    for (int to = 0; to < size; ++to)
      for (int i = 0; i < n; ++i) out[to * n + i] = number(rank, to, i, round);
    if (round == 0) {
      FORM(MPI_Ibcast, MPI_Bcast_init, token, n, MPI_INT, root, comm);
      FORM(MPI_Igather, MPI_Gather_init, mine, n, MPI_INT, gathered, n, MPI_INT, root, comm);
      FORM(MPI_Igatherv, MPI_Gatherv_init, mine, n, MPI_INT, gathered_v, counts, places, MPI_INT, root, comm);
      FORM(MPI_Iscatter, MPI_Scatter_init, out, n, MPI_INT, block, n, MPI_INT, root, comm);
      FORM(MPI_Iscatterv, MPI_Scatterv_init, out, counts, places, MPI_INT, block_v, n, MPI_INT, root, comm);
      FORM(MPI_Iallgather, MPI_Allgather_init, mine, n, MPI_INT, all, n, MPI_INT, comm);
      FORM(MPI_Iallgatherv, MPI_Allgatherv_init, mine, n, MPI_INT, all_v, counts, places, MPI_INT, comm);
      FORM(MPI_Ialltoall, MPI_Alltoall_init, out, n, MPI_INT, in, n, MPI_INT, comm);
      FORM(MPI_Ialltoallv, MPI_Alltoallv_init, out, counts, places, MPI_INT, in_v, counts, places, MPI_INT,
           comm);
      FORM(MPI_Ialltoallw, MPI_Alltoallw_init, out, counts, bytes, types, in_w, counts, bytes, types, comm);
      FORM(MPI_Ireduce, MPI_Reduce_init, mine, sum, n, MPI_INT, MPI_SUM, root, comm);
      FORM(MPI_Iallreduce, MPI_Allreduce_init, mine, sum_all, n, MPI_INT, MPI_MAX, comm);
      FORM(MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, out, part, n, MPI_INT, MPI_SUM, comm);
      FORM(MPI_Ireduce_scatter, MPI_Reduce_scatter_init, out, part_v, counts, MPI_INT, MPI_SUM, comm);
      FORM(MPI_Iscan, MPI_Scan_init, mine, upto, n, MPI_INT, MPI_SUM, comm);
      FORM(MPI_Iexscan, MPI_Exscan_init, mine, before, n, MPI_INT, MPI_SUM, comm);
    }
    if (persistent) CALL(MPI_Startall(count, requests));
    /* A message between the starts and the ends never meets them. */
    int sent = rank + round, came = -1;
    CALL(MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 0, &came, 1, MPI_INT, (rank + size - 1) % size, 0,
                      comm, MPI_STATUS_IGNORE));
    CHECK(came == (rank + size - 1) % size + round);
    MPI_Status statuses[most];
    CALL(MPI_Waitall(count, requests, statuses));
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
      int total = 0, total_here = 0, up_to_here = 0;
      for (int from = 0; from < size; ++from) {
        total += number(from, 0, i, round);
        total_here += number(from, rank, i, round);
        if (from <= rank) up_to_here += number(from, 0, i, round);
        if (rank == root) {
          wrong += gathered[from * n + i] != number(from, 0, i, round);
          wrong += gathered_v[from * n + i] != number(from, 0, i, round);
        }
        wrong += all[from * n + i] != number(from, 0, i, round);
        wrong += all_v[from * n + i] != number(from, 0, i, round);
        wrong += in[from * n + i] != number(from, rank, i, round);
        wrong += in_v[from * n + i] != number(from, rank, i, round);
        wrong += in_w[from * n + i] != number(from, rank, i, round);
      }
      wrong += token[i] != number(root, 0, i, round);
      wrong += block[i] != number(root, rank, i, round);
      wrong += block_v[i] != number(root, rank, i, round);
      if (rank == root) wrong += sum[i] != total;
      wrong += sum_all[i] != number(size - 1, 0, i, round);
      wrong += part[i] != total_here;
      wrong += part_v[i] != total_here;
      wrong += upto[i] != up_to_here;
      if (rank > 0) wrong += before[i] != up_to_here - number(rank, 0, i, round);
    }
    CHECK(wrong == 0);
    for (int i = 0; i < count; ++i) CHECK((requests[i] == MPI_REQUEST_NULL) == !persistent);
  }
  for (int i = 0; persistent && i < count; ++i) CALL(MPI_Request_free(&requests[i]));
  int* buffers[] = {token,   mine, gathered, gathered_v, all,    all_v, out,    in,     in_v,   in_w, block,
                    block_v, sum,  sum_all,  part,       part_v, upto,  before, counts, places, bytes};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) free(buffers[i]);
  free(types);
}

static void neighbours(void)
{
  const int n = each, rounds = persistent ? 3 : 1, periods[] = {1};
  MPI_Comm ring;
  CALL(MPI_Cart_create(comm, 1, &size, periods, 0, &ring));
  int me, low, high;
  CALL(MPI_Comm_rank(ring, &me));
  CALL(MPI_Cart_shift(ring, 0, 1, &low, &high));
  const int neighbour[] = {low, high};
  int counts[] = {n, n}, places[] = {0, n};
  MPI_Aint bytes[] = {0, n * (MPI_Aint)sizeof(int)};
  MPI_Datatype types[] = {MPI_INT, MPI_INT};
  int *mine = ints(n), *out = ints(2 * n), *in[5];
  for (int k = 0; k < 5; ++k) in[k] = ints(2 * n);
  count = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < n; ++i) {
      mine[i] = number(me, 0, i, round);
      for (int side = 0; side < 2; ++side) out[side * n + i] = number(me, side, i, round);
    }
    if (round == 0) {
      FORM(MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, mine, n, MPI_INT, in[0], n, MPI_INT, ring);
      FORM(MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, mine, n, MPI_INT, in[1], counts, places,
           MPI_INT, ring);
      FORM(MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, out, n, MPI_INT, in[2], n, MPI_INT, ring);
      FORM(MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, out, counts, places, MPI_INT, in[3], counts,
           places, MPI_INT, ring);
      FORM(MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, out, counts, bytes, types, in[4], counts,
           bytes, types, ring);
    }
    if (persistent) CALL(MPI_Startall(count, requests));
    for (int left = count; left > 0;) {
      int done, indices[most];
      CALL(MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE));
      if (done == MPI_UNDEFINED) break;
      left -= done;
    }
    int wrong = 0;
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < n; ++i) {
        wrong += in[0][side * n + i] != number(neighbour[side], 0, i, round);
        wrong += in[1][side * n + i] != number(neighbour[side], 0, i, round);
        /* What went out on the other side comes in on this one. */
        for (int k = 2; k < 5; ++k)
          wrong += in[k][side * n + i] != number(neighbour[side], 1 - side, i, round);
      }
    CHECK(wrong == 0);
  }
  for (int i = 0; persistent && i < count; ++i) CALL(MPI_Request_free(&requests[i]));
  for (int k = 0; k < 5; ++k) free(in[k]);
  free(mine);
  free(out);
  CALL(MPI_Comm_free(&ring));
}

/* A rank that is its own neighbour many times, with a type for each block. */
static void many_types(void)
{
  enum { many = 40 };
  MPI_Comm loops;
  MPI_Datatype types[many];
  int self[many], counts[many];
  MPI_Aint places[many];
  for (int i = 0; i < many; ++i) {
    self[i] = rank;
    counts[i] = 1;
    places[i] = (MPI_Aint)(4 * i * (int)sizeof(int));
    MPI_Type_contiguous(1 + i % 4, MPI_INT, &types[i]);
    MPI_Type_commit(&types[i]);
  }
  MPI_Dist_graph_create_adjacent(comm, many, self, MPI_UNWEIGHTED, many, self, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &loops);
  int from[4 * many], to[2][4 * many];
  for (int i = 0; i < 4 * many; ++i) from[i] = number(rank, rank, i, 7);
  memset(to, 0, sizeof to);
  CALL(MPI_Neighbor_alltoallw(from, counts, places, types, to[0], counts, places, types, loops));
  MPI_Request request;
  CALL(MPI_Ineighbor_alltoallw(from, counts, places, types, to[1], counts, places, types, loops, &request));
  for (int i = 0; i < many; ++i) {
    MPI_Datatype let_go = types[i]; /* the array stays as it is until the call is complete */
    MPI_Type_free(&let_go);
  }
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int i = 0; i < 4 * many; ++i)
    for (int way = 0; way < 2; ++way) CHECK(to[way][i] == (i % 4 <= i / 4 % 4 ? from[i] : 0));
  MPI_Comm_free(&loops);
}

/* §6.12: an active one can be neither freed nor cancelled. */
static void misuse(void)
{
  if (size < 2) return;
  MPI_Request request;
  CALL(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  if (rank == 0) {
    CALL(MPI_Ibarrier(comm, &request));
    MPI_Request copy = request;
    CHECK(class_of(MPI_Request_free(&copy)) == MPI_ERR_REQUEST);
    copy = request;
    CHECK(class_of(MPI_Cancel(&copy)) == MPI_ERR_REQUEST);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
  } else {
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Ibarrier(comm, &request));
  }
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (persistent = 0; persistent <= (MPI_VERSION >= 4); ++persistent) {
    whole_groups();
    neighbours();
  }
  many_types();
  misuse();
  MPI_Comm_free(&comm);
  return finish();
}
