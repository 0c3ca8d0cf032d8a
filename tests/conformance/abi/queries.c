/* What the binary interface says about itself and about Fortran (MPI 5.0 §20.2).
   mpich: version 4.0 has no binary interface of MPI 5.0
   openmpi: version 4.1 has no binary interface of MPI 5.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

static int number(MPI_Info info, const char* key)
{
  char value[MPI_MAX_INFO_VAL];
  int length = sizeof value, flag = 0;
  CALL(MPI_Info_get_string(info, key, &length, value, &flag));
  CHECK(flag);
  return flag ? atoi(value) : -1;
}

static void booleans(void)
{
  int32_t yes = 1, no = 0, got_yes = 7, got_no = 7;
  int8_t small_yes = 7, small_no = 7;
  int is_set = 7;
  CALL(MPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &is_set));
  if (!is_set) {
    CALL(MPI_Abi_set_fortran_booleans(4, &yes, &no));
    CALL(MPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &is_set));
    CHECK(is_set == 1 && got_yes == yes && got_no == no);
  }
  CHECK(got_yes != got_no);
  CALL(MPI_Abi_get_fortran_booleans(1, &small_yes, &small_no, &is_set));
  CHECK(is_set == 0 || small_yes != small_no);
}

int main(int argc, char** argv)
{
  int major = -1, minor = -1;
  MPI_Info info;
  /* §11.4.1: callable before MPI_Init. */
  CALL(MPI_Abi_get_version(&major, &minor));
  CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
  CALL(MPI_Abi_get_info(&info));
  CHECK(number(info, "mpi_aint_size") == (int)sizeof(MPI_Aint));
  CHECK(number(info, "mpi_count_size") == (int)sizeof(MPI_Count));
  CHECK(number(info, "mpi_offset_size") == (int)sizeof(MPI_Offset));
  CALL(MPI_Info_free(&info));
  CHECK(info == MPI_INFO_NULL);
  MPI_Init(&argc, &argv);

  /* Null unless somebody said it; then what was said, and a second time is an error of class MPI_ERR_ABI. */
  CALL(MPI_Abi_get_fortran_info(&info));
  if (info == MPI_INFO_NULL) {
    MPI_Info own;
    CALL(MPI_Info_create(&own));
    CALL(MPI_Info_set(own, "mpi_integer_size", "4"));
    CALL(MPI_Info_set(own, "mpi_double_precision_size", "8"));
    CALL(MPI_Abi_set_fortran_info(own));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Abi_set_fortran_info(own)) == MPI_ERR_ABI);
    CALL(MPI_Info_free(&own));
    CALL(MPI_Abi_get_fortran_info(&info));
  }
  CHECK(info != MPI_INFO_NULL);
  CHECK(number(info, "mpi_integer_size") == 4);
  CHECK(number(info, "mpi_double_precision_size") == 8);
  CALL(MPI_Info_free(&info));
  booleans();
  return finish();
}
