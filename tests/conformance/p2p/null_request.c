/* Calls on MPI_REQUEST_NULL give the empty status, with all of its fields defined (MPI 5.0 §3.7.3). The others leave
   MPI_ERROR alone in calls that give one status, as §3.2.5 says of messages.
   mpich: does not set MPI_ERROR of an empty status
   openmpi: does not set MPI_ERROR of an empty status */
#include "../check.h"

static MPI_Status used(void)
{
  MPI_Status status;
  status.MPI_SOURCE = 5;
  status.MPI_TAG = 6;
  status.MPI_ERROR = MPI_ERR_OTHER;
  return status;
}

static void check_empty(const MPI_Status* status)
{
  int count = -1;
  CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE);
  CHECK(status->MPI_TAG == MPI_ANY_TAG);
  CHECK(status->MPI_ERROR == MPI_SUCCESS);
  CALL(MPI_Get_count(status, MPI_INT, &count));
  CHECK(count == 0);
}

int main(int argc, char** argv)
{
  MPI_Request request = MPI_REQUEST_NULL, requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, statuses[2];
  int flag, index;
  MPI_Init(&argc, &argv);

  status = used();
  flag = 0;
  CALL(MPI_Request_get_status(request, &flag, &status));
  CHECK(flag);
  check_empty(&status);
  flag = 0;
  CALL(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
  CHECK(flag);

  status = used();
  CALL(MPI_Wait(&request, &status));
  check_empty(&status);

  status = used();
  CALL(MPI_Test(&request, &flag, &status));
  CHECK(flag);
  check_empty(&status);

  status = used();
  CALL(MPI_Waitany(2, requests, &index, &status));
  CHECK(index == MPI_UNDEFINED);
  check_empty(&status);

  statuses[0] = statuses[1] = used();
  CALL(MPI_Waitall(2, requests, statuses));
  check_empty(&statuses[0]);
  check_empty(&statuses[1]);
  return finish();
}
