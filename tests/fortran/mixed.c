/* The C half of mixed.f90: attributes, callbacks and handles across languages (MPI 5.0 §19.3). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

static int keyval = MPI_KEYVAL_INVALID;
static int stored = 77;

void c_set_attribute(const int* comm, int* key)
{
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_set_attr(MPI_Comm_fromint(*comm), keyval, &stored);
  *key = keyval;
}

/* What Fortran sees of a C attribute is its address. */
void c_check_address(const MPI_Aint* address)
{
  if (*address != (MPI_Aint)&stored) {
    fprintf(stderr, "the address of a C attribute is wrong\n");
    exit(1);
  }
}

/* What C sees of a Fortran attribute is a pointer to an integer of MPI_Aint. */
void c_check_attribute(const int* comm, const int* key, const MPI_Aint* value)
{
  MPI_Aint* pointer = NULL;
  int flag = 0;
  MPI_Comm_get_attr(MPI_Comm_fromint(*comm), *key, &pointer, &flag);
  if (!flag || *pointer != *value) {
    fprintf(stderr, "a Fortran attribute is wrong in C\n");
    exit(1);
  }
}

/* An operator of Fortran in a call of C. */
void c_reduce(const int* op, const int* comm, int* value)
{
  int sum = 0;
  MPI_Allreduce(value, &sum, 1, MPI_INT, MPI_Op_fromint(*op), MPI_Comm_fromint(*comm));
  *value = sum;
}

/* Tools in C see each call of Fortran once. */
static int barriers = 0;
int MPI_Barrier(MPI_Comm comm)
{
  ++barriers;
  return PMPI_Barrier(comm);
}

int c_barriers(void)
{
  return barriers;
}
