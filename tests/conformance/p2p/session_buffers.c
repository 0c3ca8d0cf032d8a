/* Buffers of sessions for buffered sends (MPI 5.0 section 3.6): used by communicators that come from the session, by
   whatever way, unless they have a buffer of their own; not by others. */
#include "bsend_room.h"

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)

enum { small = 1000, large = 100000, overhead = MPI_BSEND_OVERHEAD };
static char memory[3][large + overhead];

static MPI_Comm make(MPI_Group group, const char* tag)
{
  MPI_Comm comm = MPI_COMM_NULL;
  CALL(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  return comm;
}

static void test(void)
{
  MPI_Session one, other;
  MPI_Group group, part, again;
  MPI_Comm comm, dup, third, foreign;
  MPI_Request request;
  void* address;
  int bytes, zero;
  MPI_Count wide;
  CALL(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &one));
  CALL(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &other));
  CALL(MPI_Group_from_session_pset(one, "mpi://WORLD", &group));
  CALL(MPI_Comm_rank(MPI_COMM_WORLD, &zero));
  CALL(MPI_Group_incl(group, 1, &zero, &part));
  comm = make(group, "one");
  CALL(MPI_Comm_dup(comm, &dup));
  third = make(part, "part");
  CALL(MPI_Group_free(&group));
  CALL(MPI_Group_from_session_pset(other, "mpi://WORLD", &group));
  foreign = make(group, "other");

  CALL(MPI_Buffer_attach(memory[0], small + overhead));
  CHECK(finds_room(comm, small) && !finds_room(comm, large));
  CALL(MPI_Session_attach_buffer_c(one, memory[1], large + overhead));
  CHECK(finds_room(comm, large) && finds_room(dup, large) && finds_room(third, large));
  CHECK(!finds_room(foreign, large) && finds_room(foreign, small));
  CHECK(!finds_room(MPI_COMM_WORLD, large));
  CALL(MPI_Comm_attach_buffer(comm, memory[2], small + overhead));
  CHECK(!finds_room(comm, large) && finds_room(comm, small) && finds_room(dup, large));
  CALL(MPI_Comm_detach_buffer(comm, &address, &bytes));

  /* From the group of a communicator as well. */
  CALL(MPI_Comm_group(dup, &again));
  CALL(MPI_Comm_free(&dup));
  dup = make(again, "again");
  CHECK(finds_room(dup, large));
  CALL(MPI_Group_free(&again));

  CALL(MPI_Session_flush_buffer(one));
  CALL(MPI_Session_iflush_buffer(one, &request));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(class_of(MPI_Session_attach_buffer(one, memory[2], small)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Session_flush_buffer(other)) == MPI_ERR_BUFFER);
  CALL(MPI_Session_detach_buffer_c(one, &address, &wide));
  CHECK(address == memory[1] && wide == large + overhead);
  CALL(MPI_Session_detach_buffer(one, &address, &bytes));
  CHECK(address == NULL && bytes == 0);
  CHECK(!finds_room(comm, large) && finds_room(comm, small));
  CALL(MPI_Session_attach_buffer(one, MPI_BUFFER_AUTOMATIC, 0));
  CHECK(finds_room(comm, large) && finds_room(third, large) && !finds_room(foreign, large));
  CALL(MPI_Session_detach_buffer(one, &address, &bytes));
  CHECK(address == MPI_BUFFER_AUTOMATIC);
  CALL(MPI_Buffer_detach(&address, &bytes));

  CALL(MPI_Group_free(&group));
  CALL(MPI_Group_free(&part));
  CALL(MPI_Comm_free(&comm));
  CALL(MPI_Comm_free(&dup));
  CALL(MPI_Comm_free(&third));
  CALL(MPI_Comm_free(&foreign));
  CALL(MPI_Session_attach_buffer(other, memory[1], small));
  CALL(MPI_Session_finalize(&other));
  CALL(MPI_Session_finalize(&one));
}
#else
static void test(void) {}
#endif

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  test();
  return finish();
}
