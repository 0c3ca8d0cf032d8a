/* Right: what rank 0 has done and completed comes before what rank 1 does at the same places, by a message, a
 * collective, another window or a third rank between them (MPI 5.0 §3, §4, §6, §8.6, §12.5, §12.7). */
#include "right.h"

enum { first_pass, second_pass, passes };

static int pass;

static void before(void)
{
  const int two = 2;
  int value = -1;
  if (rank != 0) return;
  if (pass == first_pass) {
    put(&two, last(), 0);
    get(&value, last(), 1);
    add(&two, last(), 2);
    MPI_Win_flush(last(), win);
    expect(value == 0);
  } else {
    put(&two, 1, 4);
    MPI_Win_flush(1, win);
    mem[3] = 7;
    MPI_Win_sync(win);
  }
}

static void after(void)
{
  const int three = 3;
  int value = -1;
  if (rank != 1) return;
  if (pass == first_pass) {
    get(&value, last(), 0);
    MPI_Win_flush(last(), win);
    expect(value == 2);
    put(&three, last(), 0);
    put(&three, last(), 1);
    MPI_Accumulate(&three, 1, MPI_INT, last(), 2, 1, MPI_INT, MPI_PROD, win);
    MPI_Win_flush(last(), win);
  } else {
    MPI_Win_sync(win);
    expect(mem[4] == 2);
    mem[4] = 0;
    get(&value, 0, 3);
    MPI_Win_flush(0, win);
    expect(value == 7);
    put(&three, 0, 3);
    MPI_Win_flush(0, win);
  }
}

/* Around what makes the order: the accesses before it, and those after it, twice. */
static int ordered(void)
{
  if (pass == first_pass) {
    open_window();
    MPI_Win_lock_all(0, win);
  }
  if (pass == passes) {
    barrier();
    MPI_Win_sync(win);
    if (rank == last()) expect(mem[0] == 3 && mem[1] == 3 && mem[2] == 6);
    if (rank == 0) expect(mem[3] == 3);
    barrier();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    pass = first_pass;
    return 0;
  }
  before();
  return 1;
}

static void then(void)
{
  after();
  MPI_Win_flush_all(win);
  barrier();
  ++pass;
}

static void message(void)
{
  for (; ordered(); then()) {
    if (rank == 0) send_to(1);
    if (rank == 1) receive_from(0);
  }
}

static void synchronous_send(void)
{
  int token = 1;
  for (; ordered(); then()) {
    if (rank == 0) MPI_Ssend(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
      MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* A synchronous send is complete when its receive has begun. */
static void receive_has_begun(void)
{
  MPI_Request request;
  int token = 1;
  for (; ordered(); then()) {
    if (rank == 0) MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
      MPI_Issend(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

static void buffered_send(void)
{
  static char buffer[MPI_BSEND_OVERHEAD + 64];
  void* detached;
  int token = 1, bytes;
  MPI_Buffer_attach(buffer, (int)sizeof buffer);
  for (; ordered(); then()) {
    if (rank == 0) MPI_Bsend(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Buffer_detach(&detached, &bytes);
}

static void ready_send(void)
{
  MPI_Request request;
  int token = 1;
  for (; ordered(); then()) {
    if (rank == 1) {
      MPI_Irecv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      send_to(0);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
      receive_from(1);
      MPI_Rsend(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
  }
}

/* Too large to be buffered. */
static void large_message(void)
{
  static double data[100000];
  for (; ordered(); then()) {
    if (rank == 0) MPI_Send(data, 100000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, 100000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* The receive has begun long before. */
static void nonblocking_receive(void)
{
  MPI_Request request;
  int token = 1;
  for (;;) {
    if (rank == 1 && pass < passes) MPI_Irecv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    if (!ordered()) break;
    if (rank == 0) MPI_Isend(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    if (rank < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
    then();
  }
}

static void tested_receive(void)
{
  MPI_Request request;
  int token = 1, flag;
  for (; ordered(); then()) {
    if (rank == 0) MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Irecv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      for (flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
  }
}

/* Of two receives that of rank 0 is the one to wait for. */
static void one_of_two(void)
{
  MPI_Request requests[2];
  int tokens[2], indices[2], index;
  for (; ordered(); then()) {
    if (rank == 0) send_word();
    if (rank == 1) {
      MPI_Irecv(tokens, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, requests);
      MPI_Irecv(tokens + 1, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, requests + 1);
      MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
      expect(index == 1);
      send_to(2);
      MPI_Waitsome(2, requests, &index, indices, MPI_STATUSES_IGNORE);
      expect(index == 1 && indices[0] == 0);
    } else if (rank == 2) {
      receive_from(1);
      tokens[0] = 1;
      MPI_Send(tokens, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
    }
  }
}

static void send_and_receive(void)
{
  int token = rank, received;
  for (; ordered(); then()) {
    MPI_Sendrecv(&token, 1, MPI_INT, next(), 0, &received, 1, MPI_INT, previous(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(received == previous());
  }
}

static void replaced(void)
{
  int token;
  for (; ordered(); then()) {
    token = rank;
    MPI_Sendrecv_replace(&token, 1, MPI_INT, next(), 0, previous(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(token == previous());
  }
}

static void persistent_requests(void)
{
  MPI_Request request;
  int token = 1;
  if (rank == 0) MPI_Send_init(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  if (rank == 1) MPI_Recv_init(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  for (; ordered(); then()) {
    if (rank < 2) MPI_Start(&request);
    if (rank < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank < 2) MPI_Request_free(&request);
}

static void probed(void)
{
  int flag;
  for (; ordered(); then()) {
    if (rank == 0) send_to(1);
    if (rank == 1) {
      for (flag = 0; !flag;) MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      receive_from(0);
    }
  }
}

static void matched_probe(void)
{
  MPI_Message found;
  MPI_Request request;
  int token = 1, flag;
  for (; ordered(); then()) {
    if (rank == 0) {
      MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      MPI_Send(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Mprobe(0, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
      MPI_Mrecv(&token, 1, MPI_INT, &found, MPI_STATUS_IGNORE);
      for (flag = 0; !flag;) MPI_Improbe(0, 1, MPI_COMM_WORLD, &flag, &found, MPI_STATUS_IGNORE);
      MPI_Imrecv(&token, 1, MPI_INT, &found, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

#if MPI_VERSION >= 4
static void partitions(void)
{
  MPI_Request request;
  int tokens[4] = {0}, arrived, i;
  if (rank == 0) MPI_Psend_init(tokens, 4, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank == 1) MPI_Precv_init(tokens, 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (; ordered(); then()) {
    if (rank > 1) continue;
    MPI_Start(&request);
    for (i = 0; rank == 0 && i < 4; ++i) MPI_Pready(3 - i, request);
    for (arrived = 0; rank == 1 && !arrived;) MPI_Parrived(request, 0, &arrived);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank < 2) MPI_Request_free(&request);
}

static void persistent_barrier(void)
{
  MPI_Request request;
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (; ordered(); then()) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

static void persistent_broadcast(void)
{
  MPI_Request request;
  int value = 1;
  MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (; ordered(); then()) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}
#endif

static void barrier_of_all(void)
{
  for (; ordered(); then()) barrier();
}

/* Only those two are in it. */
static void barrier_of_two(void)
{
  MPI_Comm two;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, -rank, &two);
  for (; ordered(); then())
    if (rank < 2) MPI_Barrier(two);
  if (rank < 2) MPI_Comm_free(&two);
}

static void tested_barrier(void)
{
  MPI_Request request;
  int flag;
  for (; ordered(); then()) {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
}

static void broadcast(void)
{
  int value;
  for (; ordered(); then()) {
    value = rank == 0 ? 5 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    expect(value == 5);
  }
}

static void nonblocking_broadcast(void)
{
  MPI_Request request;
  int value = 1;
  for (; ordered(); then()) {
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* Nobody gets anything but rank 1. */
static void scattered_to_one(void)
{
  int counts[16] = {0, 1}, places[16] = {0}, value = 0, token = 5;
  for (; ordered(); then())
    MPI_Scatterv(&token, counts, places, MPI_INT, &value, rank == 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) expect(value == 5);
}

/* Nobody gives anything but rank 0. */
static void gathered_from_one(void)
{
  int counts[16] = {1}, places[16] = {0}, value = 0, token = 5;
  for (; ordered(); then())
    MPI_Gatherv(&token, rank == 0, MPI_INT, &value, counts, places, MPI_INT, 1, MPI_COMM_WORLD);
  if (rank == 1) expect(value == 5);
}

static void reduced(void)
{
  int value = rank, sum = 0;
  for (; ordered(); then()) MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  if (rank == 1) expect(sum == size * (size - 1) / 2);
}

static void reduced_in_place(void)
{
  MPI_Request request;
  int value;
  for (; ordered(); then()) {
    value = 1;
    MPI_Ireduce(rank == 1 ? MPI_IN_PLACE : &value, rank == 1 ? &value : NULL, 1, MPI_INT, MPI_SUM, 1,
                MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(value == (rank == 1 ? size : 1));
  }
}

static void gathered_by_all(void)
{
  int all[16];
  for (; ordered(); then()) MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  expect(all[1] == 1);
}

static void all_to_all(void)
{
  int from[16] = {0}, to[16];
  for (; ordered(); then()) MPI_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, MPI_COMM_WORLD);
}

/* Of all pairs only this one has anything to say. */
static void one_to_one(void)
{
  int sent[16] = {0}, received[16] = {0}, places[16] = {0}, value = 0, token = 6;
  sent[1] = rank == 0;
  received[0] = rank == 1;
  for (; ordered(); then())
    MPI_Alltoallv(&token, sent, places, MPI_INT, &value, received, places, MPI_INT, MPI_COMM_WORLD);
  if (rank == 1) expect(value == 6);
}

static void reduced_by_all(void)
{
  MPI_Request request;
  int value = 1, sum, product;
  for (; ordered(); then()) {
    MPI_Iallreduce(&value, &product, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD, &request);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == size);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void reduced_and_scattered(void)
{
  int values[16] = {1, 1, 1}, sum;
  for (; ordered(); then()) MPI_Reduce_scatter_block(values, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void scanned(void)
{
  int value = 1, sum = 0;
  for (; ordered(); then()) MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sum == rank);
}

static void neighbours(void)
{
  const int periodic = 1;
  MPI_Comm ring;
  int found[2];
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  for (; ordered(); then()) MPI_Neighbor_allgather(&rank, 1, MPI_INT, found, 1, MPI_INT, ring);
  expect(found[0] == previous() && found[1] == next());
  MPI_Comm_free(&ring);
}

/* One edge and no more. */
static void one_edge(void)
{
  const int zero = 0, one = 1;
  MPI_Comm graph;
  MPI_Request request;
  int found = -1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 1, &zero, MPI_UNWEIGHTED, rank == 0, &one,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  for (; ordered(); then()) {
    MPI_Ineighbor_alltoall(&rank, 1, MPI_INT, &found, 1, MPI_INT, graph, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 1) expect(found == 0);
  MPI_Comm_free(&graph);
}

static void through_a_third(void)
{
  for (; ordered(); then()) {
    if (rank == 0) {
      send_to(2);
    } else if (rank == 2) {
      receive_from(0);
      send_to(1);
    } else if (rank == 1) {
      receive_from(2);
    }
  }
}

/* A collective with the third one, then a message of it. */
static void reduced_then_told(void)
{
  int value = 1, sum;
  for (; ordered(); then()) {
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    if (rank == 2) send_to(1);
    if (rank == 1) receive_from(2);
  }
}

/* Two communicators that have only the third one in common. */
static void two_communicators(void)
{
  MPI_Comm without_1, without_0;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, rank, &without_1);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, -rank, &without_0);
  for (; ordered(); then()) {
    if (rank != 1) MPI_Barrier(without_1);
    if (rank != 0) MPI_Barrier(without_0);
  }
  if (rank != 1) MPI_Comm_free(&without_1);
  if (rank != 0) MPI_Comm_free(&without_0);
}

static MPI_Win one_more_window(int** base)
{
  MPI_Win more;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, base, &more);
  memset(*base, 0, 64 * sizeof(int));
  barrier();
  return more;
}

static void fence_of_another_window(void)
{
  int* base;
  MPI_Win more = one_more_window(&base);
  for (; ordered(); then()) MPI_Win_fence(0, more);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, more);
  MPI_Win_free(&more);
}

/* The origin is rank 0, whose target knows when it has waited. */
static void exposure_of_another_window(void)
{
  int* base;
  MPI_Win more = one_more_window(&base);
  MPI_Group peer = group_of_one(rank == 0);
  for (; ordered(); then()) {
    if (rank == 0) {
      MPI_Win_start(peer, 0, more);
      MPI_Win_complete(more);
    } else if (rank == 1) {
      MPI_Win_post(peer, 0, more);
      MPI_Win_wait(more);
    }
  }
  MPI_Group_free(&peer);
  MPI_Win_free(&more);
}

/* The target is rank 0, whose origin begins its epoch after the post. */
static void post_of_another_window(void)
{
  int *base, value = -1;
  MPI_Win more = one_more_window(&base);
  MPI_Group peer = group_of_one(rank == 0);
  for (; ordered(); then()) {
    if (rank == 0) {
      base[0] = 4;
      MPI_Win_post(peer, 0, more);
      MPI_Win_wait(more);
    } else if (rank == 1) {
      MPI_Win_start(peer, 0, more);
      MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, more);
      MPI_Win_complete(more);
      expect(value == 4);
    }
  }
  MPI_Group_free(&peer);
  MPI_Win_free(&more);
}

static void counter_of_another_window(void)
{
  const int one = 1;
  int *base, value;
  MPI_Win more = one_more_window(&base);
  MPI_Win_lock_all(0, more);
  for (; ordered(); then()) {
    if (rank == 0) MPI_Accumulate(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, MPI_SUM, more);
    if (rank == 0) MPI_Win_flush(2, more);
    for (value = 0; rank == 1 && value != pass + 1;) {
      MPI_Fetch_and_op(NULL, &value, MPI_INT, 2, 0, MPI_NO_OP, more);
      MPI_Win_flush(2, more);
    }
  }
  MPI_Win_unlock_all(more);
  MPI_Win_free(&more);
}

/* No member returns from MPI_Win_free before all have called it (§12.2.5). */
static void another_window_is_freed(void)
{
  int* base;
  MPI_Win windows[passes];
  windows[0] = one_more_window(&base);
  windows[1] = one_more_window(&base);
  for (; ordered(); then()) MPI_Win_free(windows + pass);
}

/* Rank 0's operations are complete when its epoch is, and told of by the lock that follows. */
static void lock_of_another_window(void)
{
  int *base, value;
  MPI_Win more = one_more_window(&base);
  for (; ordered(); then()) {
    for (value = 0; rank < 2 && value != pass + 1;) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, more);
      MPI_Get(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, more);
      MPI_Win_flush(2, more);
      if (rank == 0) {
        ++value;
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, more);
      }
      MPI_Win_unlock(2, more);
    }
  }
  MPI_Win_free(&more);
}

/* Last, as all that comes after the making of one is ordered anyway. */
static void intercommunicator(void)
{
  MPI_Comm half, both;
  int value = 1;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 3, &both);
  for (; ordered(); then()) MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, both);
  MPI_Comm_free(&half);
  MPI_Comm_free(&both);
}

static const struct test_case cases[] = {
    {"message", "right", "3.2", message},
    {"synchronous_send", "right", "3.4", synchronous_send},
    {"receive_has_begun", "right", "3.4", receive_has_begun},
    {"buffered_send", "right", "3.6", buffered_send},
    {"ready_send", "right", "3.4", ready_send},
    {"large_message", "right", "3.2", large_message},
    {"nonblocking_receive", "right", "3.7", nonblocking_receive},
    {"tested_receive", "right", "3.7.3", tested_receive},
    {"one_of_two", "right", "3.7.5", one_of_two},
    {"send_and_receive", "right", "3.10", send_and_receive},
    {"replaced", "right", "3.10", replaced},
    {"persistent_requests", "right", "3.9", persistent_requests},
    {"probed", "right", "3.8.1", probed},
    {"matched_probe", "right", "3.8.2", matched_probe},
#if MPI_VERSION >= 4
    {"partitions", "right", "4.2", partitions},
    {"persistent_barrier", "right", "6.13", persistent_barrier},
    {"persistent_broadcast", "right", "6.13", persistent_broadcast},
#endif
    {"barrier_of_all", "right", "6.3", barrier_of_all},
    {"barrier_of_two", "right", "6.3", barrier_of_two},
    {"tested_barrier", "right", "6.12", tested_barrier},
    {"broadcast", "right", "6.4", broadcast},
    {"nonblocking_broadcast", "right", "6.12", nonblocking_broadcast},
    {"scattered_to_one", "right", "6.6", scattered_to_one},
    {"gathered_from_one", "right", "6.5", gathered_from_one},
    {"reduced", "right", "6.9", reduced},
    {"reduced_in_place", "right", "6.12", reduced_in_place},
    {"gathered_by_all", "right", "6.7", gathered_by_all},
    {"all_to_all", "right", "6.8", all_to_all},
    {"one_to_one", "right", "6.8", one_to_one},
    {"reduced_by_all", "right", "6.9.6", reduced_by_all},
    {"reduced_and_scattered", "right", "6.10", reduced_and_scattered},
    {"scanned", "right", "6.11", scanned},
    {"neighbours", "right", "8.6", neighbours},
    {"one_edge", "right", "8.7", one_edge},
    {"through_a_third", "right", "3.2", through_a_third},
    {"reduced_then_told", "right", "6.9", reduced_then_told},
    {"two_communicators", "right", "6.3", two_communicators},
    {"fence_of_another_window", "right", "12.5.1", fence_of_another_window},
    {"exposure_of_another_window", "right", "12.5.2", exposure_of_another_window},
    {"post_of_another_window", "right", "12.5.2", post_of_another_window},
    {"counter_of_another_window", "right", "12.7", counter_of_another_window},
    {"another_window_is_freed", "right", "12.2.5", another_window_is_freed},
    {"lock_of_another_window", "right", "12.5.3", lock_of_another_window},
    {"intercommunicator", "right", "6.4", intercommunicator},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
