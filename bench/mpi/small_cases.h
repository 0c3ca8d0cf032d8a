// 200 small test cases, as a suite of an MPI code has them: each sends, reduces or shares a little on all
// ranks of a communicator and checks what it gets. run_case() returns the number of wrong results.
#ifndef SMALL_CASES_H
#define SMALL_CASES_H

#include <mpi.h>

enum { case_count = 200, case_room = 64 };

// Every case is one of ten kinds with a number of elements of its own.
static int run_case(int number, MPI_Comm comm)
{
  int rank, size, wrong = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int kind = number % 10, n = 1 + number / 10 * 3;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  int mine[case_room], got[case_room], all[case_room * 16];
  if (size > 16 || n > case_room) return 1;
  for (int i = 0; i < n; ++i) {
    mine[i] = rank * 100 + i + number;
    got[i] = -1;
  }
  switch (kind) {
    case 0:
      MPI_Sendrecv(mine, n, MPI_INT, next, 0, got, n, MPI_INT, previous, 0, comm, MPI_STATUS_IGNORE);
      for (int i = 0; i < n; ++i) wrong += got[i] != previous * 100 + i + number;
      break;
    case 1: {
      MPI_Request requests[2];
      MPI_Irecv(got, n, MPI_INT, previous, 7, comm, &requests[0]);
      MPI_Isend(mine, n, MPI_INT, next, 7, comm, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      for (int i = 0; i < n; ++i) wrong += got[i] != previous * 100 + i + number;
      break;
    }
    case 2:
      MPI_Allreduce(mine, got, n, MPI_INT, MPI_SUM, comm);
      for (int i = 0; i < n; ++i) wrong += got[i] != 100 * size * (size - 1) / 2 + size * (i + number);
      break;
    case 3:
      MPI_Bcast(mine, n, MPI_INT, number % size, comm);
      for (int i = 0; i < n; ++i) wrong += mine[i] != number % size * 100 + i + number;
      break;
    case 4:
      MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, comm);
      for (int r = 0; r < size; ++r)
        for (int i = 0; i < n; ++i) wrong += all[r * n + i] != r * 100 + i + number;
      break;
    case 5:
      MPI_Scan(mine, got, n, MPI_INT, MPI_MAX, comm);
      for (int i = 0; i < n; ++i) wrong += got[i] != mine[i];
      break;
    case 6: {
      MPI_Comm half;
      int sum = 0;
      MPI_Comm_split(comm, rank % 2, rank, &half);
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
      for (int r = rank % 2; r < size; r += 2) sum -= r;
      wrong += sum != 0;
      MPI_Comm_free(&half);
      break;
    }
    case 7: {
      MPI_Datatype column;
      MPI_Type_vector(n / 2 + 1, 1, 2, MPI_INT, &column);
      MPI_Type_commit(&column);
      if (rank == 0)
        for (int i = 1; i < size; ++i) MPI_Send(mine, n / 2, MPI_INT, i, 1, comm);
      else
        MPI_Recv(all, 1, column, 0, 1, comm, MPI_STATUS_IGNORE);
      for (int i = 0; rank > 0 && i < n / 2; ++i) wrong += all[2 * i] != i + number;
      MPI_Type_free(&column);
      break;
    }
    case 8: {
      int* base;
      MPI_Win window;
      MPI_Win_allocate((MPI_Aint)(n * (int)sizeof(int)), (int)sizeof(int), MPI_INFO_NULL, comm, &base,
                       &window);
      MPI_Win_fence(0, window);
      MPI_Put(mine, n, MPI_INT, next, 0, n, MPI_INT, window);
      MPI_Win_fence(0, window);
      for (int i = 0; i < n; ++i) wrong += base[i] != previous * 100 + i + number;
      MPI_Win_free(&window);
      break;
    }
    default: {
      MPI_Status status;
      if (rank != 0) {
        MPI_Send(mine, n, MPI_INT, 0, rank, comm);
        break;
      }
      for (int i = 1; i < size; ++i) {
        MPI_Recv(got, n, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        wrong += status.MPI_TAG != status.MPI_SOURCE || got[0] != status.MPI_SOURCE * 100 + number;
      }
    }
  }
  return wrong;
}

#endif
