/* OpenMP in ranks: threads belong to their rank, and one rank's critical section does not hold up another's.
   Arguments: ranks rank. */
#include <fcntl.h>
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

void meet(int ranks);

static int private_to_thread;
#pragma omp threadprivate(private_to_thread)
static int global;

int main(int argc, char** argv)
{
  const int rank = rank_of(argc, argv);
  const int ranks = atoi(argv[argc - 2]);
  global = rank;
  for (int round = 0; round < 3; ++round) {
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
      private_to_thread = global * 10 + omp_get_thread_num();
#pragma omp barrier
      sum += private_to_thread;
    }
    CHECK(sum == rank * 30 + 3);
  }
#pragma omp critical
  meet(ranks); /* every rank is inside of its own critical section */
  long total = 0;
#pragma omp parallel for num_threads(2) schedule(dynamic) reduction(+ : total)
  for (int i = 0; i < 1000; ++i) total += i + global;
  CHECK(total == 499500 + 1000L * rank);
  /* LLVM's runtime makes such a name of the number of the process, and each copy is to find its own. */
  char name[64];
  snprintf(name, sizeof name, "/__KMP_REGISTERED_LIB_%d_test", (int)getpid());
  CHECK(shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600) >= 0);
  meet(ranks);
  CHECK(shm_unlink(name) == 0);
  omp_set_num_threads(2 + rank % 2);
  meet(ranks);
  CHECK(omp_get_max_threads() == 2 + rank % 2);
  return check_failures != 0;
}
