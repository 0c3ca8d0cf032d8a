/* Every routine that moves data, in both widths, on interleaved views (MPI 5.0 §14.4). */
#include <string.h>

#include "../check.h"
#include "name.h"
#include "sync.h"

#define N 60

static MPI_File fh;
static int rank, size, step;
static int data[N], back[N];

static void fill(void)
{
  for (int i = 0; i < N; ++i) {
    data[i] = step * 100000 + rank * 1000 + i;
    back[i] = -1;
  }
  ++step;
}

static void check_count(MPI_Status* status, int expected)
{
  int count;
  MPI_Get_count(status, MPI_INT, &count);
  CHECK(count == expected);
}

static void check_back(void)
{
  CHECK(memcmp(data, back, sizeof data) == 0);
}

#define BLOCKING(WRITE, READ)  \
  fill();                      \
  CALL(WRITE);                 \
  check_count(&status, N);     \
  MPI_Barrier(MPI_COMM_WORLD); \
  CALL(READ);                  \
  check_count(&status, N);     \
  check_back()

#define WITH_REQUEST(WRITE, READ)    \
  fill();                            \
  CALL(WRITE);                       \
  CALL(MPI_Wait(&request, &status)); \
  check_count(&status, N);           \
  CALL(READ);                        \
  CALL(MPI_Wait(&request, &status)); \
  check_count(&status, N);           \
  check_back()

#define REWIND CALL(MPI_File_seek(fh, 0, MPI_SEEK_SET))
#define REWIND_SHARED MPI_Barrier(MPI_COMM_WORLD), MPI_File_seek_shared(fh, 0, MPI_SEEK_SET)

int main(int argc, char** argv)
{
  MPI_Status status;
  MPI_Request request;
  MPI_Datatype block, mine, etype, filetype;
  MPI_Offset offset, disp;
  char name[300], datarep[MPI_MAX_DATAREP_STRING];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  new_name(name, sizeof name);
  CALL(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &fh));
  /* Three ints of each rank in turn. */
  MPI_Type_contiguous(3, MPI_INT, &block);
  MPI_Type_create_resized(block, 0, (MPI_Aint)(3 * sizeof(int)) * size, &mine);
  MPI_Type_commit(&mine);
  CALL(MPI_File_set_view(fh, (MPI_Offset)(rank * 3 * sizeof(int)), MPI_INT, mine, "native", MPI_INFO_NULL));
  CALL(MPI_File_get_view(fh, &disp, &etype, &filetype, datarep));
  CHECK(disp == (MPI_Offset)(rank * 3 * sizeof(int)) && etype == MPI_INT && strcmp(datarep, "native") == 0);
  MPI_Type_free(&filetype);
  CALL(MPI_File_get_byte_offset(fh, 4, &offset));
  CHECK(offset == (MPI_Offset)sizeof(int) * (rank * 3 + 3 * size + 1));

  BLOCKING(MPI_File_write_at(fh, 5, data, N, MPI_INT, &status),
           MPI_File_read_at(fh, 5, back, N, MPI_INT, &status));
  BLOCKING(MPI_File_write_at_all(fh, 6, data, N, MPI_INT, &status),
           MPI_File_read_at_all(fh, 6, back, N, MPI_INT, &status));
  REWIND;
  CALL(MPI_File_write(fh, data, N, MPI_INT, &status));
  CALL(MPI_File_get_position(fh, &offset));
  CHECK(offset == N);
  REWIND;
  fill();
  CALL(MPI_File_write(fh, data, N, MPI_INT, &status));
  REWIND;
  CALL(MPI_File_read(fh, back, N, MPI_INT, &status));
  check_back();
  REWIND;
  fill();
  CALL(MPI_File_write_all(fh, data, N, MPI_INT, &status));
  REWIND;
  CALL(MPI_File_read_all(fh, back, N, MPI_INT, &status));
  check_back();

  WITH_REQUEST(MPI_File_iwrite_at(fh, 7, data, N, MPI_INT, &request),
               MPI_File_iread_at(fh, 7, back, N, MPI_INT, &request));
  WITH_REQUEST(MPI_File_iwrite_at_all(fh, 8, data, N, MPI_INT, &request),
               MPI_File_iread_at_all(fh, 8, back, N, MPI_INT, &request));
  REWIND;
  fill();
  CALL(MPI_File_iwrite(fh, data, N, MPI_INT, &request));
  CALL(MPI_File_get_position(fh, &offset)); /* moves at once */
  CHECK(offset == N);
  CALL(MPI_Wait(&request, &status));
  REWIND;
  CALL(MPI_File_iread(fh, back, N, MPI_INT, &request));
  CALL(MPI_Wait(&request, &status));
  check_count(&status, N);
  check_back();
  REWIND;
  fill();
  CALL(MPI_File_iwrite_all(fh, data, N, MPI_INT, &request));
  CALL(MPI_Wait(&request, &status));
  REWIND;
  CALL(MPI_File_iread_all(fh, back, N, MPI_INT, &request));
  CALL(MPI_Wait(&request, &status));
  check_back();

  fill();
  CALL(MPI_File_write_at_all_begin(fh, 2, data, N, MPI_INT));
  CALL(MPI_File_write_at_all_end(fh, data, &status));
  check_count(&status, N);
  CALL(MPI_File_read_at_all_begin(fh, 2, back, N, MPI_INT));
  CALL(MPI_File_read_at_all_end(fh, back, &status));
  check_count(&status, N);
  check_back();
  REWIND;
  fill();
  CALL(MPI_File_write_all_begin(fh, data, N, MPI_INT));
  CALL(MPI_File_write_all_end(fh, data, &status));
  REWIND;
  CALL(MPI_File_read_all_begin(fh, back, N, MPI_INT));
  CALL(MPI_File_read_all_end(fh, back, &status));
  check_back();

  sync_all(fh);
  /* The shared pointer wants one view for all. */
  CALL(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  fill();
  CALL(MPI_File_write_ordered(fh, data, N, MPI_INT, &status));
  check_count(&status, N);
  CALL(MPI_File_read_at(fh, rank * N, back, N, MPI_INT, &status));
  check_back();
  REWIND_SHARED;
  back[0] = -1;
  CALL(MPI_File_read_ordered(fh, back, N, MPI_INT, &status));
  check_count(&status, N);
  check_back();
  REWIND_SHARED;
  fill();
  CALL(MPI_File_write_ordered_begin(fh, data, N, MPI_INT));
  CALL(MPI_File_write_ordered_end(fh, data, &status));
  REWIND_SHARED;
  CALL(MPI_File_read_ordered_begin(fh, back, N, MPI_INT));
  CALL(MPI_File_read_ordered_end(fh, back, &status));
  check_count(&status, N);
  check_back();
  REWIND_SHARED;
  fill();
  CALL(MPI_File_write_shared(fh, data, N, MPI_INT, &status));
  CALL(MPI_File_iwrite_shared(fh, data, N, MPI_INT, &request));
  CALL(MPI_Wait(&request, &status));
  check_count(&status, N);
  MPI_Barrier(MPI_COMM_WORLD);
  CALL(MPI_File_get_position_shared(fh, &offset));
  CHECK(offset == 2 * N * size);
  REWIND_SHARED;
  /* Whose record it is, it is whole. */
  CALL(MPI_File_read_shared(fh, back, N, MPI_INT, &status));
  check_count(&status, N);
  CHECK(back[0] % 1000 == 0 && back[N - 1] == back[0] + N - 1);
  CALL(MPI_File_iread_shared(fh, back, N, MPI_INT, &request));
  CALL(MPI_Wait(&request, &status));
  CHECK(back[0] % 1000 == 0 && back[N - 1] == back[0] + N - 1);
  MPI_Barrier(MPI_COMM_WORLD);
  CALL(MPI_File_get_position_shared(fh, &offset));
  CHECK(offset == 2 * N * size);

  CALL(MPI_File_close(&fh));
  MPI_Type_free(&block);
  MPI_Type_free(&mine);
  return finish();
}
