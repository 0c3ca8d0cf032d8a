/* MPI 5.0 sections 9.1, 9.2, 9.6 and 11.6: names of the library and the machine, memory from MPI, clocks, and
   levels of thread support. */
#include <string.h>

#include "../check.h"

int main(int argc, char** argv)
{
  int given = -1, level = -1, main_thread = 0, length = -1;
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given) == MPI_SUCCESS);
  CALL(MPI_Query_thread(&level));
  CHECK(level == given && given >= MPI_THREAD_SINGLE && given <= MPI_THREAD_MULTIPLE);
  CALL(MPI_Is_thread_main(&main_thread));
  CHECK(main_thread);

  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  CALL(MPI_Get_library_version(version, &length));
#ifndef OPEN_MPI /* its version 4.1 counts the final zero */
  CHECK(length > 0 && (size_t)length == strlen(version));
#endif

  char name[MPI_MAX_PROCESSOR_NAME];
  CALL(MPI_Get_processor_name(name, &length));
  CHECK(length > 0 && (size_t)length == strlen(name));
  CALL(MPI_Pcontrol(1));

  char* memory = NULL;
  CALL(MPI_Alloc_mem(100000, MPI_INFO_NULL, &memory));
  CHECK(memory != NULL);
  memset(memory, 1, 100000);
  CALL(MPI_Free_mem(memory));

  const double tick = MPI_Wtick(), start = MPI_Wtime();
  CHECK(tick > 0 && tick < 1);
  while (MPI_Wtime() == start) continue;
  CHECK(MPI_Wtime() > start);
  return finish();
}
