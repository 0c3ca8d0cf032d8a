// How much of a computation a nonblocking allreduce hides, or the other way round: on 2 ranks, the time of
// MPI_Iallreduce and MPI_Wait alone, of a computation of about the same time alone, and of the computation
// between the two calls. `hidden` is the share of the shorter of the two that the longer one hides: 1 when
// both together take no longer than the longer alone, 0 when they take the sum. The computation calls no
// MPI; it runs in registers, so that the two do not fight for memory. Every rank has a core, so what is
// hidden was done by a peer, by a thread of the MPI's own, or within the calls.

#include "measure.h"

enum { count = 131072 };  // doubles: 1 MiB

struct job {
  int rank;
  double *in, *out;
  long steps;  // of the computation
  unsigned long state, sum;
};

static void compute(struct job* j)
{
  unsigned long x = j->state;
  for (long i = 0; i < j->steps; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  j->state = x;
}

// What the computation must have ended with after so many steps more.
static void verify_computation(unsigned long from, long steps, unsigned long got)
{
  unsigned long a = 6364136223846793005u, b = 1442695040888963407u, factor = 1, addend = 0;
  for (; steps > 0; steps >>= 1) {
    if (steps & 1) factor *= a, addend = addend * a + b;
    b = (a + 1) * b;
    a *= a;
  }
  if (from * factor + addend != got) wrong("the computation ended with %lu", got);
}

// Small integers: their sums are exact. Differs from call to call at a sample, in full between repetitions.
static double value(int rank, int call, int i)
{
  return (double)((rank + 1) * (call % 97 + 1) + i % 61);
}

static void verify_element(const struct job* j, int call, int i)
{
  double wanted = value(0, call, i) + value(1, call, i);
  if (j->out[i] != wanted) wrong("call %d: element %d is %g, not %g", call, i, j->out[i], wanted);
}

static void allreduce(struct job* j, int call, int computing)
{
  const int last = count - 1;
  MPI_Request request;
  j->in[last] = value(j->rank, call, last);
  MPI_Iallreduce(j->in, j->out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  if (computing) compute(j);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  verify_element(j, call, last);
}

static double slowest(double mine)
{
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static double run_communication(void* self, int calls)
{
  double start = now_ns();
  for (int i = 0; i < calls; ++i) allreduce(self, i, 0);
  return slowest(now_ns() - start);
}

static double run_computation(void* self, int calls)
{
  struct job* j = self;
  unsigned long from = j->state;
  double start = now_ns();
  for (int i = 0; i < calls; ++i) compute(j);
  double mine = now_ns() - start;
  verify_computation(from, j->steps * calls, j->state);
  return slowest(mine);
}

static double run_both(void* self, int calls)
{
  struct job* j = self;
  unsigned long from = j->state;
  double start = now_ns();
  for (int i = 0; i < calls; ++i) allreduce(self, i, 1);
  double mine = now_ns() - start;
  verify_computation(from, j->steps * calls, j->state);
  return slowest(mine);
}

static void verify_in_full(void* self, int call)
{
  struct job* j = self;
  for (int i = 0; i < count; ++i) j->in[i] = value(j->rank, call, i), j->out[i] = -1;
  allreduce(j, call, 1);
  for (int i = 0; i < count; ++i) verify_element(j, call, i);
}

int main(int argc, char** argv)
{
  struct options o;
  struct job j = {.state = 1};
  j.rank = start_two_ranks(argc, argv, &o);
  j.in = allocate(count * sizeof *j.in);
  j.out = allocate(count * sizeof *j.out);
  const int repetitions = o.repetitions, calls = o.quick ? 10 : 40;
  double* times[4];
  for (int k = 0; k < 4; ++k) times[k] = malloc(sizeof **times * (size_t)repetitions);

  // The computation takes as long as the communication does here, on the slower rank.
  double trials[2][5];
  j.steps = 100000;
  for (int r = 0; r < 5; ++r) {
    trials[0][r] = run_communication(&j, calls) / calls;
    trials[1][r] = run_computation(&j, calls) / calls;
  }
  j.steps = (long)(median(trials[0], 5) * (double)j.steps / median(trials[1], 5)) + 1;

  // All three in turns, so that a change of the machine's mood meets all of them.
  for (int r = 0; r < repetitions; ++r) {
    verify_in_full(&j, r);
    times[0][r] = run_communication(&j, calls) / calls;
    times[1][r] = run_computation(&j, calls) / calls;
    times[2][r] = run_both(&j, calls) / calls;
    double longer = times[0][r] > times[1][r] ? times[0][r] : times[1][r];
    double shorter = times[0][r] + times[1][r] - longer;
    double hidden = 1 - (times[2][r] - longer) / shorter;
    times[3][r] = hidden < 0 ? 0 : hidden > 1 ? 1 : hidden;
  }
  if (j.rank == 0)
    printf(
        "overlap bytes=%zu comm_ns=%.1f compute_ns=%.1f both_ns=%.1f hidden=%.2f calls=%d repetitions=%d\n",
        count * sizeof *j.in, median(times[0], repetitions), median(times[1], repetitions),
        median(times[2], repetitions), median(times[3], repetitions), calls, repetitions);
  for (int k = 0; k < 4; ++k) free(times[k]);
  free(j.in);
  free(j.out);
  end_mpi(&o);
  return 0;
}
