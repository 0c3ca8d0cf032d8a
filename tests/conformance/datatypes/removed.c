/* What MPI-3.0 removed (MPI 5.0 §17.1) and old programs call: each is as what has taken its place.
   openmpi: its mpi.h refuses these names. */
#include <stddef.h>

#include "../check.h"

struct particle {
  char kind;
  double place[3];
};

static int errors;

static void count_error(MPI_Comm* comm, int* code, ...)
{
  (void)comm, (void)code;
  ++errors;
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);

  {
    struct particle all[4], got[4];
    int lengths[2] = {1, 3};
    MPI_Aint places[2], base, extent, lb, ub;
    MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE}, particle, row;
    CALL(MPI_Address(&all[0], &base));
    CALL(MPI_Address(&all[0].kind, &places[0]));
    CALL(MPI_Address(&all[0].place, &places[1]));
    for (int i = 0; i < 2; ++i) places[i] -= base;
    CALL(MPI_Type_struct(2, lengths, places, types, &particle));
    CALL(MPI_Type_extent(particle, &extent));
    CHECK(extent == sizeof(struct particle));
    CALL(MPI_Type_hvector(2, 1, 2 * extent, particle, &row));
    CALL(MPI_Type_commit(&row));
    CALL(MPI_Type_lb(row, &lb));
    CALL(MPI_Type_ub(row, &ub));
    CHECK(lb == 0 && ub == 3 * extent);
    for (int i = 0; i < 4; ++i) {
      all[i] = (struct particle){(char)i, {i, 10 * i, 100 * i}};
      got[i] = (struct particle){9, {9, 9, 9}};
    }
    CALL(MPI_Sendrecv(all, 1, row, 0, 1, got, 1, row, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(got[2].kind == 2 && got[2].place[2] == 200);
    CHECK(got[1].kind == 9 && got[1].place[0] == 9);
    CALL(MPI_Type_free(&particle));
    CALL(MPI_Type_free(&row));
  }

  {
    int lengths[2] = {2, 1};
    MPI_Aint places[2] = {8, -4}, lb, ub, extent;
    MPI_Datatype type;
    CALL(MPI_Type_hindexed(2, lengths, places, MPI_INT, &type));
    CALL(MPI_Type_lb(type, &lb));
    CALL(MPI_Type_ub(type, &ub));
    CALL(MPI_Type_extent(type, &extent));
    CHECK(lb == -4 && ub == 16 && extent == 20);
    CALL(MPI_Type_free(&type));
  }

  {
    MPI_Errhandler handler, got;
    MPI_Comm comm;
    CALL(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    CALL(MPI_Errhandler_create(count_error, &handler));
    CALL(MPI_Errhandler_set(comm, handler));
    CALL(MPI_Errhandler_get(comm, &got));
    CHECK(got == handler);
    MPI_Send(NULL, 0, MPI_INT, 5, 0, comm);
    CHECK(errors == 1);
    CALL(MPI_Errhandler_free(&handler));
    CALL(MPI_Errhandler_free(&got));
    CALL(MPI_Comm_free(&comm));
  }

  return finish();
}
