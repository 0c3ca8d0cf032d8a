/* The large-count forms of data access (MPI 5.0 §14.4).
   openmpi: has none before 5.0 */
#include <string.h>

#include "../check.h"
#include "name.h"

#define N 40

static int data[N], back[N];

static void check(MPI_Status* status)
{
  MPI_Count count;
  MPI_Get_count_c(status, MPI_INT, &count);
  CHECK(count == N);
}

#define MOVED(CALLED) \
  CALL(CALLED);       \
  check(&status)
#define COMPLETED(CALLED)            \
  CALL(CALLED);                      \
  CALL(MPI_Wait(&request, &status)); \
  check(&status)
#define SAME                                   \
  CHECK(memcmp(data, back, sizeof data) == 0); \
  memset(back, 0, sizeof back)
#define REWIND CALL(MPI_File_seek(fh, (MPI_Offset)rank* N, MPI_SEEK_SET))
#define REWIND_SHARED          \
  MPI_Barrier(MPI_COMM_WORLD); \
  CALL(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET))

int main(int argc, char** argv)
{
  MPI_File fh;
  MPI_Status status;
  MPI_Request request;
  MPI_Count extent;
  MPI_Offset at;
  char name[300];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  new_name(name, sizeof name);
  CALL(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &fh));
  CALL(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CALL(MPI_File_get_type_extent_c(fh, MPI_INT, &extent));
  CHECK(extent == (MPI_Count)sizeof(int));
  for (int i = 0; i < N; ++i) data[i] = rank * 100 + i;
  at = (MPI_Offset)rank * N;
  MOVED(MPI_File_write_at_c(fh, at, data, N, MPI_INT, &status));
  MOVED(MPI_File_read_at_c(fh, at, back, N, MPI_INT, &status));
  SAME;
  MOVED(MPI_File_write_at_all_c(fh, at, data, N, MPI_INT, &status));
  MOVED(MPI_File_read_at_all_c(fh, at, back, N, MPI_INT, &status));
  SAME;
  COMPLETED(MPI_File_iwrite_at_c(fh, at, data, N, MPI_INT, &request));
  COMPLETED(MPI_File_iread_at_c(fh, at, back, N, MPI_INT, &request));
  SAME;
  COMPLETED(MPI_File_iwrite_at_all_c(fh, at, data, N, MPI_INT, &request));
  COMPLETED(MPI_File_iread_at_all_c(fh, at, back, N, MPI_INT, &request));
  SAME;
  REWIND;
  MOVED(MPI_File_write_c(fh, data, N, MPI_INT, &status));
  REWIND;
  MOVED(MPI_File_read_c(fh, back, N, MPI_INT, &status));
  SAME;
  REWIND;
  MOVED(MPI_File_write_all_c(fh, data, N, MPI_INT, &status));
  REWIND;
  MOVED(MPI_File_read_all_c(fh, back, N, MPI_INT, &status));
  SAME;
  REWIND;
  COMPLETED(MPI_File_iwrite_c(fh, data, N, MPI_INT, &request));
  REWIND;
  COMPLETED(MPI_File_iread_c(fh, back, N, MPI_INT, &request));
  SAME;
  REWIND;
  COMPLETED(MPI_File_iwrite_all_c(fh, data, N, MPI_INT, &request));
  REWIND;
  COMPLETED(MPI_File_iread_all_c(fh, back, N, MPI_INT, &request));
  SAME;
  CALL(MPI_File_write_at_all_begin_c(fh, at, data, N, MPI_INT));
  MOVED(MPI_File_write_at_all_end(fh, data, &status));
  CALL(MPI_File_read_at_all_begin_c(fh, at, back, N, MPI_INT));
  MOVED(MPI_File_read_at_all_end(fh, back, &status));
  SAME;
  REWIND;
  CALL(MPI_File_write_all_begin_c(fh, data, N, MPI_INT));
  MOVED(MPI_File_write_all_end(fh, data, &status));
  REWIND;
  CALL(MPI_File_read_all_begin_c(fh, back, N, MPI_INT));
  MOVED(MPI_File_read_all_end(fh, back, &status));
  SAME;
  REWIND_SHARED;
  MOVED(MPI_File_write_ordered_c(fh, data, N, MPI_INT, &status));
  REWIND_SHARED;
  MOVED(MPI_File_read_ordered_c(fh, back, N, MPI_INT, &status));
  SAME;
  REWIND_SHARED;
  CALL(MPI_File_write_ordered_begin_c(fh, data, N, MPI_INT));
  MOVED(MPI_File_write_ordered_end(fh, data, &status));
  REWIND_SHARED;
  CALL(MPI_File_read_ordered_begin_c(fh, back, N, MPI_INT));
  MOVED(MPI_File_read_ordered_end(fh, back, &status));
  SAME;
  REWIND_SHARED;
  MOVED(MPI_File_write_shared_c(fh, data, N, MPI_INT, &status));
  COMPLETED(MPI_File_iwrite_shared_c(fh, data, N, MPI_INT, &request));
  REWIND_SHARED;
  MOVED(MPI_File_read_shared_c(fh, back, N, MPI_INT, &status));
  COMPLETED(MPI_File_iread_shared_c(fh, back, N, MPI_INT, &request));
  CHECK(back[0] % 100 == 0 && back[N - 1] == back[0] + N - 1);
  CALL(MPI_File_close(&fh));
  (void)size;
  return finish();
}
