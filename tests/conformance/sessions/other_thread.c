/* MPI 5.0 section 11.3: a library opens a session in a thread of its own, and communicates, while the program's only
   thread is in MPI, which it has initialised for one thread at a time.
   mpich, openmpi: MPI_Session_init is for them like other calls, or missing */
#include <pthread.h>

#include "../check.h"


static int rank, size;
static int ready, done; /* by atomic accesses only */
static int library_failures;

static void* library(void* unused)
{
  (void)unused;
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Info info;
  int bad = 0, sum = 0;
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
  }
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
  bad += MPI_Session_init(info, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS;
  MPI_Info_free(&info);
  bad += MPI_Group_from_session_pset(session, "mpi://WORLD", &group) != MPI_SUCCESS;
  bad += MPI_Comm_create_from_group(group, "library", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) != MPI_SUCCESS;
  MPI_Group_free(&group);
  for (int round = 0; round < 50; ++round) {
    MPI_Request requests[2];
    int in = -1, out = rank + round;
    bad += MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 0, comm, &requests[0]) != MPI_SUCCESS;
    bad += MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 0, comm, &requests[1]) != MPI_SUCCESS;
    bad += MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
    bad += in != (rank + size - 1) % size + round;
  }
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  bad += sum != size * (size - 1) / 2;
  MPI_Comm_free(&comm);
  bad += MPI_Session_finalize(&session) != MPI_SUCCESS;
  library_failures = bad;
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  return NULL;
}

int main(int argc, char** argv)
{
  int provided;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
  CHECK(pthread_create(&thread, NULL, library, NULL) == 0);
  int wrong = 0;
  for (int round = 0; !__atomic_load_n(&done, __ATOMIC_ACQUIRE); ++round) {
    enum { messages = 20 };
    MPI_Request requests[2 * messages];
    int in[messages], out[messages];
    if (round == 10) __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < messages; ++i) {
      out[i] = round + i;
      CALL(MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 * i]));
      CALL(MPI_Isend(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 * i + 1]));
    }
    CALL(MPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < messages; ++i) wrong += in[i] != round + i;
  }
  CHECK(wrong == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(library_failures == 0);
  return finish();
}
