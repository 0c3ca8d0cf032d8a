// Time per call of every collective of chapter 6 of MPI 5.0 in its three forms, on any number of ranks:
// blocking, nonblocking (started and waited for) and persistent (the same, of a request that is made before;
// where the MPI is of version 4). `bytes` is the size of one block. Roots change from call to call, so that
// no rank runs ahead. What the nonblocking and persistent forms give is compared with what the blocking ones
// give; a form that gives something else has no line.

#include "every_collective_calls.h"
#include "measure.h"

static void perform(struct job* j, int root)
{
  MPI_Request request;
  switch (j->form) {
    case blocking:
      call(j, root);
      break;
    case nonblocking:
      start(j, root, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case persistent:
      MPI_Start(&j->made[root]);
      MPI_Wait(&j->made[root], MPI_STATUS_IGNORE);
      break;
  }
}

static double run(void* self, int calls)
{
  struct job* j = self;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = now_ns();
  for (int i = 0, root = 0; i < calls; ++i, root = root + 1 == j->size ? 0 : root + 1) perform(j, root);
  double mine = now_ns() - begin, slowest;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

// Whether the form gives all ranks what the blocking one gives, with this root and data that it has not had.
static int agrees(struct job* j, int turn)
{
  const enum form form = j->form;
  const size_t all = (size_t)j->count * (size_t)j->size, bytes = all * sizeof(double);
  double* expected = malloc(bytes);
  const int root = turn % j->size;
  for (size_t i = 0; i < all; ++i) j->in[i] = (double)(j->rank + 1) * (turn % 7 + 1) + (double)(i % 61);
  memset(j->out, 0, bytes);
  j->form = blocking;
  perform(j, root);
  memcpy(expected, j->out, bytes);
  memset(j->out, 0, bytes);
  j->form = form;
  perform(j, root);
  int same = memcmp(expected, j->out, bytes) == 0, everywhere = 0;
  free(expected);
  MPI_Allreduce(&same, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return everywhere;
}

static void begin(struct job* j, size_t bytes)
{
  j->count = (int)(bytes / sizeof(double));
  j->in = allocate(bytes * (size_t)j->size);
  j->out = allocate(bytes * (size_t)j->size);
  for (int i = 0; i < j->size; ++i) {
    j->counts[i] = j->count;
    j->places[i] = i * j->count;
    j->offsets[i] = i * (int)bytes;
    j->types[i] = MPI_DOUBLE;
  }
}

static void measure_form(struct job* j, struct options* o, const char* name, size_t bytes)
{
  static const char* const forms[] = {"blocking", "nonblocking", "persistent"};
#if MPI_VERSION >= 4
  for (int root = 0; j->form == persistent && root < j->size; ++root) make(j, root, &j->made[root]);
#endif
  int good = 1;
  for (int turn = 0; turn < 2 * j->size && good; ++turn) good = agrees(j, turn);
  struct figure f = {0};
  if (good) f = measure(o, (struct subject){run, NULL, NULL, j});
  good = good && agrees(j, 2 * j->size);
  if (j->rank == 0 && !good)
    fprintf(stderr, "every_collective: %s %s of %zu bytes gives something else than the blocking call\n",
            forms[j->form], name, bytes);
  if (j->rank == 0 && good) {
    printf("every_collective operation=%s form=%s ranks=%d bytes=%zu", name, forms[j->form], j->size, bytes);
    print_figure(f, 1);
  }
  for (int root = 0; j->form == persistent && root < j->size; ++root) MPI_Request_free(&j->made[root]);
}

int main(int argc, char** argv)
{
  static const char* const names[operations] = {
      "barrier",        "bcast",    "gather",    "gatherv",   "scatter", "scatterv",  "allgather",
      "allgatherv",     "alltoall", "alltoallv", "alltoallw", "reduce",  "allreduce", "reduce_scatter_block",
      "reduce_scatter", "scan",     "exscan"};
  static const size_t sizes[] = {8, 1024};
  MPI_Init(&argc, &argv);
  struct options o = read_options(argc, argv);
  struct job j;
  MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &j.size);
  // With more ranks than cores, placing them is the MPI's affair.
  if (j.size == 2) part_two_ranks(&o, j.rank);
  j.counts = malloc(sizeof(int) * (size_t)j.size);
  j.places = malloc(sizeof(int) * (size_t)j.size);
  j.offsets = malloc(sizeof(int) * (size_t)j.size);
  j.types = malloc(sizeof(MPI_Datatype) * (size_t)j.size);
  j.made = malloc(sizeof(MPI_Request) * (size_t)j.size);

  for (int k = 0; k < operations; ++k) {
    j.operation = (enum operation)k;
    for (size_t s = 0; s < (k == barrier || o.small || o.quick ? 1 : 2); ++s) {
      begin(&j, sizes[s]);
      for (int form = 0; form < (MPI_VERSION >= 4 ? 3 : 2); ++form) {
        j.form = (enum form)form;
        measure_form(&j, &o, names[k], k == barrier ? 0 : sizes[s]);
      }
      free(j.in);
      free(j.out);
    }
  }
  free(j.counts);
  free(j.places);
  free(j.offsets);
  free(j.types);
  free(j.made);
  end_mpi(&o);
  return 0;
}
