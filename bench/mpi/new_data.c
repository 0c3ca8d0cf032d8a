// Messages and collectives of two ranks as programs have them: each rank writes what it gives just before the
// call, and reads what it has got just after it, both within the time. The other benchmarks send the same
// again and again, which the receiver's caches may know. The two ranks are on two cores. What the program
// does itself it does in vectors: one sum of all, number by number, would take longer than most of the calls.

#include "measure.h"

enum operation { exchange, bcast, reduce, allreduce, allreduce_in_place, allgather, alltoall, operations };

struct job {
  enum operation operation;
  int rank, count;  // doubles that a rank gives
  double *in, *out;
  double number;  // of the call
};

// As compilers make of plain loops with -O3.
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
enum { together = 8 };

// Element i of what either rank gives is the call's number plus i.
static void write_all(struct job* j)
{
  pair next = (pair){0, 1} + j->number;
  for (int k = 0; k < j->count; k += together, next += together) {
    pair* to = (pair*)(j->in + k);
    to[0] = next;
    to[1] = next + 2;
    to[2] = next + 4;
    to[3] = next + 6;
  }
}

static double read_all(const double* got, int elements)
{
  pair first = {0}, second = {0}, third = {0}, fourth = {0};
  for (int k = 0; k < elements; k += together) {
    const pair* from = (const pair*)(got + k);
    first += from[0];
    second += from[1];
    third += from[2];
    fourth += from[3];
  }
  const pair sum = first + second + third + fourth;
  return sum[0] + sum[1];
}

// The sum of elements [first, end).
static double sum_of(const struct job* j, int first, int end)
{
  return (end - first) * (j->number + 0.5 * (first + end - 1));
}

static void call(struct job* j, int root)
{
  const int n = j->count, half = n / 2, other = 1 - j->rank;
  switch (j->operation) {
    case exchange:
      MPI_Sendrecv(j->in, n, MPI_DOUBLE, other, 1, j->out, n, MPI_DOUBLE, other, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      break;
    case bcast:
      MPI_Bcast(j->rank == root ? j->in : j->out, n, MPI_DOUBLE, root, MPI_COMM_WORLD);
      break;
    case reduce:
      MPI_Reduce(j->in, j->out, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      break;
    case allreduce:
      MPI_Allreduce(j->in, j->out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      break;
    case allreduce_in_place:
      MPI_Allreduce(MPI_IN_PLACE, j->in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      break;
    case allgather:
      MPI_Allgather(j->in, n, MPI_DOUBLE, j->out, n, MPI_DOUBLE, MPI_COMM_WORLD);
      break;
    case alltoall:
      MPI_Alltoall(j->in, half, MPI_DOUBLE, j->out, half, MPI_DOUBLE, MPI_COMM_WORLD);
      break;
    case operations:
      break;
  }
}

static double expected(const struct job* j)
{
  const int n = j->count, half = n / 2;
  switch (j->operation) {
    case reduce:
    case allreduce:
    case allreduce_in_place:
    case allgather:
      return 2 * sum_of(j, 0, n);
    case alltoall:
      return j->rank == 0 ? 2 * sum_of(j, 0, half) : 2 * sum_of(j, half, 2 * half);
    default:
      return sum_of(j, 0, n);
  }
}

static double run(void* self, int calls)
{
  struct job* j = self;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = now_ns();
  for (int i = 0; i < calls; ++i) {
    const int root = i % 2;
    const int gives = j->operation != bcast || j->rank == root;
    const int gets = (j->operation != bcast || !gives) && (j->operation != reduce || j->rank == root);
    j->number = i + 1;
    if (gives) write_all(j);
    call(j, root);
    if (!gets) continue;
    const double* got = j->operation == allreduce_in_place ? j->in : j->out;
    const double sum = read_all(got, j->operation == allgather ? 2 * j->count : j->count);
    if (sum != expected(j))
      wrong("call %d of %d gives %g instead of %g", i, (int)j->operation, sum, expected(j));
  }
  double mine = now_ns() - begin, slowest;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

int main(int argc, char** argv)
{
  static const char* const names[operations] = {"exchange",           "bcast",     "reduce",  "allreduce",
                                                "allreduce_in_place", "allgather", "alltoall"};
  struct options o;
  struct job j = {.rank = start_two_ranks(argc, argv, &o)};
  for (int k = 0; k < operations; ++k) {
    j.operation = (enum operation)k;
    for (size_t bytes = 1024; bytes <= 65536; bytes *= o.quick ? 8 : 2) {
      j.count = (int)(bytes / sizeof(double));
      j.in = allocate(bytes);
      j.out = allocate(2 * bytes);
      const struct figure f = measure(&o, (struct subject){run, NULL, NULL, &j});
      if (j.rank == 0) {
        printf("new_data operation=%s bytes=%zu", names[k], bytes);
        print_figure(f, 1);
      }
      free(j.in);
      free(j.out);
    }
  }
  end_mpi(&o);
  return 0;
}
