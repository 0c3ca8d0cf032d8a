// Bytes per second from rank 0 to rank 1 with a window of nonblocking sends and receives under way,
// answered by one short message. The two ranks are on two cores.

#include "measure.h"

enum { window = 16 };

// `calls` windows; returns the nanoseconds. Message w of a window has its own buffer, so that no copy
// may be left out, and its number at both ends.
static double stream(int rank, unsigned char* buffers, size_t bytes, int calls)
{
  MPI_Request requests[window];
  unsigned done = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    for (int w = 0; w < window; ++w) {
      unsigned char* buffer = buffers + (size_t)w * bytes;
      if (rank == 0) {
        stamp(buffer, bytes, (unsigned)(i * window + w));
        MPI_Isend(buffer, (int)bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &requests[w]);
      } else {
        MPI_Irecv(buffer, (int)bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &requests[w]);
      }
    }
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
      MPI_Recv(&done, 1, MPI_UNSIGNED, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (done != (unsigned)i) wrong("answer %u to window %d", done, i);
    } else {
      for (int w = 0; w < window; ++w)
        verify_stamp(buffers + (size_t)w * bytes, bytes, (unsigned)(i * window + w), "stream");
      done = (unsigned)i;
      MPI_Send(&done, 1, MPI_UNSIGNED, 0, 8, MPI_COMM_WORLD);
    }
  }
  return now_ns() - start;
}

int main(int argc, char** argv)
{
  static const size_t all[] = {512, 4096, 32768, 131072, 1048576, 4194304, 0};
  static const size_t few[] = {4096, 131072, 1048576, 0};
  MPI_Init(&argc, &argv);
  struct options o = read_options(argc, argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "bandwidth: start me on 2 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  pin_to_core(rank);

  double* per_message = malloc(sizeof *per_message * (size_t)o.repetitions);
  for (const size_t* bytes = o.quick ? few : all; *bytes; ++bytes) {
    unsigned char* buffers = allocate(window * *bytes);
    stream(rank, buffers, *bytes, 2);
    int calls = calls_per_repetition(&o, stream(rank, buffers, *bytes, 2), 2, MPI_COMM_WORLD) / 4 + 1;
    calls = calls_per_repetition(&o, stream(rank, buffers, *bytes, calls), calls, MPI_COMM_WORLD);
    for (int r = 0; r < o.repetitions; ++r) {
      for (int w = 0; w < window; ++w)
        if (rank == 0) fill(buffers + (size_t)w * *bytes, *bytes, (unsigned)(r + w));
      if (rank == 1) memset(buffers, 0, window * *bytes);
      per_message[r] = stream(rank, buffers, *bytes, calls) / calls / window;
      for (int w = 0; rank == 1 && w < window; ++w)
        verify(buffers + (size_t)w * *bytes, 4, *bytes - 4, (unsigned)(r + w), "stream");
    }
    double middle = median(per_message, o.repetitions);
    if (rank == 0)
      printf(
          "bandwidth bytes=%zu median_ns=%.1f min_ns=%.1f MB_per_s=%.0f window=%d calls=%d repetitions=%d\n",
          *bytes, middle, per_message[0], (double)*bytes / middle * 1e3, window, calls, o.repetitions);
    free(buffers);
  }
  free(per_message);
  MPI_Finalize();
  return 0;
}
