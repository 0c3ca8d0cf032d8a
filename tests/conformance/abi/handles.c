/* Handles as integers (MPI 5.0 §20.4): predefined ones keep their values, others come back as they were;
   MPI_Fint holds the same numbers, as the conversions of §19.3.4 are made of these.
   mpich: version 4.0 has no binary interface of MPI 5.0
   openmpi: version 4.1 has no binary interface of MPI 5.0 */
#include <stdint.h>

#include "../check.h"

#define PREDEFINED(name, handle)                                      \
  CHECK(MPI_##name##_toint(handle) == (int)(intptr_t)(handle));       \
  CHECK(MPI_##name##_fromint((int)(intptr_t)(handle)) == (handle));   \
  CHECK((int)MPI_##name##_c2f(handle) == MPI_##name##_toint(handle)); \
  CHECK(MPI_##name##_f2c((MPI_Fint)(intptr_t)(handle)) == (handle))

#define OWN(name, handle)                                              \
  CHECK(MPI_##name##_toint(handle) != 0);                              \
  CHECK(MPI_##name##_fromint(MPI_##name##_toint(handle)) == (handle)); \
  CHECK(MPI_##name##_f2c(MPI_##name##_c2f(handle)) == (handle))

static void sum(void* in, void* inout, int* length, MPI_Datatype* type)
{
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void ignore(MPI_Comm* comm, int* code, ...)
{
  (void)comm;
  (void)code;
}

int main(int argc, char** argv)
{
  MPI_Comm comm;
  MPI_Group group;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Info info;
  MPI_Errhandler handler;
  MPI_Request request;
  MPI_Message message;
  MPI_Session session;
  int rank, value = 5, got = 0;

  /* §11.4.1: callable before MPI_Init. */
  PREDEFINED(Comm, MPI_COMM_WORLD);
  PREDEFINED(Type, MPI_INT);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  PREDEFINED(Comm, MPI_COMM_NULL);
  PREDEFINED(Comm, MPI_COMM_SELF);
  PREDEFINED(Group, MPI_GROUP_NULL);
  PREDEFINED(Group, MPI_GROUP_EMPTY);
  PREDEFINED(Type, MPI_DATATYPE_NULL);
  PREDEFINED(Type, MPI_COMPLEX32);
  PREDEFINED(Op, MPI_OP_NULL);
  PREDEFINED(Op, MPI_NO_OP);
  PREDEFINED(Info, MPI_INFO_NULL);
  PREDEFINED(Info, MPI_INFO_ENV);
  PREDEFINED(Errhandler, MPI_ERRHANDLER_NULL);
  PREDEFINED(Errhandler, MPI_ERRORS_RETURN);
  PREDEFINED(Request, MPI_REQUEST_NULL);
  PREDEFINED(Message, MPI_MESSAGE_NULL);
  PREDEFINED(Message, MPI_MESSAGE_NO_PROC);
  PREDEFINED(Session, MPI_SESSION_NULL);
  PREDEFINED(Win, MPI_WIN_NULL);
  PREDEFINED(File, MPI_FILE_NULL);

  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  OWN(Comm, comm);
  CALL(MPI_Comm_group(comm, &group));
  OWN(Group, group);
  CALL(MPI_Group_free(&group));
  CALL(MPI_Comm_free(&comm));
  CALL(MPI_Type_contiguous(3, MPI_INT, &type));
  OWN(Type, type);
  CALL(MPI_Type_free(&type));
  CALL(MPI_Op_create(sum, 1, &op));
  OWN(Op, op);
  CALL(MPI_Op_free(&op));
  CALL(MPI_Info_create(&info));
  OWN(Info, info);
  CALL(MPI_Info_free(&info));
  CALL(MPI_Comm_create_errhandler(ignore, &handler));
  OWN(Errhandler, handler);
  CALL(MPI_Errhandler_free(&handler));
  CALL(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  OWN(Session, session);
  session = MPI_Session_fromint(MPI_Session_toint(session));
  CALL(MPI_Session_finalize(&session));
  CALL(MPI_Irecv(&got, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request));
  OWN(Request, request);
  CALL(MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD));
  /* A handle that went through an integer serves as well. */
  request = MPI_Request_fromint(MPI_Request_toint(request));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(got == 5 && request == MPI_REQUEST_NULL);
  CALL(MPI_Isend(&value, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &request));
  CALL(MPI_Mprobe(rank, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
  OWN(Message, message);
  CALL(MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  return finish();
}
