/* MPI 5.0 section 12.2.4: memory is attached to a window and detached; on any number of ranks.
   openmpi: version 4.1 refuses dynamic windows among few ranks of one machine */
#include <stdlib.h>

#include "../check.h"

int main(int argc, char** argv)
{
  int rank, size;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int* memory = malloc(100 * sizeof(int));
  MPI_Aint mine, there;
  for (int i = 0; i < 100; ++i) memory[i] = -i;
  CALL(MPI_Win_attach(win, memory, 50 * sizeof(int)));
  CALL(MPI_Win_attach(win, memory + 50, 50 * sizeof(int)));
  MPI_Get_address(memory, &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, left, 0, &there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_lock_all(0, win);
  int number = 1000 + rank, got = 0;
  CALL(MPI_Put(&number, 1, MPI_INT, right, MPI_Aint_add(there, 7 * sizeof(int)), 1, MPI_INT, win));
  CALL(MPI_Win_flush(right, win));
  CALL(MPI_Get(&got, 1, MPI_INT, right, MPI_Aint_add(there, 7 * sizeof(int)), 1, MPI_INT, win));
  CALL(MPI_Win_flush(right, win));
  CHECK(got == number);
  /* Regions that follow each other may be used as one. */
  int both[4] = {1, 2, 3, 4};
  CALL(MPI_Put(both, 4, MPI_INT, right, MPI_Aint_add(there, 48 * sizeof(int)), 4, MPI_INT, win));
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  CHECK(memory[7] == 1000 + left && memory[47] == -47);
  for (int i = 0; i < 4; ++i) CHECK(memory[48 + i] == i + 1);
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  CALL(MPI_Win_detach(win, memory));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
#if !defined(MPICH) && !defined(OPEN_MPI) /* whose accesses to what is not attached are undefined */
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  CHECK(class_of(MPI_Get(&got, 1, MPI_INT, right, there, 1, MPI_INT, win)) == MPI_ERR_RMA_RANGE);
  CALL(MPI_Get(&got, 1, MPI_INT, right, MPI_Aint_add(there, 50 * sizeof(int)), 1, MPI_INT, win));
  MPI_Win_unlock(right, win);
  CHECK(class_of(MPI_Win_detach(win, memory)) == MPI_ERR_RMA_ATTACH);
  CHECK(class_of(MPI_Win_attach(win, memory + 99, 8)) == MPI_ERR_RMA_ATTACH);
#endif
  MPI_Barrier(MPI_COMM_WORLD);
  CALL(MPI_Win_detach(win, memory + 50));
  MPI_Win_free(&win);
  free(memory);
  return finish();
}
