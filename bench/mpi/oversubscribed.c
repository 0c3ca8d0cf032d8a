// Many ranks on few cores: what a barrier and an allreduce of 8 bytes take per rank and core, beside the
// switch from one thread to another on one core, which each rank needs at least; and how much of a core is
// used by the ranks that wait in a barrier while one computes (`idle`). Start it on many more ranks than
// there are cores.

#include <pthread.h>
#include <unistd.h>

#include "measure.h"

static int cores(void)
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// Two threads on one core hand a token to each other.
struct pair {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int turn, rounds, core;
};

struct side {
  struct pair* pair;
  int number;
};

static void* alternate(void* argument)
{
  const struct side* side = argument;
  struct pair* p = side->pair;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(p->core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  pthread_mutex_lock(&p->mutex);
  for (int i = 0; i < p->rounds; ++i) {
    while (p->turn != side->number) pthread_cond_wait(&p->changed, &p->mutex);
    p->turn = 1 - side->number;
    pthread_cond_signal(&p->changed);
  }
  pthread_mutex_unlock(&p->mutex);
  return NULL;
}

static double switch_ns(void)
{
  enum { repetitions = 5 };
  double times[repetitions];
  for (int r = 0; r < repetitions; ++r) {
    struct pair p = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 20000, sched_getcpu()};
    struct side sides[2] = {{&p, 0}, {&p, 1}};
    pthread_t threads[2];
    const double begin = now_ns();
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, alternate, &sides[i]);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    times[r] = (now_ns() - begin) / (2.0 * p.rounds);
  }
  return median(times, repetitions);
}

static double run_barrier(void* self, int calls)
{
  (void)self;
  const double begin = now_ns();
  for (int i = 0; i < calls; ++i) MPI_Barrier(MPI_COMM_WORLD);
  return now_ns() - begin;
}

static double run_allreduce(void* self, int calls)
{
  const int size = *(const int*)self;
  const double begin = now_ns();
  for (int i = 0; i < calls; ++i) {
    double in = i, out = 0;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (out != (double)i * size) wrong("allreduce %d gives %g", i, out);
  }
  return now_ns() - begin;
}

static double seconds_of(clockid_t clock)
{
  struct timespec used;
  clock_gettime(clock, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

// The part of a core that all but rank 0's own thread use, for `seconds`; at rank 0.
static double idle(int rank, int size, double seconds)
{
  int pid = (int)getpid();
  int* pids = malloc(sizeof(int) * (size_t)size);
  MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
  int counts = 1;  // one rank counts for its process
  for (int i = 0; i < rank; ++i) counts = counts && pids[i] != pid;
  free(pids);
  MPI_Barrier(MPI_COMM_WORLD);
  const double process = seconds_of(CLOCK_PROCESS_CPUTIME_ID), thread = seconds_of(CLOCK_THREAD_CPUTIME_ID),
               begin = now_ns();
  volatile double work = 1;
  while (rank == 0 && now_ns() - begin < seconds * 1e9) work = work * 1.0000001;
  const double own = rank == 0 ? seconds_of(CLOCK_THREAD_CPUTIME_ID) - thread : 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double used = counts ? seconds_of(CLOCK_PROCESS_CPUTIME_ID) - process - own : 0;
  double total = 0;
  MPI_Reduce(&used, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return total / seconds;
}

int main(int argc, char** argv)
{
  int rank, size;
  MPI_Init(&argc, &argv);
  struct options o = read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double per_rank = size < cores() ? 1 : (double)size / cores();
  const double one = rank == 0 ? switch_ns() : 0;
  const struct {
    const char* name;
    double (*run)(void*, int);
  } operations[] = {{"barrier", run_barrier}, {"allreduce", run_allreduce}};
  if (rank == 0) printf("oversubscribed what=switch ranks=%d median_ns=%.1f\n", size, one);
  for (size_t k = 0; k < sizeof operations / sizeof *operations; ++k) {
    const struct figure f = measure(&o, (struct subject){operations[k].run, NULL, NULL, &size});
    if (rank == 0) {
      printf("oversubscribed what=%s ranks=%d of_a_switch=%.2f", operations[k].name, size,
             f.median_ns / per_rank / one);
      print_figure(f, per_rank);
    }
  }
  const double part = idle(rank, size, o.quick ? 0.5 : 2);
  if (rank == 0) printf("oversubscribed what=idle ranks=%d part_of_a_core=%.4f\n", size, part);
  MPI_Finalize();
  return 0;
}
