/* Matched probes of MPI_PROC_NULL give MPI_MESSAGE_NO_PROC, and receiving that gives nothing (MPI 5.0 §3.8.2, §3.10). */
#include "../check.h"

static void check_nothing(const MPI_Status* status)
{
  int count = -1;
  CHECK(status->MPI_SOURCE == MPI_PROC_NULL);
  CHECK(status->MPI_TAG == MPI_ANY_TAG);
  CALL(MPI_Get_count(status, MPI_INT, &count));
  CHECK(count == 0);
}

int main(int argc, char** argv)
{
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request;
  MPI_Status status;
  int value = 77, flag = 0;
  MPI_Init(&argc, &argv);

  CALL(MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status));
  CHECK(message == MPI_MESSAGE_NO_PROC);
  check_nothing(&status);
  CALL(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
  CHECK(message == MPI_MESSAGE_NULL);
  check_nothing(&status);

  CALL(MPI_Improbe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &message, &status));
  CHECK(flag && message == MPI_MESSAGE_NO_PROC);
  CALL(MPI_Imrecv(&value, 1, MPI_INT, &message, &request));
  CHECK(message == MPI_MESSAGE_NULL);
  CALL(MPI_Wait(&request, &status));
  CHECK(request == MPI_REQUEST_NULL);
  check_nothing(&status);
  CHECK(value == 77);
  return finish();
}
