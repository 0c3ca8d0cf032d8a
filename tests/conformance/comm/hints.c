/* MPI 5.0 section 7.4.4: the info of communicators; on any number of ranks. Promises that a program then
   breaks are reported by Ranklet; elsewhere the result is undefined, as the standard leaves it. */
#include <string.h>

#include "../check.h"

/* 1 or 0 for "true" and "false", -1 for a key that is not there. */
static int hint(MPI_Comm comm, const char* key)
{
  MPI_Info info;
  char value[64];
  int flag, result = -1;
  MPI_Comm_get_info(comm, &info);
  MPI_Info_get(info, key, sizeof value - 1, value, &flag);
  if (flag) result = strcmp(value, "true") == 0;
  MPI_Info_free(&info);
  return result;
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm comm, copy;
  MPI_Info info;
  CHECK(hint(MPI_COMM_WORLD, "mpi_assert_no_any_source") <= 0);
  CHECK(hint(MPI_COMM_WORLD, "mpi_assert_allow_overtaking") <= 0);

  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_source", "true");
  MPI_Info_set(info, "no_key_of_any_mpi", "true");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Info_free(&info);
  CHECK(hint(comm, "mpi_assert_no_any_source") == 1);
#ifndef OPEN_MPI /* keeps all keys */
  CHECK(hint(comm, "no_key_of_any_mpi") == -1);
#endif
  /* Setting one leaves the others, and nonsense changes nothing. */
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Info_set(info, "mpi_assert_exact_length", "true");
  MPI_Comm_set_info(comm, info);
  CHECK(hint(comm, "mpi_assert_no_any_source") == 1);
#ifndef OPEN_MPI /* its version 4.1 does not know this one */
  CHECK(hint(comm, "mpi_assert_no_any_tag") == 1);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "perhaps");
#ifndef MPICH /* takes it for false */
  MPI_Comm_set_info(comm, info);
  CHECK(hint(comm, "mpi_assert_no_any_tag") == 1);
#endif
#endif
  MPI_Info_free(&info);
  /* MPI_Comm_dup has copied no hints since MPI 4.0. */
  MPI_Comm_dup(comm, &copy);
#if MPI_VERSION >= 4
  CHECK(hint(copy, "mpi_assert_no_any_source") <= 0);
#endif

#if MPI_VERSION >= 4
  /* The info of a duplicate is what the call is given. */
  MPI_Request making;
  MPI_Comm given;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_source", "true");
  CALL(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &given, &making));
  MPI_Info_free(&info);
  CALL(MPI_Wait(&making, MPI_STATUS_IGNORE));
  CHECK(hint(given, "mpi_assert_no_any_source") == 1);
  MPI_Comm_free(&given);
#endif
#ifdef MPI_H_ABI
  int in = 0, out = 7, flag;
  MPI_Status status;
  MPI_Request request;
  MPI_Message message;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &status)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Irecv(&in, 1, MPI_INT, 0, MPI_ANY_TAG, comm, &request)) == MPI_ERR_TAG);
  CHECK(class_of(MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Iprobe(MPI_ANY_SOURCE, 1, comm, &flag, &status)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Improbe(0, MPI_ANY_TAG, comm, &flag, &message, &status)) == MPI_ERR_TAG);
  /* Everything else works, and so do wildcards elsewhere. */
  int rank;
  MPI_Comm_rank(comm, &rank);
  CALL(MPI_Sendrecv(&out, 1, MPI_INT, rank, 3, &in, 1, MPI_INT, rank, 3, comm, &status));
  CHECK(in == 7);
  CALL(MPI_Sendrecv(&out, 1, MPI_INT, rank, 3, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &status));
  /* Messages must fill their buffers. */
  int room[2] = {0, 0};
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CALL(MPI_Isend(&out, 1, MPI_INT, rank, 4, comm, &request));
  CHECK(class_of(MPI_Recv(room, 2, MPI_INT, rank, 4, comm, &status)) == MPI_ERR_COUNT);
  CHECK(room[0] == 7); /* the data is there */
  CALL(MPI_Wait(&request, &status));
  CALL(MPI_Irecv(room, 2, MPI_INT, rank, 5, comm, &request));
  CALL(MPI_Send(&out, 1, MPI_INT, rank, 5, comm));
  CHECK(class_of(MPI_Wait(&request, &status)) == MPI_ERR_COUNT);
  CALL(MPI_Irecv(room, 1, MPI_INT, rank, 5, comm, &request));
  CALL(MPI_Send(&out, 1, MPI_INT, rank, 5, comm));
  CALL(MPI_Wait(&request, &status));
  (void)message;
#endif
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  return finish();
}
