// Bytes per second from rank 0 to rank 1 with a window of nonblocking sends and receives under way,
// answered by one short message. The two ranks are on two cores.

#include "measure.h"

enum { window = 16 };

struct stream {
  int rank;
  size_t bytes;
  unsigned char* buffers;  // message w of a window has its own, so that no copy may be left out
};

// `calls` windows; every message has its number at both ends.
static double run(void* self, int calls)
{
  struct stream* s = self;
  MPI_Request requests[window];
  unsigned done = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    for (int w = 0; w < window; ++w) {
      unsigned char* buffer = s->buffers + (size_t)w * s->bytes;
      if (s->rank == 0) {
        stamp(buffer, s->bytes, (unsigned)(i * window + w));
        MPI_Isend(buffer, (int)s->bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &requests[w]);
      } else {
        MPI_Irecv(buffer, (int)s->bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &requests[w]);
      }
    }
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    if (s->rank == 0) {
      MPI_Recv(&done, 1, MPI_UNSIGNED, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (done != (unsigned)i) wrong("answer %u to window %d", done, i);
    } else {
      for (int w = 0; w < window; ++w)
        verify_stamp(s->buffers + (size_t)w * s->bytes, s->bytes, (unsigned)(i * window + w), "stream");
      done = (unsigned)i;
      MPI_Send(&done, 1, MPI_UNSIGNED, 0, 8, MPI_COMM_WORLD);
    }
  }
  return now_ns() - start;
}

static void prepare(void* self, int repetition)
{
  struct stream* s = self;
  for (int w = 0; s->rank == 0 && w < window; ++w)
    fill(s->buffers + (size_t)w * s->bytes, s->bytes, (unsigned)(repetition + w));
  if (s->rank == 1) memset(s->buffers, 0, window * s->bytes);
}

static void check(void* self, int repetition, int calls)
{
  struct stream* s = self;
  (void)calls;
  for (int w = 0; s->rank == 1 && w < window; ++w)
    verify(s->buffers + (size_t)w * s->bytes, 4, s->bytes - 4, (unsigned)(repetition + w), "stream");
}

int main(int argc, char** argv)
{
  static const size_t all[] = {64,    256,   512,    1024,   2048,   4096,    8192,    16384,
                               32768, 65536, 131072, 262144, 524288, 1048576, 4194304, 0};
  static const size_t few[] = {4096, 131072, 1048576, 0};
  struct options o;
  struct stream s = {.rank = start_two_ranks(argc, argv, &o)};
  for (const size_t* bytes = o.quick ? few : all; *bytes; ++bytes) {
    s.bytes = *bytes;
    s.buffers = allocate(window * s.bytes);
    struct figure f = measure(&o, (struct subject){run, prepare, check, &s});
    if (s.rank == 0) {
      printf("bandwidth bytes=%zu window=%d MB_per_s=%.0f", s.bytes, window,
             (double)s.bytes * window / f.median_ns * 1e3);
      print_figure(f, window);
    }
    free(s.buffers);
  }
  end_mpi(&o);
  return 0;
}
