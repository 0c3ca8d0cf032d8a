/* Programs that use files, wrongly or rightly: the first argument says which, the second is the file. What
   the usage checks say of the wrong ones names the lines marked by "here" and, for the other party, "there".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static int data[1 << 16];
static const char* name;

static MPI_File open_file(int mode)
{
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 9);
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  return file;
}

static MPI_File new_file(void)
{
  return open_file(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
}

/* Blocks of `block` ints of the ranks in turn. */
static void interleave(MPI_File file, int block)
{
  MPI_Datatype type, resized;
  MPI_Type_contiguous(block, MPI_INT, &type);
  MPI_Type_create_resized(type, 0, (MPI_Aint)(sizeof(int) * (size_t)(block * size)), &resized);
  MPI_Type_commit(&resized);
  MPI_File_set_view(file, (MPI_Offset)(sizeof(int) * (size_t)(block * rank)), MPI_INT, resized, "native",
                    MPI_INFO_NULL);
  MPI_Type_free(&type);
  MPI_Type_free(&resized);
}

/* --- wrong */

static void left_open(void)
{
  MPI_File file;
  const int mode = MPI_MODE_RDWR | MPI_MODE_CREATE;
  MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file); /* left-open here */
}

static void unread_error(void)
{
  MPI_File file;
  name = "/no/such/directory";
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file); /* unread-error there */
  MPI_File_read(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);                   /* unread-error here */
}

/* All ranks write where rank 0 should. */
static void same_place(void)
{
  MPI_File file = new_file();
  MPI_File_write_at(file, 0, data, 10, MPI_INT, MPI_STATUS_IGNORE); /* same-place either */
  MPI_File_close(&file);
}

/* The pieces of rank 1 begin one int too early. */
static void pieces_meet(void)
{
  MPI_File file = new_file();
  MPI_Datatype type;
  MPI_Type_vector(8, 2, 2 * size, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, (MPI_Offset)sizeof(int) * (rank == 1 ? 1 : 2 * rank), MPI_INT, type, "native",
                    MPI_INFO_NULL);
  MPI_File_write_all(file, data, 16, MPI_INT, MPI_STATUS_IGNORE); /* pieces-meet either */
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

static void read_too_early(void)
{
  MPI_File file = new_file();
  if (rank == 0) MPI_File_write_at(file, 0, data, 10, MPI_INT, MPI_STATUS_IGNORE); /* read-too-early there */
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_File_read_at(file, 16, data, 10, MPI_BYTE, MPI_STATUS_IGNORE); /* read-too-early here */
  MPI_File_close(&file);
}

static void written_data_changed(void)
{
  MPI_File file = new_file();
  MPI_Request request;
  const MPI_Offset at = (MPI_Offset)sizeof data * rank;
  MPI_File_iwrite_at(file, at, data, 1 << 16, MPI_INT, &request); /* written-data-changed here */
  data[77] = 1;
  MPI_Wait(&request, MPI_STATUS_IGNORE); /* written-data-changed there */
  MPI_File_close(&file);
}

static void split_data_changed(void)
{
  MPI_File file = new_file();
  MPI_File_write_at_all_begin(file, 4 * rank, data, 1, MPI_INT); /* split-data-changed here */
  data[0] = 5;
  MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE); /* split-data-changed there */
  MPI_File_close(&file);
}

static void read_into_message(void)
{
  MPI_File file = new_file();
  MPI_Request request;
  MPI_Irecv(data, 4, MPI_INT, 0, 1, MPI_COMM_SELF, &request);   /* read-into-message there */
  MPI_File_read(file, data + 3, 1, MPI_INT, MPI_STATUS_IGNORE); /* read-into-message here */
  MPI_Send(data + 10, 4, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void views_differ(void)
{
  MPI_File file = new_file();
  const MPI_Offset begin = rank == 1 ? 8 : 0;
  MPI_File_set_view(file, begin, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); /* views-differ there */
  MPI_File_write_shared(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);          /* views-differ here */
  MPI_File_close(&file);
}

static void other_split(void)
{
  MPI_File file = new_file();
  if (rank == 0) {
    MPI_File_write_all_begin(file, data, 1, MPI_INT);      /* other-split either */
    MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE); /* other-split either */
  } else {
    MPI_File_write_at_all_begin(file, 4 * rank, data, 1, MPI_INT); /* other-split either */
    MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);      /* other-split either */
  }
  MPI_File_close(&file);
}

/* --- right */

static void apart(void)
{
  MPI_File file = new_file();
  interleave(file, 3);
  for (int i = 0; i < 4; ++i) MPI_File_write(file, data, 6, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, data, 24, MPI_INT, MPI_STATUS_IGNORE);
  interleave(file, 24);
  MPI_File_close(&file);
}

static void synced(void)
{
  MPI_File file = new_file();
  for (int turn = 0; turn < 3; ++turn) {
    if (rank == turn) MPI_File_write_at(file, 0, data, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_read_at(file, 8, data, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
  }
  MPI_File_close(&file);
}

static void atomic(void)
{
  MPI_File file = new_file();
  MPI_File_set_atomicity(file, 1);
  MPI_File_write_at(file, 0, data, 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 0, data, 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void opened_again(void)
{
  for (int turn = 0; turn < 3; ++turn) {
    MPI_File file = open_file(MPI_MODE_RDWR | MPI_MODE_CREATE | (turn == 2 ? MPI_MODE_DELETE_ON_CLOSE : 0));
    if (rank == turn) MPI_File_write_at(file, 0, data, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
}

/* A buffer may be read by several operations, and the other one be filled. */
static void two_buffers(void)
{
  MPI_File file = new_file();
  MPI_Request request[2];
  MPI_File_iwrite_at(file, 4 * rank, data, 1, MPI_INT, &request[0]);
  MPI_Isend(data, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request[1]);
  data[1] = 5;
  MPI_Recv(data + 2, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  MPI_File_write_at_all_begin(file, 4 * rank, data, 1, MPI_INT);
  data[1] = 6;
  MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
  data[0] = 7;
  MPI_File_close(&file);
}

/* Only accesses by the shared pointer need one view. */
static void one_view(void)
{
  MPI_File file = new_file();
  interleave(file, 2);
  MPI_File_write(file, data, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_shared(file, data, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_ordered(file, data, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* The error is looked at. */
static void read_error(void)
{
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, "/no/such/directory", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
      MPI_SUCCESS)
    exit(3);
  file = new_file();
  MPI_File_write_at(file, rank, data, 1, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static const struct {
  const char* name;
  void (*run)(void);
} tasks[] = {
    {"left-open", left_open},
    {"unread-error", unread_error},
    {"same-place", same_place},
    {"pieces-meet", pieces_meet},
    {"read-too-early", read_too_early},
    {"written-data-changed", written_data_changed},
    {"split-data-changed", split_data_changed},
    {"read-into-message", read_into_message},
    {"views-differ", views_differ},
    {"other-split", other_split},
    {"apart", apart},
    {"synced", synced},
    {"atomic", atomic},
    {"opened-again", opened_again},
    {"two-buffers", two_buffers},
    {"one-view", one_view},
    {"read-error", read_error},
};

int main(int argc, char** argv)
{
  for (size_t i = 0; argc > 2 && i < sizeof tasks / sizeof *tasks; ++i) {
    if (strcmp(argv[1], tasks[i].name) != 0) continue;
    name = argv[2];
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tasks[i].run();
    MPI_Finalize();
    return 0;
  }
  return 2;
}
