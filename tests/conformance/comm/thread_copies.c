/* Threads that copy a communicator of their own, use the copy and free it, again and again: what one thread
   frees another one's copy may come to lie in. */
#include <pthread.h>

#include "../check.h"

enum { threads = 4 };

static int wrong[threads];

struct share {
  int number, members;
  MPI_Comm comm;
};

static void* work(void* argument)
{
  const struct share* const mine = argument;
  for (int round = 0; round < 2000 / mine->members; ++round) {
    MPI_Comm copy;
    int one = 1, sum = 0;
    MPI_Comm_dup(mine->comm, &copy);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
    wrong[mine->number] += sum != mine->members;
    MPI_Comm_free(&copy);
  }
  return NULL;
}

int main(int argc, char** argv)
{
  int level, size;
  struct share shares[threads];
  pthread_t started[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int several = level == MPI_THREAD_MULTIPLE ? threads : 0;
  for (int i = 0; i < several; ++i) {
    shares[i].number = i;
    /* Those of a process alone come and go the fastest. */
    shares[i].members = i % 2 ? 1 : size;
    MPI_Comm_dup(i % 2 ? MPI_COMM_SELF : MPI_COMM_WORLD, &shares[i].comm);
  }
  for (int i = 0; i < several; ++i) pthread_create(&started[i], NULL, work, &shares[i]);
  for (int i = 0; i < several; ++i) {
    pthread_join(started[i], NULL);
    CHECK(wrong[i] == 0);
    MPI_Comm_free(&shares[i].comm);
  }
  return finish();
}
