/* Communicators over three worlds, made and used at random, against a model that every process keeps: who is
   a member of what, in which order. The arguments are the seed and the number of steps. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { most_processes = 24, most_comms = 7 };

typedef struct {
  int size;
  int member[most_processes]; /* by rank: the process's number in the communicator of all */
  MPI_Comm comm;              /* MPI_COMM_NULL if this process is none of them */
} Known;

static Known known[most_comms]; /* the first one is of all and stays */
static int comms, me, all;
static uint64_t state;

/* All processes draw the same numbers. */
static unsigned draw(unsigned below)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 33) % below;
}

/* A number that all know of a process in a step. */
static int value_of(int process, int step)
{
  return (process * 7919 + step * 104729) % 1000;
}

static int rank_in(const Known* group, int process)
{
  for (int i = 0; i < group->size; ++i)
    if (group->member[i] == process) return i;
  return MPI_UNDEFINED;
}

static int is_member(const Known* group)
{
  return rank_in(group, me) != MPI_UNDEFINED;
}

static void forget(int index)
{
  if (is_member(&known[index])) CALL(MPI_Comm_free(&known[index].comm));
  known[index] = known[--comms];
}

static void keep(Known made)
{
  if (comms == most_comms) forget(1 + (int)draw(most_comms - 1));
  if (is_member(&made)) {
    int size, rank;
    CALL(MPI_Comm_size(made.comm, &size));
    CALL(MPI_Comm_rank(made.comm, &rank));
    CHECK(size == made.size && rank == rank_in(&made, me));
  }
  known[comms++] = made;
}

/* The members of one color, in the order of their keys. */
static Known part_of(const Known* parent, const int* color, const int* key, int wanted)
{
  Known part = {.comm = MPI_COMM_NULL};
  for (int i = 0; i < parent->size; ++i) {
    if (color[i] != wanted) continue;
    int place = part.size++;
    for (; place > 0; --place) {
      const int before = part.member[place - 1];
      if (key[rank_in(parent, before)] <= key[i]) break;
      part.member[place] = before;
    }
    part.member[place] = parent->member[i];
  }
  return part;
}

static void split(Known* parent)
{
  int color[most_processes], key[most_processes];
  const int colors = 1 + (int)draw(3);
  for (int i = 0; i < parent->size; ++i) color[i] = (int)draw(colors), key[i] = (int)draw(4);
  const int rank = rank_in(parent, me);
  MPI_Comm mine = MPI_COMM_NULL;
  if (rank != MPI_UNDEFINED) CALL(MPI_Comm_split(parent->comm, color[rank], key[rank], &mine));
  const Known copy = *parent;
  for (int c = 0; c < colors; ++c) {
    Known part = part_of(&copy, color, key, c);
    if (part.size == 0) continue;
    if (is_member(&part)) part.comm = mine;
    keep(part);
  }
}

static void copy(const Known* parent)
{
  Known made = *parent;
  if (is_member(parent)) CALL(MPI_Comm_dup(parent->comm, &made.comm));
  keep(made);
}

static void create_group(const Known* parent)
{
  Known made = {.comm = MPI_COMM_NULL};
  int ranks[most_processes];
  for (int i = 0; i < parent->size; ++i)
    if (draw(3) > 0) ranks[made.size] = i, made.member[made.size++] = parent->member[i];
  if (made.size == 0) return;
  if (is_member(&made)) {
    MPI_Group whole, part;
    CALL(MPI_Comm_group(parent->comm, &whole));
    CALL(MPI_Group_incl(whole, made.size, ranks, &part));
    CALL(MPI_Comm_create_group(parent->comm, part, 5, &made.comm));
    CALL(MPI_Group_free(&part));
    CALL(MPI_Group_free(&whole));
  }
  keep(made);
}

/* Two halves that meet again: by a leader's message, or at a port. */
static void meet(const Known* parent, int step)
{
  if (parent->size < 2) return;
  int color[most_processes], key[most_processes] = {0};
  for (int i = 0; i < parent->size; ++i) color[i] = i < 2 ? i : (int)draw(2);
  const int at_port = (int)draw(2), high_side = (int)draw(2);
  const Known halves[2] = {part_of(parent, color, key, 0), part_of(parent, color, key, 1)};
  Known made = {.size = parent->size, .comm = MPI_COMM_NULL};
  const Known *low = &halves[!high_side], *high = &halves[high_side];
  memcpy(made.member, low->member, sizeof(int) * (size_t)low->size);
  memcpy(made.member + low->size, high->member, sizeof(int) * (size_t)high->size);
  const int rank = rank_in(parent, me);
  if (rank != MPI_UNDEFINED) {
    const int side = color[rank];
    const Known* theirs = &halves[!side];
    MPI_Comm half, inter;
    CALL(MPI_Comm_split(parent->comm, side, 0, &half));
    if (at_port) {
      char port[MPI_MAX_PORT_NAME] = "";
      const int opener = rank_in(parent, halves[0].member[0]);
      if (rank == opener) CALL(MPI_Open_port(MPI_INFO_NULL, port));
      CALL(MPI_Bcast(port, sizeof port, MPI_CHAR, opener, parent->comm));
      if (side == 0)
        CALL(MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter));
      else
        CALL(MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter));
      if (rank == opener) CALL(MPI_Close_port(port));
    } else {
      CALL(MPI_Intercomm_create(half, 0, parent->comm, rank_in(parent, theirs->member[0]), 9, &inter));
    }
    int size, sum, mine = value_of(me, step), wanted = 0;
    CALL(MPI_Comm_remote_size(inter, &size));
    CHECK(size == theirs->size);
    CALL(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter));
    for (int i = 0; i < theirs->size; ++i) wanted += value_of(theirs->member[i], step);
    CHECK(sum == wanted);
    CALL(MPI_Intercomm_merge(inter, side == high_side, &made.comm));
    CALL(MPI_Comm_free(&inter));
    CALL(MPI_Comm_free(&half));
  }
  keep(made);
}

static void collectives(const Known* group, int step)
{
  const int root = (int)draw((unsigned)group->size), rank = rank_in(group, me), n = group->size;
  if (rank == MPI_UNDEFINED) return;
  const MPI_Comm comm = group->comm;
  int mine = value_of(me, step), got = -1, sum = 0, before = 0, values[most_processes],
      others[most_processes];
  for (int i = 0; i < n; ++i) {
    sum += value_of(group->member[i], step);
    if (i < rank) before += value_of(group->member[i], step);
  }
  MPI_Request requests[2];
  int later = -1;
  CALL(MPI_Iallreduce(&mine, &later, 1, MPI_INT, MPI_SUM, comm, &requests[0]));
  got = mine;
  CALL(MPI_Bcast(&got, 1, MPI_INT, root, comm));
  CHECK(got == value_of(group->member[root], step));
  CALL(MPI_Ibarrier(comm, &requests[1]));
  CALL(MPI_Reduce(&mine, &got, 1, MPI_INT, MPI_SUM, root, comm));
  CHECK(rank != root || got == sum);
  CALL(MPI_Allgather(&mine, 1, MPI_INT, values, 1, MPI_INT, comm));
  for (int i = 0; i < n; ++i) CHECK(values[i] == value_of(group->member[i], step));
  for (int i = 0; i < n; ++i) others[i] = mine + i;
  CALL(MPI_Alltoall(others, 1, MPI_INT, values, 1, MPI_INT, comm));
  for (int i = 0; i < n; ++i) CHECK(values[i] == value_of(group->member[i], step) + rank);
  CALL(MPI_Scan(&mine, &got, 1, MPI_INT, MPI_SUM, comm));
  CHECK(got == before + mine);
  CALL(MPI_Exscan(&mine, &got, 1, MPI_INT, MPI_SUM, comm));
  CHECK(rank == 0 || got == before);
  CALL(MPI_Gather(&mine, 1, MPI_INT, values, 1, MPI_INT, root, comm));
  CALL(MPI_Scatter(values, 1, MPI_INT, &got, 1, MPI_INT, root, comm));
  CHECK(got == mine);
  CALL(MPI_Reduce_scatter_block(others, &got, 1, MPI_INT, MPI_SUM, comm));
  CHECK(got == sum + n * rank);
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK(later == sum);
}

static void window(const Known* group, int step)
{
  const int shift = 1 + (int)draw(5), rank = rank_in(group, me), n = group->size;
  if (rank == MPI_UNDEFINED) return;
  int *memory, mine = value_of(me, step), sum = 0, got = -1;
  MPI_Win win;
  CALL(MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, group->comm, &memory, &win));
  memory[0] = memory[1] = 0;
  CALL(MPI_Win_fence(0, win));
  CALL(MPI_Put(&mine, 1, MPI_INT, (rank + shift) % n, 0, 1, MPI_INT, win));
  CALL(MPI_Win_fence(0, win));
  CHECK(memory[0] == value_of(group->member[((rank - shift) % n + n) % n], step));
  CALL(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  CALL(MPI_Win_lock(MPI_LOCK_SHARED, shift % n, 0, win));
  CALL(MPI_Accumulate(&mine, 1, MPI_INT, shift % n, 1, 1, MPI_INT, MPI_SUM, win));
  CALL(MPI_Win_unlock(shift % n, win));
  CALL(MPI_Barrier(group->comm));
  for (int i = 0; i < n; ++i) sum += value_of(group->member[i], step);
  CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, shift % n, 0, win));
  CALL(MPI_Get(&got, 1, MPI_INT, shift % n, 1, 1, MPI_INT, win));
  CALL(MPI_Win_unlock(shift % n, win));
  CHECK(got == sum);
  CALL(MPI_Win_free(&win));
}

/* Everybody sends to some, who know how many come but not from whom. Sizes on both sides of every limit. */
static void messages(const Known* group, int step)
{
  static const int sizes[] = {1, 20, 3000, 40000};
  enum { largest = 40000 };
  static int out[largest], in[largest];
  const int count = sizes[draw(4)], shift = 1 + (int)draw(7), rank = rank_in(group, me), n = group->size;
  if (rank == MPI_UNDEFINED) return;
  MPI_Request request;
  MPI_Status status;
  for (int i = 0; i < count; ++i) out[i] = value_of(me, step) + i;
  CALL(MPI_Isend(out, count, MPI_INT, (rank + shift) % n, step, group->comm, &request));
  CALL(MPI_Recv(in, largest, MPI_INT, MPI_ANY_SOURCE, step, group->comm, &status));
  const int from = ((rank - shift) % n + n) % n;
  int got;
  CALL(MPI_Get_count(&status, MPI_INT, &got));
  CHECK(status.MPI_SOURCE == from && got == count);
  CHECK(in[0] == value_of(group->member[from], step) && in[count - 1] == in[0] + count - 1);
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void compare(const Known* first, const Known* second)
{
  if (!is_member(first) || !is_member(second)) return;
  int result, same = first->size == second->size, similar = same;
  for (int i = 0; i < first->size; ++i) {
    same = same && first->member[i] == second->member[i];
    similar = similar && rank_in(second, first->member[i]) != MPI_UNDEFINED;
  }
  CALL(MPI_Comm_compare(first->comm, second->comm, &result));
  CHECK(result == (first == second ? MPI_IDENT : same ? MPI_CONGRUENT : similar ? MPI_SIMILAR : MPI_UNEQUAL));
  MPI_Group one, other, both, whole;
  int ranks[2 * most_processes], processes[2 * most_processes], size;
  CALL(MPI_Comm_group(first->comm, &one));
  CALL(MPI_Comm_group(second->comm, &other));
  CALL(MPI_Comm_group(known[0].comm, &whole));
  CALL(MPI_Group_union(one, other, &both));
  CALL(MPI_Group_size(both, &size));
  for (int i = 0; i < size; ++i) ranks[i] = i;
  CALL(MPI_Group_translate_ranks(both, size, ranks, whole, processes));
  int wanted = first->size;
  for (int i = 0; i < first->size; ++i) CHECK(processes[i] == first->member[i]);
  for (int i = 0; i < second->size; ++i)
    if (rank_in(first, second->member[i]) == MPI_UNDEFINED) CHECK(processes[wanted++] == second->member[i]);
  CHECK(size == wanted);
  CALL(MPI_Group_free(&both));
  CALL(MPI_Group_free(&whole));
  CALL(MPI_Group_free(&other));
  CALL(MPI_Group_free(&one));
}

static void run(int steps)
{
  for (int step = 0; step < steps; ++step) {
    Known* const group = &known[draw((unsigned)comms)];
    switch (draw(9)) {
      case 0:
        split(group);
        break;
      case 1:
        copy(group);
        break;
      case 2:
        create_group(group);
        break;
      case 3:
        meet(group, step);
        break;
      case 4:
        window(group, step);
        break;
      case 5:
        messages(group, step);
        break;
      case 6:
        compare(group, &known[draw((unsigned)comms)]);
        break;
      default:
        collectives(group, step);
    }
  }
  while (comms > 1) forget(comms - 1);
}

/* The second world is spawned by the first, the third by both. */
static void gather_worlds(char** argv, const char* what, MPI_Comm* everybody)
{
  MPI_Comm parent, inter, both;
  char *second[] = {"second", NULL}, *third[] = {"third", NULL};
  CALL(MPI_Comm_get_parent(&parent));
  if (strcmp(what, "third") == 0) {
    CALL(MPI_Intercomm_merge(parent, 1, everybody));
    CALL(MPI_Comm_disconnect(&parent));
    return;
  }
  if (parent == MPI_COMM_NULL)
    CALL(MPI_Comm_spawn(argv[0], second, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
  else
    inter = parent;
  CALL(MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &both));
  CALL(MPI_Comm_disconnect(&inter));
  int size;
  CALL(MPI_Comm_size(both, &size));
  CALL(MPI_Comm_spawn(argv[0], third, 3, MPI_INFO_NULL, size - 1, both, &inter, MPI_ERRCODES_IGNORE));
  CALL(MPI_Intercomm_merge(inter, 0, everybody));
  CALL(MPI_Comm_disconnect(&inter));
  CALL(MPI_Comm_free(&both));
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm parent, everybody;
  CALL(MPI_Comm_get_parent(&parent));
  const int is_first = parent == MPI_COMM_NULL;
  gather_worlds(argv, is_first ? "first" : argv[1], &everybody);
  CALL(MPI_Comm_rank(everybody, &me));
  CALL(MPI_Comm_size(everybody, &all));
  long long plan[2] = {argc > 1 && is_first ? atoll(argv[1]) : all,
                       argc > 2 && is_first ? atoll(argv[2]) : 300};
  CALL(MPI_Bcast(plan, 2, MPI_LONG_LONG, 0, everybody));
  state = (uint64_t)plan[0] * 0x9E3779B97F4A7C15u + 1;
  known[0] = (Known){.size = all, .comm = everybody};
  for (int i = 0; i < all; ++i) known[0].member[i] = i;
  comms = 1;
  run((int)plan[1]);
  int any = 0;
  CALL(MPI_Allreduce(&check_failures, &any, 1, MPI_INT, MPI_MAX, everybody));
  if (any && me == 0) fprintf(stderr, "that was seed %lld\n", plan[0]);
  CALL(MPI_Comm_disconnect(&everybody));
  MPI_Finalize();
  return any != 0;
}
