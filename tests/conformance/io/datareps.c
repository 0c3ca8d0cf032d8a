/* Data representations: external32, and one that the program registers (MPI 5.0 §14.5).
   mpich: takes no registered representation
   openmpi: takes none of them */
#include <string.h>

#include "../check.h"
#include "name.h"
#include "sync.h"

/* An int takes 8 bytes in the file: zeros, then the number's complement. */
static int conversions;
static int to_file(void* userbuf, MPI_Datatype datatype, int count, void* filebuf, MPI_Offset position,
                   void* extra)
{
  CHECK(datatype == MPI_INT && position == 0 && extra == &conversions);
  for (int i = 0; i < count; ++i) {
    const int pair[2] = {0, ~((int*)userbuf)[i]};
    memcpy((char*)filebuf + 8 * i, pair, 8);
  }
  ++conversions;
  return MPI_SUCCESS;
}
static int from_file(void* userbuf, MPI_Datatype datatype, int count, void* filebuf, MPI_Offset position,
                     void* extra)
{
  CHECK(datatype == MPI_INT && position == 0 && extra == &conversions);
  for (int i = 0; i < count; ++i) ((int*)userbuf)[i] = ~((int*)filebuf)[2 * i + 1];
  ++conversions;
  return MPI_SUCCESS;
}
static int to_file_large(void* userbuf, MPI_Datatype datatype, MPI_Count count, void* filebuf,
                         MPI_Offset position, void* extra)
{
  return to_file(userbuf, datatype, (int)count, filebuf, position, extra);
}
static int from_file_large(void* userbuf, MPI_Datatype datatype, MPI_Count count, void* filebuf,
                           MPI_Offset position, void* extra)
{
  return from_file(userbuf, datatype, (int)count, filebuf, position, extra);
}
static int extent_in_file(MPI_Datatype datatype, MPI_Aint* extent, void* extra)
{
  /* The functions may ask about datatypes. */
  int size;
  CALL(MPI_Type_size(datatype, &size));
  CHECK(size == 4);
  (void)extra;
  *extent = 8;
  return MPI_SUCCESS;
}

int main(int argc, char** argv)
{
  MPI_File fh;
  MPI_Status status;
  MPI_Request request;
  MPI_Aint extent;
  MPI_Datatype four;
  char name[300];
  unsigned char bytes[8];
  int rank, size, i, count, data[30], back[30];
  const char* names[] = {"doubled", "doubled large"};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  new_name(name, sizeof name);
  for (i = 0; i < 30; ++i) data[i] = rank * 1000 + i + 258;
  CALL(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &fh));
  CHECK(class_of(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "unheard of", MPI_INFO_NULL)) ==
        MPI_ERR_UNSUPPORTED_DATAREP);
  CALL(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
  CALL(MPI_File_get_type_extent(fh, MPI_INT, &extent));
  CHECK(extent == 4);
  CALL(MPI_File_write_at_all(fh, rank * 30, data, 30, MPI_INT, &status));
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 30);
  CALL(MPI_File_read_at_all(fh, rank * 30, back, 30, MPI_INT, &status));
  CHECK(memcmp(data, back, sizeof data) == 0);
  sync_all(fh);
  /* The file ends inside of an element of the datatype in memory. */
  MPI_Type_contiguous(4, MPI_INT, &four);
  MPI_Type_commit(&four);
  memset(back, -1, sizeof back);
  CALL(MPI_File_read_at(fh, size * 30 - 6, back, 2, four, &status));
  MPI_Get_elements(&status, MPI_INT, &count);
  CHECK(count == 6);
  for (i = 0; i < 6; ++i) CHECK(back[i] == (size - 1) * 1000 + 24 + i + 258);
  CHECK(back[7] == -1);
  MPI_Type_free(&four);
  sync_all(fh);
  CALL(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  CALL(MPI_File_read_at(fh, 0, bytes, 4, MPI_BYTE, &status));
  CHECK(bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 1 && bytes[3] == 2);

  CALL(MPI_Register_datarep(names[0], from_file, to_file, extent_in_file, &conversions));
  CALL(MPI_Register_datarep_c(names[1], from_file_large, to_file_large, extent_in_file, &conversions));
  CHECK(class_of(MPI_Register_datarep(names[0], from_file, to_file, extent_in_file, NULL)) ==
        MPI_ERR_DUP_DATAREP);
  for (i = 0; i < 2; ++i) {
    sync_all(fh);
    CALL(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, names[i], MPI_INFO_NULL));
    CALL(MPI_File_get_type_extent(fh, MPI_INT, &extent));
    CHECK(extent == 8);
    conversions = 0;
    memset(back, 0, sizeof back);
    CALL(MPI_File_write_at(fh, rank * 30, data, 30, MPI_INT, &status));
    CALL(MPI_File_read_at(fh, rank * 30, back, 30, MPI_INT, &status));
    CHECK(memcmp(data, back, sizeof data) == 0 && conversions == 2);
    memset(back, 0, sizeof back);
    CALL(MPI_File_iwrite_at_all(fh, rank * 30, data, 30, MPI_INT, &request));
    CALL(MPI_Wait(&request, &status));
    CALL(MPI_File_iread_at_all(fh, rank * 30, back, 30, MPI_INT, &request));
    CALL(MPI_Wait(&request, &status));
    CHECK(memcmp(data, back, sizeof data) == 0 && conversions == 4);
    memset(back, 0, sizeof back);
    CALL(MPI_File_write_ordered(fh, data, 30, MPI_INT, &status));
    CALL(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET));
    CALL(MPI_File_read_ordered_begin(fh, back, 30, MPI_INT));
    CALL(MPI_File_read_ordered_end(fh, back, &status));
    CHECK(memcmp(data, back, sizeof data) == 0 && conversions == 6);
  }
  CALL(MPI_File_close(&fh));
  (void)size;
  return finish();
}
