/* MPI 5.0 sections 9.4 and 9.5: classes, codes and strings that the program adds and removes. */
#include <string.h>

#include "../check.h"

static int last_used(void)
{
  int *value, flag;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
  CHECK(flag);
  return *value;
}

static int says(int code, const char* text)
{
  char string[MPI_MAX_ERROR_STRING];
  int length = -1;
  CALL(MPI_Error_string(code, string, &length));
  return length == (int)strlen(text) && strcmp(string, text) == 0;
}

static int handled;
static void handler_function(MPI_Comm* comm, int* code, ...)
{
  (void)comm;
  handled = *code;
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(last_used() >= MPI_ERR_LASTCODE);

  int class_a, class_b, code, of_predefined, found;
  CALL(MPI_Add_error_class(&class_a));
  CHECK(class_a > MPI_ERR_LASTCODE && last_used() == class_a);
  CALL(MPI_Add_error_class(&class_b));
  CHECK(class_b != class_a);
  CALL(MPI_Add_error_code(class_a, &code));
  CALL(MPI_Add_error_code(MPI_ERR_ARG, &of_predefined));
#ifndef MPICH /* only counts classes */
  CHECK(last_used() >= code);
#endif
  CHECK(says(code, "")); /* until it is given a text */
  CALL(MPI_Add_error_string(class_a, "a class of ours"));
  CALL(MPI_Add_error_string(code, "a code of ours"));
  CHECK(says(class_a, "a class of ours") && says(code, "a code of ours"));
  CALL(MPI_Error_class(code, &found));
  CHECK(found == class_a);
#ifndef OPEN_MPI /* its version 4.1 gives another number */
  CALL(MPI_Error_class(class_a, &found));
  CHECK(found == class_a);
#endif
  CALL(MPI_Error_class(of_predefined, &found));
  CHECK(found == MPI_ERR_ARG);

  /* They pass through error handlers as they are. */
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(handler_function, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  MPI_Comm_call_errhandler(comm, code);
  CHECK(handled == code);
  MPI_Comm_free(&comm);

#ifndef MPICH /* allows it */
  /* Texts of the library cannot be changed. */
  CHECK(class_of(MPI_Add_error_string(MPI_ERR_ARG, "no")) == MPI_ERR_ARG);
#endif

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  CHECK(class_of(MPI_Remove_error_class(class_a)) != MPI_SUCCESS); /* it still has a code */
  CHECK(class_of(MPI_Remove_error_code(code)) == MPI_ERR_ARG);     /* it still has a text */
  CALL(MPI_Remove_error_string(code));
  CHECK(says(code, ""));
  CHECK(class_of(MPI_Remove_error_string(code)) == MPI_ERR_ARG);
  CALL(MPI_Add_error_string(code, ""));
  CALL(MPI_Remove_error_string(code));
  CHECK(class_of(MPI_Remove_error_class(code)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Remove_error_code(class_a)) == MPI_ERR_ARG);
  CALL(MPI_Remove_error_code(code));
  CHECK(class_of(MPI_Error_class(code, &found)) == MPI_ERR_ARG);
  CALL(MPI_Remove_error_string(class_a));
  CALL(MPI_Remove_error_class(class_a));
  CALL(MPI_Remove_error_class(class_b));
  CALL(MPI_Remove_error_code(of_predefined));
  CHECK(class_of(MPI_Remove_error_code(MPI_ERR_ARG)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Remove_error_class(MPI_ERR_ARG)) == MPI_ERR_ARG);
#endif
  return finish();
}
