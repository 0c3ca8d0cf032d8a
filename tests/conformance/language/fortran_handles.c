/* Handles and statuses between C and Fortran (MPI 5.0 §19.3.4 and §19.3.5). */
#include "../check.h"

#define ROUND(name, handle) CHECK(MPI_##name##_f2c(MPI_##name##_c2f(handle)) == (handle))

int main(int argc, char** argv)
{
  int rank;
  MPI_Comm comm;
  MPI_Group group;
  MPI_Datatype type;
  MPI_Info info;
  MPI_Request request;
  MPI_Status status, back;
  MPI_Fint plain[64]; /* MPI_F_STATUS_SIZE is less in all three, and no constant of older versions. */
  int got = -1, count = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ROUND(Comm, MPI_COMM_NULL);
  ROUND(Comm, MPI_COMM_WORLD);
  ROUND(Group, MPI_GROUP_EMPTY);
  ROUND(Type, MPI_DOUBLE);
  ROUND(Type, MPI_DATATYPE_NULL);
  ROUND(Op, MPI_MAXLOC);
  ROUND(Info, MPI_INFO_NULL);
  ROUND(Errhandler, MPI_ERRORS_RETURN);
  ROUND(Request, MPI_REQUEST_NULL);
  ROUND(Message, MPI_MESSAGE_NO_PROC);
  ROUND(Win, MPI_WIN_NULL);
  ROUND(File, MPI_FILE_NULL);
  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  ROUND(Comm, comm);
  CALL(MPI_Comm_group(comm, &group));
  ROUND(Group, group);
  CALL(MPI_Group_free(&group));
  CALL(MPI_Comm_free(&comm));
  CALL(MPI_Type_contiguous(2, MPI_INT, &type));
  ROUND(Type, type);
  CALL(MPI_Type_free(&type));
  CALL(MPI_Info_create(&info));
  ROUND(Info, info);
  CALL(MPI_Info_free(&info));
#if MPI_VERSION >= 4
  MPI_Session session;
  ROUND(Session, MPI_SESSION_NULL);
  CALL(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  ROUND(Session, session);
  CALL(MPI_Session_finalize(&session));
#endif
  CALL(MPI_Irecv(NULL, 0, MPI_INT, rank, 1, MPI_COMM_WORLD, &request));
  ROUND(Request, request);
  CALL(MPI_Send(NULL, 0, MPI_INT, rank, 1, MPI_COMM_WORLD));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CALL(MPI_Sendrecv(&rank, 1, MPI_INT, rank, 3, &got, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &status));
  status.MPI_ERROR = MPI_ERR_TAG;
  CALL(MPI_Status_c2f(&status, plain));
  CALL(MPI_Status_f2c(plain, &back));
  CHECK(back.MPI_SOURCE == rank && back.MPI_TAG == 3 && back.MPI_ERROR == MPI_ERR_TAG);
  CALL(MPI_Get_count(&back, MPI_INT, &count));
  CHECK(count == 1);
  return finish();
}
