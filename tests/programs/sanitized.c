/* Faults that sanitizers find. Rank 1 makes the one that the first argument names; the others are right. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int global[10];
static int counter;
_Thread_local int* volatile held;

static void* count(void* argument)
{
  for (int i = 0; i < 1000; ++i) ++counter; /* race */
  return argument;
}

static void make(const char* fault)
{
  volatile int index = 10;
  int local[10];
  int* heap = malloc(10 * sizeof(int));
  memset(local, 0, sizeof local);
  memset(heap, 0, 10 * sizeof(int));
  if (strcmp(fault, "heap") == 0) heap[index] = 1;     /* heap */
  if (strcmp(fault, "stack") == 0) local[index] = 1;   /* stack */
  if (strcmp(fault, "global") == 0) global[index] = 1; /* global */
  if (strcmp(fault, "message") == 0) {
    int* const second = heap + 1; /* behind which there are nine */
    /* message */ MPI_Sendrecv(local, 10, MPI_INT, 1, 0, second, 10, MPI_INT, 1, 0, MPI_COMM_WORLD,
                               MPI_STATUS_IGNORE);
  }
  free(heap);
  if (strcmp(fault, "free") == 0) heap[0] = 1; /* free */
  if (strcmp(fault, "overflow") == 0) {
    volatile int large = INT32_MAX;
    large = large + 1; /* overflow */
  }
  if (strcmp(fault, "leak") == 0) {
    void* volatile lost = malloc(4321); /* leak */
    lost = NULL;
    (void)lost;
  }
  if (strcmp(fault, "race") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    count(NULL);
    pthread_join(thread, NULL);
  }
}

int main(int argc, char** argv)
{
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("hello from %d\n", rank);

  /* Right programs are quiet: what only MPI orders, and memory that something still points to. */
  held = malloc(100);
  *held = rank;
  int* const message = malloc(100000 * sizeof(int));
  for (int i = 0; i < 100000; ++i) message[i] = rank;
  if (rank == 0) MPI_Send(message, 100000, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(message, 100000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100000; ++i) message[i] += 1;
  MPI_Allreduce(&message[5], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  free(message);
  int* base;
  MPI_Win window;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  if (rank == 0) *base = 7;
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  int* first;
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
  if (*first != 7) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);

  if (rank == 1 && argc > 1) make(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
