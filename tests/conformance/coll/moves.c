/* MPI 5.0 sections 6.3 to 6.8: collectives that move data, small and large; on any number of ranks. */
#include <stdlib.h>

#include "../check.h"

static int rank, size;

static int value(int from, int to, int i)
{
  return from * 1000003 + to * 1009 + i;
}

static int* ints(int n)
{
  int* memory = malloc(sizeof(int) * (size_t)(n > 0 ? n : 1));
  for (int i = 0; i < n; ++i) memory[i] = -1;
  return memory;
}

static void rooted(int n, int root)
{
  int *mine = ints(n), *all = ints(n * size), wrong = 0;
  if (rank == root)
    for (int i = 0; i < n; ++i) mine[i] = value(root, 0, i);
  MPI_Bcast(mine, n, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) wrong += mine[i] != value(root, 0, i);
  CHECK(wrong == 0);

  for (int i = 0; i < n; ++i) mine[i] = value(rank, 1, i);
  MPI_Gather(mine, n, MPI_INT, all, n, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < n * size && rank == root; ++i) wrong += all[i] != value(i / n, 1, i % n);
  CHECK(wrong == 0);
  MPI_Gather(rank == root ? MPI_IN_PLACE : mine, n, MPI_INT, all, n, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < n * size && rank == root; ++i) wrong += all[i] != value(i / n, 1, i % n);
  CHECK(wrong == 0);

  for (int i = 0; i < n * size && rank == root; ++i) all[i] = value(2, i / n, i % n);
  MPI_Scatter(all, n, MPI_INT, mine, n, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) wrong += mine[i] != value(2, rank, i);
  CHECK(wrong == 0);
  free(mine);
  free(all);
}

/* Member i has i % 3 * n items; they lie in reverse order with a gap of one. */
static void varying(int n, int root)
{
  int counts[256], begins[256], total = 0, wrong = 0;
  if (size > 256) return;
  for (int i = size - 1; i >= 0; --i) {
    counts[i] = i % 3 * n;
    begins[i] = total;
    total += counts[i] + 1;
  }
  int *mine = ints(counts[rank]), *all = ints(total);
  for (int i = 0; i < counts[rank]; ++i) mine[i] = value(rank, 3, i);
  MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts, begins, MPI_INT, root, MPI_COMM_WORLD);
  for (int j = 0; j < size && rank == root; ++j) {
    for (int i = 0; i < counts[j]; ++i) wrong += all[begins[j] + i] != value(j, 3, i);
    wrong += all[begins[j] + counts[j]] != -1;
  }
  for (int i = 0; i < counts[rank]; ++i) mine[i] = -1;
  MPI_Scatterv(all, counts, begins, MPI_INT, mine, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < counts[rank]; ++i) wrong += mine[i] != value(rank, 3, i);
  MPI_Allgatherv(mine, counts[rank], MPI_INT, all, counts, begins, MPI_INT, MPI_COMM_WORLD);
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < counts[j]; ++i) wrong += all[begins[j] + i] != value(j, 3, i);
  CHECK(wrong == 0);
  free(mine);
  free(all);
}

static void everybody(int n)
{
  int *mine = ints(n * size), *all = ints(n * size), wrong = 0;
  for (int i = 0; i < n; ++i) mine[i] = value(rank, 4, i);
  MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * size; ++i) wrong += all[i] != value(i / n, 4, i % n);
  CHECK(wrong == 0);
  for (int i = 0; i < n * size; ++i) all[i] = i / n == rank ? value(rank, 5, i % n) : -1;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * size; ++i) wrong += all[i] != value(i / n, 5, i % n);
  CHECK(wrong == 0);
  for (int i = 0; i < n * size; ++i) mine[i] = value(rank, i / n, i % n);
  MPI_Alltoall(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * size; ++i) wrong += all[i] != value(i / n, rank, i % n);
  CHECK(wrong == 0);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, mine, n, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * size; ++i) wrong += mine[i] != value(i / n, rank, i % n);
  CHECK(wrong == 0);
  free(mine);
  free(all);
}

/* Columns of a matrix as a derived type against plain ints. */
static void derived(void)
{
  int matrix[8][5], column[8], wrong = 0;
  MPI_Datatype type;
  MPI_Type_vector(8, 1, 5, MPI_INT, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < 40; ++i) matrix[i / 5][i % 5] = rank == 0 ? i : -1;
  if (rank == 0)
    MPI_Bcast(&matrix[0][2], 1, type, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(column, 8, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 8 && rank != 0; ++i) wrong += column[i] != i * 5 + 2;
  CHECK(wrong == 0);
  MPI_Type_free(&type);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int sizes[] = {0, 1, 3, 12, 13, 1000, 50000};
  for (int k = 0; k < 7; ++k) {
    rooted(sizes[k], 0);
    rooted(sizes[k], size - 1);
    varying(sizes[k], k % size);
    everybody(sizes[k]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  derived();

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int x = 0;
  CHECK(class_of(MPI_Bcast(&x, 1, MPI_INT, size, MPI_COMM_WORLD)) == MPI_ERR_ROOT);
  CHECK(class_of(MPI_Bcast(&x, -1, MPI_INT, 0, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
  return finish();
}
