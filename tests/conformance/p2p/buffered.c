/* An attached buffer holds messages whose sizes with MPI_BSEND_OVERHEAD add up to its size; and it holds small ones
   also where a program allows less for each, as many do (MPI 5.0 §3.6 makes the overhead an upper bound).
   mpich: takes more than MPI_BSEND_OVERHEAD for four bytes of data, so that the tenth message finds no room */
#include "../check.h"
#include <stdlib.h>

enum { count = 10 };

int main(int argc, char** argv)
{
  int rank, i, values[count], size;
  void *buffer, *detached;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  for (i = 0; i < 2; ++i) {
    const int room = count * ((int)sizeof(int) + (i == 0 ? MPI_BSEND_OVERHEAD : 64));
    int k;
    buffer = malloc((size_t)room);
    CALL(MPI_Buffer_attach(buffer, room));
    for (k = 0; k < count; ++k) {
      values[k] = 100 * rank + k;
      CALL(MPI_Bsend(&values[k], 1, MPI_INT, rank, k, MPI_COMM_WORLD));
      values[k] = -1;
    }
    for (k = count - 1; k >= 0; --k) {
      int got = -2;
      CALL(MPI_Recv(&got, 1, MPI_INT, rank, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK(got == 100 * rank + k);
    }
    CALL(MPI_Buffer_detach(&detached, &size));
    CHECK(detached == buffer && size == room);
    free(buffer);
  }
  return finish();
}
