/* Buffers that a collective call does not use may be null (MPI 5.0 §6.9.1: recvbuf is significant at the root
   only), and their types need not fit the operator. */
#include "../check.h"

#if !defined(MPICH) && \
    !defined(OPEN_MPI) /* MPICH 4.0 looks at them all the same, Open MPI 4.1 does not come back */
/* Ranks 0 and 1 reduce what the others give, of which those with MPI_PROC_NULL have nothing. */
static void between_groups(int rank, int size)
{
  MPI_Comm group, inter;
  const int first = rank < 2, others = size - 2;
  MPI_Comm_split(MPI_COMM_WORLD, first, 0, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, first ? 2 : 0, 0, &inter);
  for (int root = 0; root < 2; ++root) {
    const int where = !first ? root : rank == root ? MPI_ROOT : MPI_PROC_NULL;
    const int idle = where == MPI_PROC_NULL, count = idle ? 0 : 1;
    MPI_Datatype type = idle ? MPI_BYTE : MPI_INT;
    int one = 1, total = -1;
    MPI_Request request;
    void* const send = first ? NULL : &one;
    void* const recv = where == MPI_ROOT ? &total : NULL;
    CALL(MPI_Reduce(send, recv, count, type, MPI_SUM, where, inter));
    CHECK(where != MPI_ROOT || total == others);
    total = -1;
    CALL(MPI_Ireduce(send, recv, count, type, MPI_SUM, where, inter, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(where != MPI_ROOT || total == others);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&group);
}
#endif

int main(int argc, char** argv)
{
  int rank, size, root, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (root = 0; root < size; ++root) {
    int total = -1, all[64], i;
    CALL(MPI_Reduce(&one, rank == root ? &total : NULL, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    CHECK(rank == root ? total == size : total == -1);
    CALL(MPI_Gather(&rank, 1, MPI_INT, rank == root ? all : NULL, 1, MPI_INT, root, MPI_COMM_WORLD));
    for (i = 0; rank == root && i < size; ++i) CHECK(all[i] == i);
    CALL(MPI_Scatter(rank == root ? all : NULL, 1, MPI_INT, &total, 1, MPI_INT, root, MPI_COMM_WORLD));
    CHECK(total == rank);
  }
#if !defined(MPICH) && !defined(OPEN_MPI)
  if (size > 2) between_groups(rank, size);
#endif
  return finish();
}
