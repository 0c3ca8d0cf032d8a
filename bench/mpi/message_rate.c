// Messages of 8 bytes per second from rank 0 to rank 1, in manners that stress different things:
//   posted      receives are posted before the messages come: matching meets a queue of receives
//   unexpected  messages come before the receives: matching meets a queue of messages
//   blocking    MPI_Send against MPI_Recv, neither side ahead by agreement
//   wildcard    as blocking, received from MPI_ANY_SOURCE with MPI_ANY_TAG
//   slow_1024, slow_8192  as blocking, of so many bytes, to a receiver that computes for a microsecond behind
//               each message, so that the sender is ahead; without that time
// The two ranks are on two cores. Every message carries its number, which also proves the order.

#include "measure.h"

enum { window = 64, go = 1, data = 2 };

typedef double manner(int rank, int calls);

struct timed {
  int rank;
  manner* run;
};

static double run(void* self, int calls)
{
  struct timed* t = self;
  return t->run(t->rank, calls);
}

static void signal_peer(int rank)
{
  MPI_Send(NULL, 0, MPI_BYTE, 1 - rank, go, MPI_COMM_WORLD);
}

static void await_peer(int rank)
{
  MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void post_receives(unsigned long long* in, MPI_Request* requests)
{
  for (int w = 0; w < window; ++w)
    MPI_Irecv(&in[w], 1, MPI_UNSIGNED_LONG_LONG, 0, data, MPI_COMM_WORLD, &requests[w]);
}

static void post_sends(unsigned long long* out, MPI_Request* requests, int call)
{
  for (int w = 0; w < window; ++w) {
    out[w] = (unsigned long long)call * window + (unsigned)w;
    MPI_Isend(&out[w], 1, MPI_UNSIGNED_LONG_LONG, 1, data, MPI_COMM_WORLD, &requests[w]);
  }
}

static void verify_window(const unsigned long long* in, int call)
{
  for (int w = 0; w < window; ++w)
    if (in[w] != (unsigned long long)call * window + (unsigned)w)
      wrong("message %d of window %d carries %llu", w, call, in[w]);
}

static double posted(int rank, int calls)
{
  unsigned long long buffer[window];
  MPI_Request requests[window];
  double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    if (rank == 0) {
      await_peer(rank);
      post_sends(buffer, requests, i);
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    } else {
      post_receives(buffer, requests);
      signal_peer(rank);
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      verify_window(buffer, i);
    }
  }
  return now_ns() - start;
}

static double unexpected(int rank, int calls)
{
  unsigned long long buffer[window];
  MPI_Request requests[window];
  double start = now_ns();
  for (int i = 0; i < calls; ++i) {
    if (rank == 0) {
      post_sends(buffer, requests, i);
      // Arrives behind the window: messages of one sender do not overtake one another.
      signal_peer(rank);
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      await_peer(rank);
    } else {
      await_peer(rank);
      post_receives(buffer, requests);
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      verify_window(buffer, i);
      signal_peer(rank);
    }
  }
  return now_ns() - start;
}

static double stream(int rank, int calls, int source, int tag)
{
  double start = now_ns();
  for (int i = 0; i < calls; ++i)
    for (int w = 0; w < window; ++w) {
      unsigned long long number = (unsigned long long)i * window + (unsigned)w;
      if (rank == 0) {
        MPI_Send(&number, 1, MPI_UNSIGNED_LONG_LONG, 1, data, MPI_COMM_WORLD);
      } else {
        unsigned long long in = ~0ull;
        MPI_Status status;
        MPI_Recv(&in, 1, MPI_UNSIGNED_LONG_LONG, source, tag, MPI_COMM_WORLD, &status);
        if (in != number || status.MPI_SOURCE != 0 || status.MPI_TAG != data)
          wrong("message %llu carries %llu from %d with tag %d", number, in, status.MPI_SOURCE,
                status.MPI_TAG);
      }
    }
  // The sender may be far ahead; the time counts until the last message is received.
  if (rank == 0) await_peer(rank);
  if (rank == 1) signal_peer(rank);
  return now_ns() - start;
}

static double blocking(int rank, int calls)
{
  return stream(rank, calls, 0, data);
}

static double wildcard(int rank, int calls)
{
  return stream(rank, calls, MPI_ANY_SOURCE, MPI_ANY_TAG);
}

static double slow(int rank, int calls, size_t bytes)
{
  static unsigned long long buffer[1024];
  const double each = 1000;
  double start = now_ns(), computed = 0;
  for (int i = 0; i < calls * window; ++i) {
    if (rank == 0) {
      buffer[0] = (unsigned long long)i;
      MPI_Send(buffer, (int)bytes, MPI_BYTE, 1, data, MPI_COMM_WORLD);
      continue;
    }
    MPI_Recv(buffer, (int)bytes, MPI_BYTE, 0, data, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (buffer[0] != (unsigned long long)i) wrong("message %d carries %llu", i, buffer[0]);
    const double begin = now_ns();
    double end = begin;
    while (end < begin + each) end = now_ns();
    computed += end - begin;
  }
  // The receiver alone knows for how long it has computed.
  double mine = now_ns() - start - computed, receiver;
  if (rank == 0) mine = 0;
  MPI_Allreduce(&mine, &receiver, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return receiver;
}

static double slow_1024(int rank, int calls)
{
  return slow(rank, calls, 1024);
}

static double slow_8192(int rank, int calls)
{
  return slow(rank, calls, 8192);
}

int main(int argc, char** argv)
{
  static const struct {
    const char* name;
    manner* run;
  } manners[] = {
      {"posted", posted},     {"unexpected", unexpected}, {"blocking", blocking},
      {"wildcard", wildcard}, {"slow_1024", slow_1024},   {"slow_8192", slow_8192},
  };
  struct options o;
  struct timed t = {.rank = start_two_ranks(argc, argv, &o)};
  for (size_t m = 0; m < sizeof manners / sizeof *manners; ++m) {
    t.run = manners[m].run;
    struct figure f = measure(&o, (struct subject){run, NULL, NULL, &t});
    if (t.rank == 0) {
      printf("message_rate manner=%s window=%d M_per_s=%.2f", manners[m].name, window,
             1e3 * window / f.median_ns);
      print_figure(f, window);
    }
  }
  end_mpi(&o);
  return 0;
}
