/* Operators on one process (MPI 5.0 §6.9): MPI_Reduce_local with predefined and user-defined ones. */
#include "../check.h"

static void subtract(void* in, void* inout, int* length, MPI_Datatype* type)
{
  int i;
  CHECK(*type == MPI_INT);
  for (i = 0; i < *length; ++i) ((int*)inout)[i] = ((int*)in)[i] - ((int*)inout)[i];
}

int main(int argc, char** argv)
{
  int a[3] = {6, -2, 7}, b[3], commutes;
  struct {
    double value;
    int index;
  } x = {3.5, 4}, y = {3.5, 2}, z = {1.0, 9};
  MPI_Op op;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

#define TRY(operator, r0, r1, r2)                               \
  b[0] = 3, b[1] = 5, b[2] = 0;                                 \
  CALL(MPI_Reduce_local(a, b, 3, MPI_INT, operator));           \
  CHECK(b[0] == (r0) && b[1] == (r1) && b[2] == (r2))
  TRY(MPI_SUM, 9, 3, 7);
  TRY(MPI_PROD, 18, -10, 0);
  TRY(MPI_MAX, 6, 5, 7);
  TRY(MPI_MIN, 3, -2, 0);
  TRY(MPI_LAND, 1, 1, 0);
  TRY(MPI_LOR, 1, 1, 1);
  TRY(MPI_LXOR, 0, 0, 1);
  TRY(MPI_BAND, 2, 4, 0);
  TRY(MPI_BOR, 7, -1, 7);
  TRY(MPI_BXOR, 5, -5, 7);

  CALL(MPI_Reduce_local(&x, &y, 1, MPI_DOUBLE_INT, MPI_MAXLOC));
  CHECK(y.value == 3.5 && y.index == 2);
  CALL(MPI_Reduce_local(&x, &z, 1, MPI_DOUBLE_INT, MPI_MINLOC));
  CHECK(z.value == 1.0 && z.index == 9);

  CALL(MPI_Op_create(subtract, 0, &op));
  CALL(MPI_Op_commutative(op, &commutes));
  CHECK(!commutes);
  TRY(op, 3, -7, 7);
  CALL(MPI_Op_free(&op));
  CHECK(op == MPI_OP_NULL);
  CALL(MPI_Op_commutative(MPI_SUM, &commutes));
  CHECK(commutes);
  {
    double real = 1, other = 2;
    CHECK(MPI_Reduce_local(&real, &other, 1, MPI_DOUBLE, MPI_BAND) != MPI_SUCCESS);
  }
  return finish();
}
