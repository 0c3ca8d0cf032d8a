/* For programs of many tasks: the first argument says which one runs. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct task {
  const char* name;
  void (*run)(void);
};

static int rank, size; /* in MPI_COMM_WORLD */

/* A session, and a communicator of all ranks that is made by it. */
static inline MPI_Comm open_session(MPI_Session* session)
{
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session);
  MPI_Group_from_session_pset(*session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "tasks", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  return comm;
}

static int run_task(const struct task* tasks, size_t count, int argc, char** argv, int thread_level)
{
  int provided;
  MPI_Init_thread(&argc, &argv, thread_level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < count; ++i)
    if (argc > 1 && !strcmp(argv[1], tasks[i].name)) tasks[i].run();
  MPI_Finalize();
  return 0;
}
