/* MPI 5.0 sections 12.2.1 and 12.2.3: the large-count functions take a displacement unit that no int holds; on any number of
   ranks. Windows reach over memory that nobody touches.
   mpich: MPI_Win_shared_query_c finds the unit cut to an int
   openmpi: version 4.1 has no large-count functions */
#include <sys/mman.h>

#include "../check.h"

int main(int argc, char** argv)
{
  const MPI_Aint unit = (MPI_Aint)3 << 30;
  int rank, size, flag, small, *attribute;
  MPI_Aint bytes, found;
  char *memory, *shared, byte;
  void* address;
  MPI_Win win;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  memory = mmap(NULL, 2 * unit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(memory != MAP_FAILED);
  byte = 1 + rank % 100;
  CALL(MPI_Win_create_c(memory, 2 * unit, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  CALL(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &attribute, &flag));
  CHECK(flag);
  CALL(MPI_Win_fence(0, win));
  CALL(MPI_Put(&byte, 1, MPI_BYTE, (rank + 1) % size, 1, 1, MPI_BYTE, win));
  CALL(MPI_Win_fence(0, win));
  CHECK(memory[unit] == 1 + (rank + size - 1) % size % 100);
  CALL(MPI_Win_free(&win));
  munmap(memory, 2 * unit);

  CALL(MPI_Win_allocate_shared_c(8, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win));
  CALL(MPI_Win_shared_query_c(win, rank, &bytes, &found, &address));
  CHECK(bytes == 8 && found == unit && address == shared);
  /* An int says that it has no room. */
  CALL(MPI_Win_shared_query(win, rank, &bytes, &small, &address));
  CHECK(small == MPI_UNDEFINED);
  CALL(MPI_Win_free(&win));
  return finish();
}
