/* How many elements a status stands for, whole and basic ones (MPI 5.0 sections 3.2.5 and 5.1.11): of a type with
   several parts and of one without data.
   mpich: forgets an element that is cut; sets 5 whole records for 5 elements
   openmpi: counts no elements of a type without data in a message that has some */
#include "../check.h"

int main(int argc, char** argv)
{
  const int lengths[] = {1, 3};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype parts[] = {MPI_DOUBLE, MPI_SHORT};
  MPI_Datatype record, nothing;
  MPI_Status status;
  int count;
  MPI_Init(&argc, &argv);
  MPI_Type_create_struct(2, lengths, places, parts, &record); /* 8 + 3 * 2 bytes of data */
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&record);
  MPI_Type_commit(&nothing);

  for (int bytes = 0; bytes <= 42; ++bytes) {
    const int rest = bytes % 14;
    const int whole = rest == 0 || rest == 8 || rest == 10 || rest == 12;
    const int elements = bytes / 14 * 4 + (rest < 8 ? 0 : 1 + (rest - 8) / 2);
    CALL(MPI_Status_set_elements(&status, MPI_BYTE, bytes));
    CALL(MPI_Get_count(&status, record, &count));
    CHECK(count == (rest == 0 ? bytes / 14 : MPI_UNDEFINED));
    CALL(MPI_Get_elements(&status, record, &count));
    CHECK(count == (whole ? elements : MPI_UNDEFINED));
  }
  CALL(MPI_Status_set_elements(&status, MPI_BYTE, 0));
  CALL(MPI_Get_count(&status, nothing, &count));
  CHECK(count == 0);
  CALL(MPI_Get_elements(&status, nothing, &count));
  CHECK(count == 0);
  CALL(MPI_Status_set_elements(&status, MPI_BYTE, 4));
  CALL(MPI_Get_count(&status, nothing, &count));
  CHECK(count == MPI_UNDEFINED);

  CALL(MPI_Status_set_elements(&status, record, 5)); /* a record and a double */
  CALL(MPI_Get_elements(&status, MPI_BYTE, &count));
  CHECK(count == 22);
  CALL(MPI_Type_free(&record));
  CALL(MPI_Type_free(&nothing));
  return finish();
}
