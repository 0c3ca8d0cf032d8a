/* MPI 5.0 sections 9.3.4 and 11.3: error handlers of sessions, and wrong arguments; on any number of ranks.
   mpich: wants MPI_Init before MPI_Session_create_errhandler
   openmpi: version 4.1 has no sessions */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

static int failures, calls, last_code;
static MPI_Session last_session;
#define CHECK(condition) \
  ((condition) ? (void)0 : (++failures, (void)fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition)))

static void note(MPI_Session* session, int* code, ...)
{
  ++calls;
  last_session = *session;
  last_code = *code;
}

static int class_of(int code)
{
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

int main(void)
{
  MPI_Errhandler handler, got;
  MPI_Session session, wrong = MPI_SESSION_NULL;
  CHECK(MPI_Session_create_errhandler(note, &handler) == MPI_SUCCESS);
  CHECK(MPI_Session_init(MPI_INFO_NULL, handler, &session) == MPI_SUCCESS);
  CHECK(MPI_Session_get_errhandler(session, &got) == MPI_SUCCESS);
  CHECK(got == handler || got != MPI_ERRHANDLER_NULL);
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&handler);

  MPI_Session_call_errhandler(session, MPI_ERR_ARG);
  CHECK(calls == 1 && last_session == session && last_code == MPI_ERR_ARG);

  int count, length = 0;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
  int code = MPI_Session_get_nth_pset(session, MPI_INFO_NULL, count, &length, NULL);
  CHECK(code != MPI_SUCCESS && calls == 2 && last_code == code && last_session == session);
  CHECK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, NULL) != MPI_SUCCESS);
  CHECK(calls == 2);

  MPI_Group group;
  CHECK(MPI_Group_from_session_pset(session, "mpi://no such set", &group) == MPI_SUCCESS);
  CHECK(group == MPI_GROUP_NULL);
  MPI_Info info;
  CHECK(MPI_Session_get_pset_info(session, "mpi://no such set", &info) != MPI_SUCCESS);

  /* A creation's errors go to the handler that it is given. */
  MPI_Comm comm;
  MPI_Group self;
  CHECK(MPI_Group_from_session_pset(session, "mpi://SELF", &self) == MPI_SUCCESS);
  char tag[MPI_MAX_STRINGTAG_LEN + 1];
  memset(tag, 'x', sizeof tag - 1);
  tag[sizeof tag - 1] = '\0';
#ifdef MPI_H_ABI
  CHECK(class_of(MPI_Comm_create_from_group(self, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm)) == MPI_ERR_ARG);
#endif
  tag[MPI_MAX_STRINGTAG_LEN - 1] = '\0';
  CHECK(MPI_Comm_create_from_group(self, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS);
  MPI_Comm_free(&comm);
  CHECK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
        MPI_SUCCESS);
  CHECK(comm == MPI_COMM_NULL);
  MPI_Group_free(&self);

#ifdef MPI_H_ABI
  /* The world model's communicators are not there without MPI_Init; the initial handler would end the program. */
  CHECK(class_of(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL)) == MPI_ERR_ARG);
#endif
  (void)wrong;
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
  return failures != 0;
}
