/* Files as a whole: modes, sizes, pointers, errors (MPI 5.0 §14.2, §14.4.3, §14.6, §14.7).
   mpich: MPI_File_delete of an open file succeeds
   openmpi: MPI_File_delete of an open file succeeds */
#include <string.h>

#include "../check.h"
#include "name.h"

static int handled;
static void handler_function(MPI_File* file, int* code, ...)
{
  (void)file;
  handled = class_of(*code);
}

int main(int argc, char** argv)
{
  MPI_File fh;
  MPI_Offset offset = -1;
  MPI_Group group, world_group;
  MPI_Info info, used;
  MPI_Errhandler handler;
  MPI_Status status;
  char name[300], text[16], other[320];
  int rank, size, amode, flag, result, count, i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  new_name(name, sizeof name);

  /* What cannot be opened. */
  snprintf(other, sizeof other, "%s.none", name);
  CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, other, MPI_MODE_RDWR, MPI_INFO_NULL, &fh)) ==
        MPI_ERR_NO_SUCH_FILE);
  CHECK(fh == MPI_FILE_NULL);
  CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_RDONLY, MPI_INFO_NULL, &fh)) ==
        MPI_ERR_AMODE);
  CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDONLY, MPI_INFO_NULL,
                               &fh)) == MPI_ERR_AMODE);
  CHECK(class_of(MPI_File_delete(other, MPI_INFO_NULL)) == MPI_ERR_NO_SUCH_FILE);

  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "1");
  MPI_Info_set(info, "nobody_knows_this", "1");
  CALL(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh));
  MPI_Info_free(&info);
  CALL(MPI_File_get_info(fh, &used));
  MPI_Info_get(used, "nobody_knows_this", 15, text, &flag);
  CHECK(!flag);
  MPI_Info_free(&used);
  CALL(MPI_File_set_info(fh, MPI_INFO_NULL));
  CALL(MPI_File_get_amode(fh, &amode));
  CHECK(amode == (MPI_MODE_RDWR | MPI_MODE_CREATE));
  CALL(MPI_File_get_group(fh, &group));
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  MPI_Group_compare(group, world_group, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world_group);

  CALL(MPI_File_set_size(fh, 1000));
  CALL(MPI_File_get_size(fh, &offset));
  CHECK(offset == 1000);
  CALL(MPI_File_preallocate(fh, 3000));
  CALL(MPI_File_get_size(fh, &offset));
  CHECK(offset == 3000);
  CALL(MPI_File_preallocate(fh, 500));
  CALL(MPI_File_get_size(fh, &offset));
  CHECK(offset == 3000);

  /* Pointers. */
  CALL(MPI_File_seek(fh, 10, MPI_SEEK_SET));
  CALL(MPI_File_seek(fh, -3, MPI_SEEK_CUR));
  CALL(MPI_File_get_position(fh, &offset));
  CHECK(offset == 7);
  CHECK(MPI_File_seek(fh, -8, MPI_SEEK_CUR) != MPI_SUCCESS);
  CALL(MPI_File_seek(fh, -4, MPI_SEEK_END));
  CALL(MPI_File_get_position(fh, &offset));
  CHECK(offset == 2996);
  CALL(MPI_File_read(fh, text, 10, MPI_CHAR, &status));
  MPI_Get_count(&status, MPI_CHAR, &count);
  CHECK(count == 4);
  CALL(MPI_File_read_at(fh, 5000, text, 10, MPI_CHAR, &status));
  MPI_Get_count(&status, MPI_CHAR, &count);
  CHECK(count == 0);
  CALL(MPI_File_seek_shared(fh, 5, MPI_SEEK_SET));
  CALL(MPI_File_get_position_shared(fh, &offset));
  CHECK(offset == 5);
  MPI_Barrier(MPI_COMM_WORLD);
  CALL(MPI_File_get_byte_offset(fh, 12, &offset));
  CHECK(offset == 12);

  CALL(MPI_File_get_atomicity(fh, &flag));
  CHECK(!flag);
  CALL(MPI_File_set_atomicity(fh, 1));
  CALL(MPI_File_get_atomicity(fh, &flag));
  CHECK(flag);
  CALL(MPI_File_sync(fh));

  /* Errors go to the file's handler. */
  CALL(MPI_File_create_errhandler(handler_function, &handler));
  CALL(MPI_File_set_errhandler(fh, handler));
  CALL(MPI_Errhandler_free(&handler));
  CHECK(MPI_File_read_at(fh, -1, text, 1, MPI_CHAR, &status) != MPI_SUCCESS);
  CHECK(handled == MPI_ERR_ARG);
  CALL(MPI_File_get_errhandler(fh, &handler));
  CALL(MPI_Errhandler_free(&handler));
  CALL(MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN));
  CHECK(MPI_File_delete(name, MPI_INFO_NULL) != MPI_SUCCESS);
  CALL(MPI_File_close(&fh));
  CHECK(fh == MPI_FILE_NULL);
  CHECK(class_of(MPI_File_get_size(fh, &offset)) == MPI_ERR_FILE);

  /* A new one only, and one that goes when it is closed. */
  CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL,
                               MPI_INFO_NULL, &fh)) == MPI_ERR_FILE_EXISTS);
  CALL(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh));
  CHECK(class_of(MPI_File_write_at(fh, 0, text, 1, MPI_CHAR, &status)) == MPI_ERR_READ_ONLY);
  CHECK(class_of(MPI_File_set_size(fh, 10)) != MPI_SUCCESS);
  CALL(MPI_File_close(&fh));
  CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh)) ==
        MPI_ERR_NO_SUCH_FILE);
  MPI_Barrier(MPI_COMM_WORLD);

  /* One after the other. */
  CALL(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL,
                     MPI_INFO_NULL, &fh));
  memset(text, 'a' + rank, sizeof text);
  for (i = 0; i < 3; ++i) CALL(MPI_File_write_shared(fh, text, 5, MPI_CHAR, &status));
  CHECK(MPI_File_write(fh, text, 5, MPI_CHAR, &status) != MPI_SUCCESS);
  CHECK(MPI_File_write_at(fh, 0, text, 5, MPI_CHAR, &status) != MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  CALL(MPI_File_get_size(fh, &offset));
  CHECK(offset == 15 * size);
  CALL(MPI_File_close(&fh));
  /* Pointers begin at the end. */
  CALL(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL, &fh));
  CALL(MPI_File_get_position(fh, &offset));
  CHECK(offset == 15 * size);
  CALL(MPI_File_write_ordered(fh, text, 1, MPI_CHAR, &status));
  MPI_Barrier(MPI_COMM_WORLD);
  CALL(MPI_File_get_size(fh, &offset));
  CHECK(offset == 16 * size);
  CALL(MPI_File_close(&fh));
  if (rank == 0) CALL(MPI_File_delete(name, MPI_INFO_NULL));
  MPI_Barrier(MPI_COMM_WORLD);

  /* They begin there also where others have written by the shared one since. */
  for (i = 0; i < 100; ++i) {
    CALL(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                       MPI_INFO_NULL, &fh));
    if (rank == i % size) CALL(MPI_File_write_shared(fh, text, 5, MPI_CHAR, &status));
    CALL(MPI_File_get_position(fh, &offset));
    CHECK(offset == 0);
    CALL(MPI_File_close(&fh));
  }
  return finish();
}
