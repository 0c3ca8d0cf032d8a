// What Fortran's interfaces cost beside C: 2 ranks, the same calls in turns in one job. Lines:
//     fortran what=ping_pong interface=c|mpif.h|mpi_f08 bytes=8 median_ns=… over_c_ns=…
//     fortran what=strided interface=c|mpi_f08 elements=N median_ns=… ratio=…
// Times are one way. Differences and ratios to C are formed inside a turn, and are medians, too. Strided are
// N double precision numbers, 64 apart: a datatype made beforehand in C, a section in Fortran.

#include "../mpi/measure.h"

enum { rows = 64 };

void mpif_ping_pong_(int* words, const int* rank, const int* calls);
void f08_ping_pong_(int* words, const int* rank, const int* calls);
void f08_strided_(double* matrix, const int* rows, const int* columns, const int* rank, const int* calls);

static int rank;
static int words[2];
static double* matrix;
static int columns;
static MPI_Datatype column;

static void c_ping_pong(int calls)
{
  for (int i = 0; i < calls; ++i) {
    if (rank == 0) {
      MPI_Send(words, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(words, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(words, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      ++words[0];
      MPI_Send(words, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
  }
}

static void mpif_ping_pong(int calls)
{
  mpif_ping_pong_(words, &rank, &calls);
}

static void f08_ping_pong(int calls)
{
  f08_ping_pong_(words, &rank, &calls);
}

static void c_strided(int calls)
{
  for (int i = 0; i < calls; ++i) {
    if (rank == 0) {
      MPI_Send(matrix + 1, 1, column, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(matrix + 1, 1, column, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(matrix + 1, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      ++matrix[1];
      MPI_Send(matrix + 1, 1, column, 0, 0, MPI_COMM_WORLD);
    }
  }
}

static void f08_strided(int calls)
{
  const int distance = rows;
  f08_strided_(matrix, &distance, &columns, &rank, &calls);
}

struct contestant {
  const char* interface;
  void (*run)(int calls);
  double times[101];
};

// One way.
static double time_of(const struct contestant* c, int calls)
{
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = now_ns();
  c->run(calls);
  return (now_ns() - begin) / (2.0 * calls);
}

// The first contestant is C. Rank 1 has added 1 in each round trip of all of them.
static void compete(const struct options* o, struct contestant* contestants, int n)
{
  const int turns = o->repetitions < 101 ? o->repetitions : 101;
  // The last contestant is the slowest.
  const int calls = calls_per_repetition(o, time_of(&contestants[n - 1], 200) * 2, 1);
  words[0] = 0;
  matrix[1] = 0;
  for (int i = 0; i < turns; ++i)
    for (int k = 0; k < n; ++k) contestants[k].times[i] = time_of(&contestants[k], calls);
  if (rank == 0 && words[0] + matrix[1] != (double)turns * n * calls) wrong("a message was lost");
}

static void print(const struct options* o, const char* what, struct contestant* c, const double* of_c,
                  int strided)
{
  const int turns = o->repetitions < 101 ? o->repetitions : 101;
  double compared[101];
  for (int i = 0; i < turns; ++i) compared[i] = strided ? c->times[i] / of_c[i] : c->times[i] - of_c[i];
  const double middle = median(compared, turns);
  double times[101];
  memcpy(times, c->times, sizeof times);
  if (strided)
    printf("fortran what=%s interface=%s elements=%d median_ns=%.1f ratio=%.3f\n", what, c->interface,
           columns, median(times, turns), middle);
  else
    printf("fortran what=%s interface=%s bytes=8 median_ns=%.1f over_c_ns=%.1f\n", what, c->interface,
           median(times, turns), middle);
}

int main(int argc, char** argv)
{
  static struct contestant small[] = {
      {"c", c_ping_pong, {0}}, {"mpif.h", mpif_ping_pong, {0}}, {"mpi_f08", f08_ping_pong, {0}}};
  static struct contestant large[] = {{"c", c_strided, {0}}, {"mpi_f08", f08_strided, {0}}};
  static const int elements[] = {8, 128, 1024, 8192};
  struct options o;
  rank = start_two_ranks(argc, argv, &o);
  matrix = allocate(rows * 8192 * sizeof *matrix);
  compete(&o, small, 3);
  for (int k = 0; k < 3 && rank == 0; ++k) print(&o, "ping_pong", &small[k], small[0].times, 0);
  for (int i = 0; i < 4; ++i) {
    columns = elements[i];
    MPI_Type_vector(columns, 1, rows, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    compete(&o, large, 2);
    for (int k = 0; k < 2 && rank == 0; ++k) print(&o, "strided", &large[k], large[0].times, 1);
    MPI_Type_free(&column);
  }
  free(matrix);
  MPI_Finalize();
  return 0;
}
