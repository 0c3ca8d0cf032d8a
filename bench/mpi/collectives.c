// Time per call of collectives at several sizes, on any number of ranks.
// The slowest rank's time counts. Bcast and reduce change their root from call to call, so that no rank
// runs ahead of the others. `bytes` is the size of one rank's contribution (of one block in alltoall and
// allgather). Results are checked in every call by a sample and once per repetition in full.
// Beside the common options: --only OPERATIONS and --sizes BYTES choose some, separated by commas.

#include "measure.h"

struct job;
typedef void operation(struct job* j, int call);

struct job {
  int rank, size;
  int count;  // doubles
  double *in, *out;
  operation* operation;
};

// Values are small integers: their sums are exact in any order.
static double value(int rank, int call, int i)
{
  return (double)((rank + 1) * (call % 97 + 1) + i % 61);
}

static double sum(const struct job* j, int call, int i)
{
  return (double)(j->size * (j->size + 1) / 2 * (call % 97 + 1) + j->size * (i % 61));
}

static void expect(double got, double wanted, const char* what, int call, int i)
{
  if (got != wanted) wrong("%s, call %d: element %d is %g, not %g", what, call, i, got, wanted);
}

static void barrier(struct job* j, int call)
{
  (void)j, (void)call;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(struct job* j, int call)
{
  int root = call % j->size, last = j->count - 1;
  if (j->rank == root) j->in[0] = value(root, call, 0), j->in[last] = value(root, call, last);
  MPI_Bcast(j->in, j->count, MPI_DOUBLE, root, MPI_COMM_WORLD);
  if (last > 0) expect(j->in[0], value(root, call, 0), "bcast", call, 0);
  expect(j->in[last], value(root, call, last), "bcast", call, last);
}

static void reduce(struct job* j, int call)
{
  int root = call % j->size, last = j->count - 1;
  j->in[last] = value(j->rank, call, last);
  MPI_Reduce(j->in, j->out, j->count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
  if (j->rank == root) expect(j->out[last], sum(j, call, last), "reduce", call, last);
}

static void allreduce(struct job* j, int call)
{
  int last = j->count - 1;
  j->in[last] = value(j->rank, call, last);
  MPI_Allreduce(j->in, j->out, j->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expect(j->out[last], sum(j, call, last), "allreduce", call, last);
}

static void iallreduce(struct job* j, int call)
{
  int last = j->count - 1;
  MPI_Request request;
  j->in[last] = value(j->rank, call, last);
  MPI_Iallreduce(j->in, j->out, j->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(j->out[last], sum(j, call, last), "iallreduce", call, last);
}

static void allgather(struct job* j, int call)
{
  int last = j->count - 1, neighbour = (j->rank + 1) % j->size;
  j->in[last] = value(j->rank, call, last);
  MPI_Allgather(j->in, j->count, MPI_DOUBLE, j->out, j->count, MPI_DOUBLE, MPI_COMM_WORLD);
  expect(j->out[neighbour * j->count + last], value(neighbour, call, last), "allgather", call, last);
}

static void alltoall(struct job* j, int call)
{
  int last = j->count - 1, to = (j->rank + 1) % j->size, from = (j->rank + j->size - 1) % j->size;
  j->in[to * j->count + last] = value(j->rank, call, last + to);
  MPI_Alltoall(j->in, j->count, MPI_DOUBLE, j->out, j->count, MPI_DOUBLE, MPI_COMM_WORLD);
  expect(j->out[from * j->count + last], value(from, call, last + j->rank), "alltoall", call, last);
}

// One call with every element set and checked.
static void verify_in_full(void* self, int call)
{
  struct job* j = self;
  operation* f = j->operation;
  int blocks = f == alltoall ? j->size : 1;
  for (int i = 0; i < blocks * j->count; ++i)
    j->in[i] = value(j->rank, call, i % j->count + (f == alltoall ? i / j->count : 0));
  int root = call % j->size;
  if (f == bcast && j->rank != root) memset(j->in, 0, (size_t)j->count * sizeof *j->in);
  f(j, call);
  for (int i = 0; i < j->count; ++i) {
    if (f == bcast) expect(j->in[i], value(root, call, i), "bcast", call, i);
    if ((f == reduce && j->rank == root) || f == allreduce || f == iallreduce)
      expect(j->out[i], sum(j, call, i), "reduction", call, i);
    for (int r = 0; f == allgather && r < j->size; ++r)
      expect(j->out[r * j->count + i], value(r, call, i), "allgather", call, i);
    for (int r = 0; f == alltoall && r < j->size; ++r)
      expect(j->out[r * j->count + i], value(r, call, i + j->rank), "alltoall", call, i);
  }
}

static double run(void* self, int calls)
{
  struct job* j = self;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now_ns();
  for (int i = 0; i < calls; ++i) j->operation(j, i);
  double mine = now_ns() - start, slowest;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

// Takes an option with its argument, which is returned, out of the command line; null if it is not there.
static const char* take_option(int* argc, char** argv, const char* name)
{
  for (int i = 1; i + 1 < *argc; ++i) {
    if (strcmp(argv[i], name) != 0) continue;
    const char* value = argv[i + 1];
    memmove(argv + i, argv + i + 2, (size_t)(*argc - i - 1) * sizeof *argv);  // and the null at the end
    *argc -= 2;
    return value;
  }
  return NULL;
}

static int among(const char* word, const char* list)
{
  const size_t length = strlen(word);
  for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == 0)) return 1;
  return 0;
}

static size_t read_sizes(const char* list, size_t* sizes, size_t most)
{
  size_t n = 0;
  char* end;
  for (const char* at = list; n < most && *at; at = *end == ',' ? end + 1 : end) {
    sizes[n++] = strtoul(at, &end, 10);
    if (end == at || (*end != ',' && *end != 0)) {
      fprintf(stderr, "--sizes %s: not numbers separated by commas\n", list);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  return n;
}

int main(int argc, char** argv)
{
  static const size_t none[] = {0};  // a barrier has no data
  static const size_t all[] = {8, 1024, 32768, 65536, 1048576};
  static const size_t few[] = {8, 32768};
  static const struct {
    const char* name;
    operation* f;
  } operations[] = {{"barrier", barrier},     {"bcast", bcast},           {"reduce", reduce},
                    {"allreduce", allreduce}, {"iallreduce", iallreduce}, {"allgather", allgather},
                    {"alltoall", alltoall}};
  MPI_Init(&argc, &argv);
  const char* only = take_option(&argc, argv, "--only");
  const char* list = take_option(&argc, argv, "--sizes");
  size_t listed[32], numbers = list ? read_sizes(list, listed, sizeof listed / sizeof *listed) : 0;
  struct options o = read_options(argc, argv);
  struct job j;
  MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &j.size);
  // With more ranks than cores, placing them is the MPI's affair.
  if (j.size == 2) part_two_ranks(&o, j.rank);

  for (size_t k = 0; k < sizeof operations / sizeof *operations; ++k) {
    operation* f = operations[k].f;
    if (only && !among(operations[k].name, only)) continue;
    const size_t* sizes = f == barrier ? none : o.quick ? few : all;
    size_t n = f == barrier || o.small ? 1 : o.quick ? sizeof few / sizeof *few : sizeof all / sizeof *all;
    if (list && f != barrier) sizes = listed, n = numbers;
    size_t around[most_sizes];
    if (o.around && f != barrier)
      n = sizes_around(around, 16, (size_t)512 << 10, sizeof(double)), sizes = around;
    for (size_t s = 0; s < n; ++s) {
      j.count = sizes[s] < sizeof(double) ? 1 : (int)(sizes[s] / sizeof(double));
      j.in = allocate((size_t)j.count * sizeof(double) * (size_t)j.size);
      j.out = allocate((size_t)j.count * sizeof(double) * (size_t)j.size);
      j.operation = f;
      struct figure figure = measure(&o, (struct subject){run, verify_in_full, NULL, &j});
      if (j.rank == 0) {
        printf("collectives operation=%s ranks=%d bytes=%zu", operations[k].name, j.size, sizes[s]);
        print_figure(figure, 1);
      }
      free(j.in);
      free(j.out);
    }
  }
  end_mpi(&o);
  return 0;
}
