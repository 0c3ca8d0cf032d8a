/* Handles that are got twice for one object compare equal, and each of them is freed (MPI 5.0
 * sections 2.5.1, 7.3.3, 9.3). */
#include "../check.h"

static void on_comm(MPI_Comm* comm, int* code, ...)
{
  (void)comm, (void)code;
}

static void on_win(MPI_Win* win, int* code, ...)
{
  (void)win, (void)code;
}

static void on_file(MPI_File* file, int* code, ...)
{
  (void)file, (void)code;
}

static void of_comms(void)
{
  MPI_Comm comm;
  MPI_Errhandler made, first, second;
  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CALL(MPI_Comm_create_errhandler(on_comm, &made));
  CALL(MPI_Comm_set_errhandler(comm, made));
  CALL(MPI_Comm_get_errhandler(comm, &first));
  CALL(MPI_Comm_get_errhandler(comm, &second));
  CHECK(first == made && second == made);
  CALL(MPI_Errhandler_free(&first));
  CHECK(first == MPI_ERRHANDLER_NULL);
  CALL(MPI_Errhandler_free(&made));
  /* One handle is left, and the communicator has the object. */
  CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, second));
  CALL(MPI_Comm_get_errhandler(MPI_COMM_SELF, &first));
  CHECK(first == second);
  CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  CALL(MPI_Errhandler_free(&first));
  CALL(MPI_Errhandler_free(&second));
  CALL(MPI_Comm_get_errhandler(comm, &first));
  CALL(MPI_Comm_get_errhandler(comm, &second));
  CHECK(first == second && first != MPI_ERRHANDLER_NULL);
  CALL(MPI_Errhandler_free(&first));
  CALL(MPI_Errhandler_free(&second));
  CALL(MPI_Comm_free(&comm));

  CALL(MPI_Comm_get_errhandler(MPI_COMM_SELF, &first));
  CHECK(first == MPI_ERRORS_ARE_FATAL);
  CALL(MPI_Errhandler_free(&first));
}

static void of_windows_and_files(void)
{
  MPI_Win win;
  MPI_Group first_group, second_group;
  MPI_Errhandler made, first;
  char memory[8];
  CALL(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  CALL(MPI_Win_create_errhandler(on_win, &made));
  CALL(MPI_Win_set_errhandler(win, made));
  CALL(MPI_Win_get_errhandler(win, &first));
  CHECK(first == made);
  CALL(MPI_Errhandler_free(&first));
  CALL(MPI_Errhandler_free(&made));
  CALL(MPI_Win_get_group(win, &first_group));
  CALL(MPI_Win_get_group(win, &second_group));
  CHECK(first_group == second_group);
  CALL(MPI_Group_free(&first_group));
  CALL(MPI_Group_free(&second_group));
  CALL(MPI_Win_free(&win));

  CALL(MPI_File_create_errhandler(on_file, &made));
  CALL(MPI_File_set_errhandler(MPI_FILE_NULL, made));
  CALL(MPI_File_get_errhandler(MPI_FILE_NULL, &first));
  CHECK(first == made);
  CALL(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  CALL(MPI_Errhandler_free(&first));
  CALL(MPI_Errhandler_free(&made));
}

static void of_groups(void)
{
  MPI_Group first, second;
  int size;
  CALL(MPI_Comm_group(MPI_COMM_WORLD, &first));
  CALL(MPI_Comm_group(MPI_COMM_WORLD, &second));
  CHECK(first == second);
  CALL(MPI_Group_free(&first));
  CHECK(first == MPI_GROUP_NULL);
  CALL(MPI_Group_size(second, &size));
  CALL(MPI_Group_free(&second));
}

static MPI_Datatype given;
static void look_at_type(void* in, void* inout, int* length, MPI_Datatype* type)
{
  (void)in, (void)inout, (void)length;
  CHECK(*type == given);
}

/* Callbacks get the handles that the program has. */
static void of_types(void)
{
  MPI_Op op;
  int in[2] = {0, 0}, inout[2] = {0, 0};
  CALL(MPI_Type_contiguous(2, MPI_INT, &given));
  CALL(MPI_Type_commit(&given));
  CALL(MPI_Op_create(look_at_type, 1, &op));
  CALL(MPI_Reduce_local(in, inout, 1, given, op));
  CALL(MPI_Op_free(&op));
  CALL(MPI_Type_free(&given));
}

int main(int argc, char** argv)
{
  MPI_Comm parent, again;
  MPI_Init(&argc, &argv);
  of_comms();
  of_windows_and_files();
  of_groups();
  of_types();
  CALL(MPI_Comm_get_parent(&parent));
  CALL(MPI_Comm_get_parent(&again));
  CHECK(parent == again);
  return finish();
}
