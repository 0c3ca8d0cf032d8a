/* Every collective with arrays of counts, displacements or types, in its nonblocking and its persistent form,
   on any number of ranks: the arrays are overwritten and freed as soon as the call has returned. The standard
   forbids that (MPI 5.0 sections 6.12, 6.13), but mpi4py 3.1.4 to 4.1.2 does it. "gone" as argument: the
   arrays lie in memory that is unmapped at once. Exit code 1 if data is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { longest = 2000 };

static int rank, size, unmapped;
static MPI_Comm comm;

/* Arrays of one call, all in one block of memory, as long as it is made. */
static char* memory;
static size_t used;
static const size_t room = 1 << 16;

static void* array(size_t bytes)
{
  void* const made = memory + used;
  used += (bytes + 15) & ~(size_t)15;
  return made;
}

static void make_arrays(void)
{
  memory = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  used = 0;
}

static void lose_arrays(void)
{
  if (unmapped)
    munmap(memory, room);
  else
    memset(memory, 0x5a, room); /* neither counts nor handles */
}

/* What goes from one rank to another: never as much as to the next one. */
static int length(int from, int to)
{
  return 1 + (from * 7 + to * 13) % 5 * (longest / 5);
}

static int number(int from, int to, int i)
{
  return from * 100003 + to * 1009 + i;
}

static int* all_room(void)
{
  int* const made = malloc(sizeof(int) * longest * (size_t)size);
  for (int i = 0; i < longest * size; ++i) made[i] = -1;
  return made;
}

static int* outgoing(int to_all)
{
  int* const made = all_room();
  for (int to = 0; to < size; ++to)
    for (int i = 0; i < length(rank, to_all ? 0 : to); ++i)
      made[to * longest + i] = number(rank, to_all ? 0 : to, i);
  return made;
}

static int* lengths(int to_all, int outwards)
{
  int* const made = array(sizeof(int) * (size_t)size);
  for (int i = 0; i < size; ++i) made[i] = outwards ? length(rank, i) : length(i, to_all ? 0 : rank);
  return made;
}

static int* places(int scale)
{
  int* const made = array(sizeof(int) * (size_t)size);
  for (int i = 0; i < size; ++i) made[i] = i * longest * scale;
  return made;
}

static MPI_Aint* long_places(int scale)
{
  MPI_Aint* const made = array(sizeof(MPI_Aint) * (size_t)size);
  for (int i = 0; i < size; ++i) made[i] = (MPI_Aint)i * longest * scale;
  return made;
}

static MPI_Count* wide(const int* narrow)
{
  MPI_Count* const made = array(sizeof(MPI_Count) * (size_t)size);
  for (int i = 0; i < size; ++i) made[i] = narrow[i];
  return made;
}

static MPI_Datatype* integers(void)
{
  MPI_Datatype* const made = array(sizeof(MPI_Datatype) * (size_t)size);
  for (int i = 0; i < size; ++i) made[i] = MPI_INT;
  return made;
}

/* Whether `in` holds what the ranks from `first` on sent. */
static void expect(const int* in, int sources, int to, const char* call)
{
  for (int from = 0; from < sources; ++from)
    for (int i = 0; i < longest; ++i) {
      const int right = i < length(from, to) ? number(from, to, i) : -1;
      if (in[from * longest + i] == right) continue;
      fprintf(stderr, "%s: rank %d has %d from rank %d at %d, not %d\n", call, rank, in[from * longest + i],
              from, i, right);
      exit(1);
    }
}

static MPI_Request request;
static const char* current;

/* All have overwritten their arrays before any waits. */
static void complete(void)
{
  lose_arrays();
  for (int round = 0; round < 2; ++round) {
    int persistent = strstr(current, "_init") != NULL;
    if (!persistent && round > 0) break;
    MPI_Barrier(comm);
    if (persistent) MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  if (!unmapped) munmap(memory, room);
}

/* Both forms of one call: f(arguments…, request). */
#define BOTH(to_all, sent, received, right, call, prepare, ...) \
  do {                                                          \
    for (int persistent = 0; persistent < 2; ++persistent) {    \
      int *out = sent, *in = received;                          \
      current = persistent ? #prepare : #call;                  \
      make_arrays();                                            \
      if (persistent)                                           \
        prepare(__VA_ARGS__, MPI_INFO_NULL, &request);          \
      else                                                      \
        call(__VA_ARGS__, &request);                            \
      complete();                                               \
      right;                                                    \
      free(out);                                                \
      free(in);                                                 \
    }                                                           \
  } while (0)

static void moves(void)
{
  const int root = size / 2;
#define IN_ROOT \
  if (rank == root) expect(in, size, 0, current)
#define IN_ALL expect(in, size, 0, current)
#define IN_MINE expect(in, size, rank, current)
#define IN_BLOCK                               \
  for (int i = 0; i < length(root, rank); ++i) \
    if (in[i] != number(root, rank, i)) {      \
      fprintf(stderr, "%s: wrong\n", current); \
      exit(1);                                 \
    }
  const int mine = length(rank, 0);
  BOTH(1, outgoing(1), all_room(), IN_ROOT, MPI_Igatherv, MPI_Gatherv_init, out, mine, MPI_INT, in,
       lengths(1, 0), places(1), MPI_INT, root, comm);
  BOTH(1, outgoing(1), all_room(), IN_ROOT, MPI_Igatherv_c, MPI_Gatherv_init_c, out, mine, MPI_INT, in,
       wide(lengths(1, 0)), long_places(1), MPI_INT, root, comm);
  BOTH(0, outgoing(0), all_room(), IN_BLOCK, MPI_Iscatterv, MPI_Scatterv_init, out, lengths(0, 1), places(1),
       MPI_INT, in, length(root, rank), MPI_INT, root, comm);
  BOTH(1, outgoing(1), all_room(), IN_ALL, MPI_Iallgatherv, MPI_Allgatherv_init, out, mine, MPI_INT, in,
       lengths(1, 0), places(1), MPI_INT, comm);
  BOTH(0, outgoing(0), all_room(), IN_MINE, MPI_Ialltoallv, MPI_Alltoallv_init, out, lengths(0, 1), places(1),
       MPI_INT, in, lengths(0, 0), places(1), MPI_INT, comm);
  BOTH(0, outgoing(0), all_room(), IN_MINE, MPI_Ialltoallv_c, MPI_Alltoallv_init_c, out, wide(lengths(0, 1)),
       long_places(1), MPI_INT, in, wide(lengths(0, 0)), long_places(1), MPI_INT, comm);
  BOTH(0, outgoing(0), all_room(), IN_MINE, MPI_Ialltoallw, MPI_Alltoallw_init, out, lengths(0, 1),
       places((int)sizeof(int)), integers(), in, lengths(0, 0), places((int)sizeof(int)), integers(), comm);
}

static int* slices(void)
{
  int* const made = array(sizeof(int) * (size_t)size);
  for (int i = 0; i < size; ++i) made[i] = length(0, i);
  return made;
}

static void reductions(void)
{
  int total = 0, before = 0;
  for (int i = 0; i < size; ++i) {
    if (i == rank) before = total;
    total += length(0, i);
  }
  int* const operands = malloc(sizeof(int) * (size_t)total);
  for (int i = 0; i < total; ++i) operands[i] = i;
  BOTH(0, NULL, all_room(),
       for (int i = 0; i < length(0, rank); ++i) if (in[i] != size * (before + i)) exit(1),
       MPI_Ireduce_scatter, MPI_Reduce_scatter_init, operands, in, slices(), MPI_INT, MPI_SUM, comm);
  free(operands);
}

/* All ranks are neighbours of all. */
static void neighbours(void)
{
  int* const all = malloc(sizeof(int) * (size_t)size);
  for (int i = 0; i < size; ++i) all[i] = i;
  MPI_Comm world = comm;
  MPI_Dist_graph_create_adjacent(world, size, all, MPI_UNWEIGHTED, size, all, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &comm);
  BOTH(1, outgoing(1), all_room(), IN_ALL, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, out,
       length(rank, 0), MPI_INT, in, lengths(1, 0), places(1), MPI_INT, comm);
  BOTH(0, outgoing(0), all_room(), IN_MINE, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, out,
       lengths(0, 1), places(1), MPI_INT, in, lengths(0, 0), places(1), MPI_INT, comm);
  BOTH(0, outgoing(0), all_room(), IN_MINE, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, out,
       lengths(0, 1), long_places((int)sizeof(int)), integers(), in, lengths(0, 0),
       long_places((int)sizeof(int)), integers(), comm);
  MPI_Comm_free(&comm);
  comm = world;
  free(all);
}

int main(int argc, char** argv)
{
  unmapped = argc > 1 && strcmp(argv[1], "gone") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  moves();
  reductions();
  neighbours();
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
