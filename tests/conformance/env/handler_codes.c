/* MPI 5.0 section 9.3.1: what an error handler leaves in its second argument is what the call in error
 * returns. */
#include "../check.h"

static int seen, left;

static void change_for_comm(MPI_Comm* comm, int* code, ...)
{
  (void)comm;
  seen = *code;
  *code = left;
}

static void change_for_win(MPI_Win* win, int* code, ...)
{
  (void)win;
  seen = *code;
  *code = left;
}

static void keep(MPI_Comm* comm, int* code, ...)
{
  *comm = MPI_COMM_NULL;
  seen = *code;
}

int main(void)
{
  MPI_Init(NULL, NULL);
  MPI_Errhandler changes, keeps, of_win;
  int value = 0;
  CALL(MPI_Comm_create_errhandler(change_for_comm, &changes));
  CALL(MPI_Comm_create_errhandler(keep, &keeps));
  CALL(MPI_Win_create_errhandler(change_for_win, &of_win));

  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, changes));
  left = MPI_ERR_OTHER;
  CHECK(MPI_Send(&value, 1, MPI_INT, 1000000, 0, MPI_COMM_WORLD) == MPI_ERR_OTHER);
  CHECK(class_of(seen) == MPI_ERR_RANK);
  left = MPI_SUCCESS;
  CHECK(MPI_Send(&value, 1, MPI_INT, 1000000, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  CALL(MPI_Add_error_class(&left));
  CHECK(MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD) == left);
  CHECK(class_of(seen) == MPI_ERR_TAG);
  /* MPI_Comm_call_errhandler succeeds, whatever the handler leaves. */
  CALL(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_ARG));
  CHECK(seen == MPI_ERR_ARG);

  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, keeps));
  CHECK(class_of(MPI_Send(&value, 1, MPI_INT, 1000000, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
  CHECK(class_of(seen) == MPI_ERR_RANK);

  MPI_Win window;
  CALL(MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CALL(MPI_Win_set_errhandler(window, of_win));
  left = MPI_ERR_OTHER;
  CHECK(MPI_Put(&value, 1, MPI_INT, 1000000, 0, 1, MPI_INT, window) == MPI_ERR_OTHER);
  CHECK(class_of(seen) == MPI_ERR_RANK);
  CALL(MPI_Win_free(&window));

  CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  CALL(MPI_Errhandler_free(&changes));
  CALL(MPI_Errhandler_free(&keeps));
  CALL(MPI_Errhandler_free(&of_win));
  return finish();
}
