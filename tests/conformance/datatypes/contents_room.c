/* MPI_Type_get_contents with more room than the type needs, and with less (MPI 5.0 §5.1.13).
   openmpi: reads as many types as there is room for, and crashes */
#include "../check.h"

int main(int argc, char** argv)
{
  int integers[16], lengths[2] = {5, 1};
  MPI_Aint addresses[8], places[2] = {-16, 1000};
  MPI_Datatype types[4], type, parts[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CALL(MPI_Type_create_struct(2, lengths, places, parts, &type));
  CHECK(MPI_Type_get_contents(type, 2, 2, 2, integers, addresses, types) != MPI_SUCCESS);
  CHECK(MPI_Type_get_contents(type, 3, 1, 2, integers, addresses, types) != MPI_SUCCESS);
  CHECK(MPI_Type_get_contents(type, 3, 2, 1, integers, addresses, types) != MPI_SUCCESS);
  integers[3] = 77;
  addresses[2] = 77;
  CALL(MPI_Type_get_contents(type, 16, 8, 4, integers, addresses, types));
  CHECK(integers[0] == 2 && integers[1] == 5 && integers[2] == 1 && integers[3] == 77);
  CHECK(addresses[0] == -16 && addresses[1] == 1000 && addresses[2] == 77);
  CHECK(types[0] == MPI_DOUBLE && types[1] == MPI_INT);
  CALL(MPI_Type_free(&type));
  return finish();
}
