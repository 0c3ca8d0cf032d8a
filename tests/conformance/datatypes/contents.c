/* MPI_Type_get_envelope and MPI_Type_get_contents (MPI 5.0 §5.1.13), names and Fortran's parameterised types.
 */
#include <string.h>

#include "../check.h"

int main(int argc, char** argv)
{
  int integers[16], n_integers, n_addresses, n_types, combiner;
  MPI_Aint addresses[8];
  MPI_Datatype types[4], type, inner;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

  CALL(MPI_Type_get_envelope(MPI_INT, &n_integers, &n_addresses, &n_types, &combiner));
  CHECK(combiner == MPI_COMBINER_NAMED);
  CHECK(n_integers == 0 && n_addresses == 0 && n_types == 0);

  CALL(MPI_Type_vector(4, 2, -3, MPI_INT, &inner));
  CALL(MPI_Type_get_envelope(inner, &n_integers, &n_addresses, &n_types, &combiner));
  CHECK(combiner == MPI_COMBINER_VECTOR);
  CHECK(n_integers == 3 && n_addresses == 0 && n_types == 1);
  CALL(MPI_Type_get_contents(inner, 3, 0, 1, integers, addresses, types));
  CHECK(integers[0] == 4 && integers[1] == 2 && integers[2] == -3);
  CHECK(types[0] == MPI_INT);

  {
    int lengths[2] = {5, 1};
    MPI_Aint places[2] = {-16, 1000};
    MPI_Datatype parts[2], found;
    int n;
    parts[0] = MPI_DOUBLE;
    parts[1] = inner;
    CALL(MPI_Type_create_struct(2, lengths, places, parts, &type));
    CALL(MPI_Type_free(&inner));
    CALL(MPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner));
    CHECK(combiner == MPI_COMBINER_STRUCT);
    CHECK(n_integers == 3 && n_addresses == 2 && n_types == 2);
    CALL(MPI_Type_get_contents(type, 3, 2, 2, integers, addresses, types));
    CHECK(integers[0] == 2 && integers[1] == 5 && integers[2] == 1);
    CHECK(addresses[0] == -16 && addresses[1] == 1000);
    CHECK(types[0] == MPI_DOUBLE);
    /* The inner type lives on, and what came out must be freed. */
    CALL(MPI_Type_get_envelope(types[1], &n_integers, &n_addresses, &n_types, &combiner));
    CHECK(combiner == MPI_COMBINER_VECTOR);
    found = types[1];
    CALL(MPI_Type_size(found, &n));
    CHECK(n == 32);
    CALL(MPI_Type_free(&found));
    CALL(MPI_Type_size(type, &n));
    CHECK(n == 72);
    CALL(MPI_Type_free(&type));
  }
  {
    int sizes[2] = {4, 5}, subsizes[2] = {2, 3}, starts[2] = {1, 1};
    int expected[8] = {2, 4, 5, 2, 3, 1, 1, MPI_ORDER_C};
    CALL(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_CHAR, &type));
    CALL(MPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner));
    CHECK(combiner == MPI_COMBINER_SUBARRAY && n_integers == 8);
    CALL(MPI_Type_get_contents(type, 8, 0, 1, integers, addresses, types));
    CHECK(memcmp(integers, expected, sizeof expected) == 0);
    CALL(MPI_Type_free(&type));
  }
  CALL(MPI_Type_create_resized(MPI_INT, 4, 24, &type));
  CALL(MPI_Type_get_contents(type, 0, 2, 1, integers, addresses, types));
  CHECK(addresses[0] == 4 && addresses[1] == 24 && types[0] == MPI_INT);
  CALL(MPI_Type_free(&type));

#if MPI_VERSION >= 4
  {
    MPI_Count many_integers, many_addresses, large, many_types, counts[4];
    CALL(MPI_Type_vector_c(4, 2, 7, MPI_INT, &type));
    CALL(MPI_Type_get_envelope_c(type, &many_integers, &many_addresses, &large, &many_types, &combiner));
    CHECK(combiner == MPI_COMBINER_VECTOR);
    CHECK(many_integers == 0 && many_addresses == 0 && large == 3 && many_types == 1);
    CALL(MPI_Type_get_contents_c(type, 0, 0, 3, 1, integers, addresses, counts, types));
    CHECK(counts[0] == 4 && counts[1] == 2 && counts[2] == 7);
    CALL(MPI_Type_free(&type));
    CALL(MPI_Type_create_hvector_c(3, 1, -40, MPI_INT, &type));
    CALL(MPI_Type_get_contents_c(type, 0, 0, 3, 1, integers, addresses, counts, types));
    CHECK(counts[0] == 3 && counts[1] == 1 && counts[2] == -40);
    CALL(MPI_Type_free(&type));
  }
#endif

  {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    CALL(MPI_Type_get_name(MPI_DOUBLE, name, &length));
    CHECK(strcmp(name, "MPI_DOUBLE") == 0 && length == 10);
    CALL(MPI_Type_contiguous(2, MPI_INT, &type));
    CALL(MPI_Type_get_name(type, name, &length));
    CHECK(length == 0 && name[0] == '\0');
    CALL(MPI_Type_set_name(type, "two ints"));
    CALL(MPI_Type_get_name(type, name, &length));
    CHECK(strcmp(name, "two ints") == 0 && length == 8);
    CALL(MPI_Type_free(&type));
  }
  {
    int size;
    CALL(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type));
    CALL(MPI_Type_size(type, &size));
    CHECK(size == 8);
    CALL(MPI_Type_create_f90_real(15, 307, &type));
    CALL(MPI_Type_size(type, &size));
    CHECK(size == 8);
    CALL(MPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner));
    CHECK(combiner == MPI_COMBINER_F90_REAL && n_integers == 2 && n_types == 0);
    CALL(MPI_Type_get_contents(type, 2, 0, 0, integers, addresses, types));
    CHECK(integers[0] == 15 && integers[1] == 307);
    CALL(MPI_Type_create_f90_real(15, 307, &inner));
    CHECK(inner == type);
    CALL(MPI_Type_create_f90_integer(9, &type));
    CALL(MPI_Type_size(type, &size));
    CHECK(size == 4);
  }
#ifdef MPI_H_ABI /* since MPI 4.1 */
  CALL(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type));
  CHECK(type == MPI_DOUBLE_INT);
  CALL(MPI_Type_get_value_index(MPI_DOUBLE_INT, MPI_INT, &type));
  CHECK(type == MPI_DATATYPE_NULL);
#endif
  type = MPI_INT;
  CHECK(MPI_Type_free(&type) != MPI_SUCCESS);
  CHECK(MPI_Type_contiguous(-1, MPI_INT, &type) != MPI_SUCCESS);
  return finish();
}
