/* MPI_REPLACE and MPI_NO_OP are for accumulates, not for reductions (MPI 5.0 section 12.3.4). */
#include "../check.h"

static void refused(int code)
{
  CHECK(class_of(code) == MPI_ERR_OP);
}

int main(int argc, char** argv)
{
  const MPI_Op ops[] = {MPI_REPLACE, MPI_NO_OP};
  int in[8] = {0}, out[8] = {0}, counts[8], size, i;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (i = 0; i < 8; ++i) counts[i] = i == 0;
  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  for (i = 0; i < 2; ++i) {
    refused(MPI_Reduce(in, out, 1, MPI_INT, ops[i], 0, MPI_COMM_WORLD));
    refused(MPI_Allreduce(in, out, 1, MPI_INT, ops[i], MPI_COMM_WORLD));
    refused(MPI_Reduce_scatter_block(in, out, 1, MPI_INT, ops[i], MPI_COMM_WORLD));
    refused(MPI_Reduce_scatter(in, out, counts, MPI_INT, ops[i], MPI_COMM_WORLD));
    refused(MPI_Scan(in, out, 1, MPI_INT, ops[i], MPI_COMM_WORLD));
    refused(MPI_Exscan(in, out, 1, MPI_INT, ops[i], MPI_COMM_WORLD));
    refused(MPI_Iallreduce(in, out, 1, MPI_INT, ops[i], MPI_COMM_WORLD, &request));
    refused(MPI_Reduce_local(in, out, 1, MPI_INT, ops[i]));
  }
  return finish();
}
