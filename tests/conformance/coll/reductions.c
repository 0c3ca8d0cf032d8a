/* MPI 5.0 sections 6.9 to 6.11: reductions with predefined and user-defined operators, small and large; on any
   number of ranks. */
#include <stdlib.h>

#include "../check.h"

static int rank, size, lengths_are_whole = 1;

/* x -> a x + b modulo 2^32: associative, not commutative. */
typedef struct {
  unsigned a, b;
} Affine;

static Affine after(Affine left, Affine right)
{
  Affine result = {left.a * right.a, left.a * right.b + left.b};
  return result;
}

static void compose(void* in, void* inout, int* length, MPI_Datatype* type)
{
  int bytes;
  MPI_Type_size(*type, &bytes);
  if (bytes != (int)sizeof(Affine)) lengths_are_whole = 0;
  for (int i = 0; i < *length; ++i) ((Affine*)inout)[i] = after(((Affine*)in)[i], ((Affine*)inout)[i]);
}

static Affine of(int member, int i)
{
  Affine result = {(unsigned)(member * 7 + i * 2 + 1), (unsigned)(member + 3 * i)};
  return result;
}

static Affine up_to(int last, int i)
{
  Affine result = of(0, i);
  for (int member = 1; member <= last; ++member) result = after(result, of(member, i));
  return result;
}

static int differ(Affine x, Affine y)
{
  return x.a != y.a || x.b != y.b;
}

static void user_defined(int n)
{
  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_contiguous(2, MPI_UNSIGNED, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(compose, 0, &op);
  int commutative = 1;
  MPI_Op_commutative(op, &commutative);
  CHECK(!commutative);
  Affine* mine = malloc(sizeof(Affine) * (size_t)(n * size + 1));
  Affine* result = malloc(sizeof(Affine) * (size_t)(n * size + 1));
  int wrong = 0;
  for (int i = 0; i < n; ++i) mine[i] = of(rank, i);
  MPI_Reduce(mine, result, n, type, op, size / 2, MPI_COMM_WORLD);
  for (int i = 0; i < n && rank == size / 2; ++i) wrong += differ(result[i], up_to(size - 1, i));
  CHECK(wrong == 0);
  MPI_Allreduce(mine, result, n, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) wrong += differ(result[i], up_to(size - 1, i));
  CHECK(wrong == 0);
  MPI_Scan(mine, result, n, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) wrong += differ(result[i], up_to(rank, i));
  CHECK(wrong == 0);
  MPI_Exscan(mine, result, n, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < n && rank > 0; ++i) wrong += differ(result[i], up_to(rank - 1, i));
  CHECK(wrong == 0);
  for (int i = 0; i < n * size; ++i) mine[i] = of(rank, i);
  MPI_Reduce_scatter_block(mine, result, n, type, op, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) wrong += differ(result[i], up_to(size - 1, rank * n + i));
  CHECK(wrong == 0);
  CHECK(lengths_are_whole);
  free(mine);
  free(result);
  MPI_Op_free(&op);
  CHECK(op == MPI_OP_NULL);
  MPI_Type_free(&type);
}

static void predefined(int n)
{
  double* x = malloc(sizeof(double) * (size_t)(n + 1));
  double* y = malloc(sizeof(double) * (size_t)(n + 1));
  int wrong = 0;
  for (int i = 0; i < n; ++i) x[i] = rank + i;
  MPI_Allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) wrong += y[i] != size * (size - 1) / 2 + (double)size * i;
  CHECK(wrong == 0);
  MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) wrong += x[i] != size - 1 + i;
  CHECK(wrong == 0);
  for (int i = 0; i < n; ++i) x[i] = rank - i;
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : x, x, n, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n && rank == 0; ++i) wrong += x[i] != -i;
  CHECK(wrong == 0);
  free(x);
  free(y);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int sizes[] = {0, 1, 6, 7, 500, 30000};
  for (int k = 0; k < 6; ++k) {
    predefined(sizes[k]);
    user_defined(sizes[k] / 4 + 1);
  }

  struct {
    double value;
    int where;
  } mine = {rank % 3 == 1 ? -2.5 : 1.0, rank}, least;
  MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  CHECK(least.where == (size > 1 ? 1 : 0));

  int* counts = malloc(sizeof(int) * (size_t)size);
  int total = 0, begin = 0, wrong = 0;
  for (int i = 0; i < size; ++i) {
    counts[i] = i % 2 * 300 + 2;
    if (i < rank) begin += counts[i];
    total += counts[i];
  }
  int* all = malloc(sizeof(int) * (size_t)total);
  for (int i = 0; i < total; ++i) all[i] = rank * i;
  MPI_Reduce_scatter(MPI_IN_PLACE, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < counts[rank]; ++i) wrong += all[i] != size * (size - 1) / 2 * (begin + i);
  CHECK(wrong == 0);
  free(all);
  free(counts);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  double d = 0, e;
  CHECK(class_of(MPI_Allreduce(&d, &e, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD)) == MPI_ERR_OP);
  return finish();
}
