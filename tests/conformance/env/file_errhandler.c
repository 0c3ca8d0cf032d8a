/* The error handler of MPI_FILE_NULL, which files and failing opens start with (MPI 5.0 §9.3.3 and §14.7).
   mpich: ends the job where the handler of MPI_FILE_NULL should be told
   openmpi: MPI_File_call_errhandler does not take MPI_FILE_NULL */
#include "../check.h"

static int handled, on_null;
static void handler_function(MPI_File* file, int* code, ...)
{
  handled = *code;
  on_null = *file == MPI_FILE_NULL;
}

static void of_communicators(MPI_Comm* comm, int* code, ...)
{
  (void)comm;
  (void)code;
}

int main(int argc, char** argv)
{
  MPI_Errhandler own, other, found;
  MPI_Init(&argc, &argv);
  CALL(MPI_File_get_errhandler(MPI_FILE_NULL, &found));
  CHECK(found == MPI_ERRORS_RETURN);
  CALL(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_NO_SPACE));

  CALL(MPI_File_create_errhandler(handler_function, &own));
  CALL(MPI_File_set_errhandler(MPI_FILE_NULL, own));
  CALL(MPI_File_get_errhandler(MPI_FILE_NULL, &found));
  CHECK(found != MPI_ERRORS_RETURN);
  CALL(MPI_Errhandler_free(&found));
  CALL(MPI_Errhandler_free(&own)); /* stays in use */
  CALL(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_READ_ONLY));
  CHECK(handled == MPI_ERR_READ_ONLY && on_null);

  /* One for another kind of objects. */
  MPI_Comm_create_errhandler(of_communicators, &other);
  handled = 0;
  CHECK(class_of(MPI_File_set_errhandler(MPI_FILE_NULL, other)) != MPI_SUCCESS);
  CHECK(class_of(handled) != MPI_SUCCESS); /* told through the handler in place */
  MPI_Errhandler_free(&other);

  CALL(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  CALL(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_AMODE));
  CHECK(handled != MPI_ERR_AMODE);
  return finish();
}
