/* MPI 5.0 section 7.4: many communicators, one after the other and at once; on any number of ranks.
   mpich: finds no end with one process, and takes half a minute with three */
#include <stdlib.h>

#include "../check.h"

/* Other MPIs have fewer contexts or take longer for each. */
#ifdef MPI_H_ABI
enum { cycles = 100000, alive = 10000 };
#else
enum { cycles = 1000, alive = 1000 };
#endif

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;

  MPI_Comm comm, *comms = malloc(alive * sizeof *comms);
  for (int i = 0; i < cycles; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
  }
  for (int i = 0; i < alive; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  /* A message on each, with the same tag, received in another order than sent. */
  MPI_Request* const requests = malloc(alive * sizeof *requests);
  int* const numbers = malloc(alive * sizeof *numbers);
  for (int i = 0; i < alive; ++i) {
    numbers[i] = i;
    MPI_Isend(&numbers[i], 1, MPI_INT, to, 7, comms[i], &requests[i]);
  }
  int wrong = 0;
  for (int i = alive - 1; i >= 0; --i) {
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, from, 7, comms[i], MPI_STATUS_IGNORE);
    wrong += got != i;
  }
  CHECK(wrong == 0);
  MPI_Waitall(alive, requests, MPI_STATUSES_IGNORE);
  free(numbers);
  free(requests);
  for (int i = 0; i < alive; ++i) MPI_Comm_free(&comms[i]);
  free(comms);
  return finish();
}
