// What MPI_Comm_spawn takes, from the call to the intercommunicator, and the one-way time of 8 bytes between
// a parent and its child on two cores: to be compared with "latency 8 B", of two ranks of one world. Run it
// on one rank.
#include "measure.h"

enum { longest = 101 };

static void part(MPI_Comm* inter)
{
  int sum = -1, one = 1, size, remote;
  MPI_Comm_size(*inter, &size);
  MPI_Comm_remote_size(*inter, &remote);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *inter);
  if (sum != remote) wrong("%d processes of the other side have come, not %d", sum, remote);
  MPI_Comm_disconnect(inter);
}

static void spawn(const char* self, const char* what, int children, MPI_Comm* inter)
{
  char* arguments[] = {(char*)what, NULL};
  MPI_Comm_spawn(self, arguments, children, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter, MPI_ERRCODES_IGNORE);
}

static void measure_spawn(const char* self, int children, int repetitions)
{
  double times[longest];
  for (int i = -1; i < repetitions; ++i) {
    MPI_Comm inter;
    const double begin = now_ns();
    spawn(self, "meet", children, &inter);
    if (i >= 0) times[i] = now_ns() - begin;
    part(&inter);
  }
  printf("spawn what=%d_started median_ns=%.1f\n", children, median(times, repetitions));
}

// Both sides write the number of the turn and check what comes.
static double ping_pong(MPI_Comm inter, int is_child, int turns)
{
  const double begin = now_ns();
  for (int i = 0; i < turns; ++i) {
    long out = i + 1, in = 0;
    if (!is_child) MPI_Send(&out, 1, MPI_LONG, 0, 7, inter);
    MPI_Recv(&in, 1, MPI_LONG, 0, 7, inter, MPI_STATUS_IGNORE);
    if (in != out) wrong("%ld came, not %ld", in, out);
    if (is_child) MPI_Send(&out, 1, MPI_LONG, 0, 7, inter);
  }
  return (now_ns() - begin) / turns / 2;
}

static void both_sides(MPI_Comm inter, int is_child)
{
  enum { turns = 20000, repetitions = 9 };
  double times[repetitions];
  pin_to_core(is_child);
  for (int i = 0; i < repetitions; ++i) times[i] = ping_pong(inter, is_child, turns);
  if (!is_child) printf("spawn what=parent_and_child_8_B median_ns=%.1f\n", median(times, repetitions));
}

int main(int argc, char** argv)
{
  MPI_Comm parent, inter;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    if (strcmp(argv[1], "exchange") == 0) both_sides(parent, 1);
    part(&parent);
    MPI_Finalize();
    return 0;
  }
  const struct options o = read_options(argc, argv);
  const int repetitions = o.repetitions < longest ? o.repetitions : longest;
  measure_spawn(argv[0], 1, repetitions);
  measure_spawn(argv[0], 8, repetitions);
  spawn(argv[0], "exchange", 1, &inter);
  both_sides(inter, 0);
  part(&inter);
  MPI_Finalize();
  return 0;
}
