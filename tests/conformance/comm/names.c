/* MPI 5.0 section 7.8: names; on any number of ranks. */
#include <string.h>

#include "../check.h"

static int is_name(const char* name, int length, const char* wanted)
{
  return strcmp(name, wanted) == 0 && length == (int)strlen(wanted);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  CALL(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
  CHECK(is_name(name, length, "MPI_COMM_WORLD"));
  CALL(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
  CHECK(is_name(name, length, "MPI_COMM_SELF"));
  CALL(MPI_Type_get_name(MPI_INT, name, &length));
  CHECK(is_name(name, length, "MPI_INT"));

  MPI_Comm comm, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CALL(MPI_Comm_set_name(comm, "mine"));
  MPI_Comm_dup(comm, &copy);
  CALL(MPI_Comm_get_name(comm, name, &length));
  CHECK(is_name(name, length, "mine"));
  CALL(MPI_Comm_get_name(copy, name, &length)); /* names are not copied */
  CHECK(!is_name(name, length, "mine"));
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);

/* Null handles have had names since MPI 4.1. */
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  CALL(MPI_Comm_get_name(MPI_COMM_NULL, name, &length));
  CHECK(is_name(name, length, "MPI_COMM_NULL"));
  CALL(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
  CHECK(is_name(name, length, "MPI_DATATYPE_NULL"));
#endif
  return finish();
}
