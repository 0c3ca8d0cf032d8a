// One-way time of a blocking ping-pong between two ranks on two cores, 8 bytes to 4 MiB.
// Both ranks write the first and last bytes of every message that they send and check those that arrive.

#include "measure.h"

struct ping_pong {
  int rank;
  size_t bytes;
  unsigned char *out, *in;
};

// A message goes from rank 0 to rank 1 and back `calls` times.
static double run(void* self, int calls)
{
  struct ping_pong* p = self;
  const int bytes = (int)p->bytes;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    unsigned number = (unsigned)i + 1;
    if (p->rank == 0) {
      stamp(p->out, p->bytes, number);
      MPI_Send(p->out, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
      MPI_Recv(p->in, bytes, MPI_BYTE, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      verify_stamp(p->in, p->bytes, ~number, "pong");
    } else {
      MPI_Recv(p->in, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      verify_stamp(p->in, p->bytes, number, "ping");
      stamp(p->out, p->bytes, ~number);
      MPI_Send(p->out, bytes, MPI_BYTE, 0, 8, MPI_COMM_WORLD);
    }
  }
  return now_ns() - start;
}

static void prepare(void* self, int repetition)
{
  struct ping_pong* p = self;
  fill(p->out, p->bytes, (unsigned)(2 * repetition + p->rank));
  memset(p->in, 0, p->bytes);
}

// The stamps were checked on the way; the rest of the buffer is the peer's pattern.
static void check(void* self, int repetition, int calls)
{
  struct ping_pong* p = self;
  fill(p->out, p->bytes, (unsigned)(2 * repetition + 1 - p->rank));
  stamp(p->out, p->bytes, p->rank == 0 ? ~(unsigned)calls : (unsigned)calls);
  if (memcmp(p->in, p->out, p->bytes) != 0) wrong("ping-pong of %zu bytes: content differs", p->bytes);
}

int main(int argc, char** argv)
{
  static const size_t all[] = {8,      16,     32,     64,      128,     256,     512,
                               1024,   2048,   4096,   8192,    16384,   32768,   65536,
                               131072, 262144, 524288, 1048576, 2097152, 4194304, 0};
  static const size_t few[] = {8, 512, 32768, 1048576, 0};
  struct options o;
  struct ping_pong p = {.rank = start_two_ranks(argc, argv, &o)};
  size_t around[most_sizes];
  sizes_around(around, 8, (size_t)4 << 20, 1);
  for (const size_t* bytes = o.around ? around : o.quick ? few : all; *bytes; ++bytes) {
    p.bytes = *bytes;
    p.out = allocate(p.bytes);
    p.in = allocate(p.bytes);
    struct figure f = measure(&o, (struct subject){run, prepare, check, &p});
    if (p.rank == 0) {
      printf("latency bytes=%zu", p.bytes);
      print_figure(f, 2);
    }
    free(p.out);
    free(p.in);
  }
  end_mpi(&o);
  return 0;
}
