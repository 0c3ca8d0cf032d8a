// One-way time of a blocking ping-pong between two ranks on two cores, 8 bytes to 4 MiB.
// Both ranks write the first and last bytes of every message that they send and check those that arrive.

#include "measure.h"

// A message goes from rank 0 to rank 1 and back `calls` times; returns the nanoseconds of all this.
static double ping_pong(int rank, unsigned char* out, unsigned char* in, size_t bytes, int calls)
{
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    unsigned number = (unsigned)i + 1;
    if (rank == 0) {
      stamp(out, bytes, number);
      MPI_Send(out, (int)bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
      MPI_Recv(in, (int)bytes, MPI_BYTE, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      verify_stamp(in, bytes, ~number, "pong");
    } else {
      MPI_Recv(in, (int)bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      verify_stamp(in, bytes, number, "ping");
      stamp(out, bytes, ~number);
      MPI_Send(out, (int)bytes, MPI_BYTE, 0, 8, MPI_COMM_WORLD);
    }
  }
  return now_ns() - start;
}

int main(int argc, char** argv)
{
  static const size_t all[] = {8, 64, 512, 2048, 8192, 32768, 131072, 1048576, 4194304, 0};
  static const size_t few[] = {8, 512, 32768, 1048576, 0};
  MPI_Init(&argc, &argv);
  struct options o = read_options(argc, argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "latency: start me on 2 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  pin_to_core(rank);

  double* one_way = malloc(sizeof *one_way * (size_t)o.repetitions);
  for (const size_t* bytes = o.quick ? few : all; *bytes; ++bytes) {
    unsigned char* out = allocate(*bytes);
    unsigned char* in = allocate(*bytes);
    ping_pong(rank, out, in, *bytes, 5);
    int calls = calls_per_repetition(&o, ping_pong(rank, out, in, *bytes, 20), 20, MPI_COMM_WORLD) / 4 + 1;
    calls = calls_per_repetition(&o, ping_pong(rank, out, in, *bytes, calls), calls, MPI_COMM_WORLD);
    for (int r = 0; r < o.repetitions; ++r) {
      fill(out, *bytes, (unsigned)(2 * r + rank));
      memset(in, 0, *bytes);
      one_way[r] = ping_pong(rank, out, in, *bytes, calls) / calls / 2;
      // The stamps were checked on the way; the rest of the buffer is the peer's pattern.
      fill(out, *bytes, (unsigned)(2 * r + 1 - rank));
      stamp(out, *bytes, rank == 0 ? ~(unsigned)calls : (unsigned)calls);
      if (memcmp(in, out, *bytes) != 0) wrong("ping-pong of %zu bytes: content differs", *bytes);
    }
    double middle = median(one_way, o.repetitions);
    if (rank == 0)
      printf("latency bytes=%zu median_ns=%.1f min_ns=%.1f calls=%d repetitions=%d\n", *bytes, middle,
             one_way[0], calls, o.repetitions);
    free(out);
    free(in);
  }
  free(one_way);
  MPI_Finalize();
  return 0;
}
