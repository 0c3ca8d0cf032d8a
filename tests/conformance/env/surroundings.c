/* MPI 5.0 sections 9.1, 10 and 11.2.2: what a program learns about its start and its machine. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

static int get(MPI_Info info, const char* key, char* value, int room)
{
  int flag;
  MPI_Info_get(info, key, room - 1, value, &flag);
  return flag;
}

int main(int argc, char** argv)
{
  char value[MPI_MAX_INFO_VAL], here[1024];
  MPI_Init(&argc, &argv);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(get(MPI_INFO_ENV, "no_such_key", value, sizeof value) == 0);
#ifndef MPICH /* its version 4.0 leaves MPI_INFO_ENV empty */
  CHECK(get(MPI_INFO_ENV, "command", value, sizeof value) && strstr(argv[0], value));
  CHECK(get(MPI_INFO_ENV, "maxprocs", value, sizeof value) && atoi(value) == size);
  CHECK(get(MPI_INFO_ENV, "wdir", value, sizeof value) && getcwd(here, sizeof here) && strcmp(value, here) == 0);
  CHECK(get(MPI_INFO_ENV, "arch", value, sizeof value) && value[0]);
#endif

#if MPI_VERSION >= 4 && !defined MPICH
  char* words[] = {"command", "first", "second", NULL};
  MPI_Info made;
  CALL(MPI_Info_create_env(3, words, &made));
  CHECK(get(made, "command", value, sizeof value) && strcmp(value, "command") == 0);
  CHECK(get(made, "argv", value, sizeof value) && strcmp(value, "first second") == 0);
  MPI_Info_free(&made);
  CALL(MPI_Info_create_env(0, NULL, &made));
  MPI_Info_free(&made);
#endif

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  /* Every kind of hardware that is listed can be asked for in a split. */
  MPI_Info resources, wish;
  int kinds;
  char key[MPI_MAX_INFO_KEY];
  CALL(MPI_Get_hw_resource_info(&resources));
  CALL(MPI_Info_get_nkeys(resources, &kinds));
  CHECK(kinds > 0);
  for (int i = 0; i < kinds; ++i) {
    MPI_Comm comm;
    CALL(MPI_Info_get_nthkey(resources, i, key));
    CHECK(get(resources, key, value, sizeof value));
    const int alone = strcmp(value, "true") == 0;
    CHECK(alone || strcmp(value, "false") == 0);
    MPI_Info_create(&wish);
    MPI_Info_set(wish, "mpi_hw_resource_type", key);
    CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, wish, &comm));
    MPI_Info_free(&wish);
    /* Those that stay in one get a communicator. Ranks may differ in that. */
    if (alone) CHECK(comm != MPI_COMM_NULL);
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  MPI_Info_free(&resources);
#endif
  return finish();
}
