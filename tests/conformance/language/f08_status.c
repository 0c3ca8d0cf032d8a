/* A status as Fortran's TYPE(MPI_Status), beside the C one and the INTEGER array (MPI 5.0 §19.3.5).
   mpich: Debian's library is built without the functions that its header declares
   openmpi: version 4.1 has no MPI_F08_status */
#include "../check.h"

static void check_status(const MPI_Status* status, int rank)
{
  int count = 0;
  CHECK(status->MPI_SOURCE == rank && status->MPI_TAG == 3 && status->MPI_ERROR == MPI_ERR_TAG);
  CALL(MPI_Get_count(status, MPI_INT, &count));
  CHECK(count == 2);
}

int main(int argc, char** argv)
{
  int rank, values[2] = {1, 2}, got[2];
  MPI_Status status, back;
  MPI_Fint plain[MPI_F_STATUS_SIZE];
  MPI_F08_status modern;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CALL(MPI_Sendrecv(values, 2, MPI_INT, rank, 3, got, 2, MPI_INT, rank, 3, MPI_COMM_WORLD, &status));
  status.MPI_ERROR = MPI_ERR_TAG;
  CALL(MPI_Status_c2f08(&status, &modern));
  back.MPI_SOURCE = back.MPI_TAG = back.MPI_ERROR = 99;
  CALL(MPI_Status_f082c(&modern, &back));
  check_status(&back, rank);
  CALL(MPI_Status_f082f(&modern, plain));
  CHECK(plain[MPI_F_SOURCE] == rank && plain[MPI_F_TAG] == 3 && plain[MPI_F_ERROR] == MPI_ERR_TAG);
  back.MPI_SOURCE = back.MPI_TAG = back.MPI_ERROR = 99;
  CALL(MPI_Status_f2c(plain, &back));
  check_status(&back, rank);
  CALL(MPI_Status_c2f08(&status, &modern));
  status.MPI_SOURCE = status.MPI_TAG = 99;
  CALL(MPI_Status_f2f08(plain, &modern));
  CALL(MPI_Status_f082c(&modern, &back));
  check_status(&back, rank);
  return finish();
}
