/* Types whose sizes, bounds and element counts do not fit an int, without memory of that size: what the
   narrow calls say is MPI_UNDEFINED (MPI 5.0 §5.1.5, §5.1.11, §3.2.5), the wide ones say the number.
   mpich: MPI_Pack_external_size_c says another number */
#include "../check.h"

static const MPI_Count giga = (MPI_Count)1 << 30;

int main(int argc, char** argv)
{
  MPI_Datatype gig, type, spread;
  MPI_Count wide = -1, lb = -1, extent = -1;
  MPI_Aint narrow_lb = -1, narrow_extent = -1;
  MPI_Status status;
  int size = -1, count = -1;
  MPI_Init(&argc, &argv);

  CALL(MPI_Type_contiguous(1 << 30, MPI_BYTE, &gig));
  CALL(MPI_Type_contiguous(5, gig, &type));
  CALL(MPI_Type_commit(&gig));
  CALL(MPI_Type_commit(&type));
  CALL(MPI_Type_size(gig, &size));
  CHECK(size == 1 << 30);
  CALL(MPI_Type_size(type, &size));
  CHECK(size == MPI_UNDEFINED);
  CALL(MPI_Type_size_x(type, &wide));
  CHECK(wide == 5 * giga);
  CALL(MPI_Type_get_extent(type, &narrow_lb, &narrow_extent));
  CHECK(narrow_lb == 0 && narrow_extent == 5 * giga);

  /* Far apart, and backwards. */
  CALL(MPI_Type_create_hvector(3, 1, (MPI_Aint)(-7 * giga), MPI_INT, &spread));
  CALL(MPI_Type_commit(&spread));
  CALL(MPI_Type_get_extent_x(spread, &lb, &extent));
  CHECK(lb == -14 * giga && extent == 14 * giga + 4);
  CALL(MPI_Type_get_true_extent_x(spread, &lb, &extent));
  CHECK(lb == -14 * giga && extent == 14 * giga + 4);
  CALL(MPI_Type_size(spread, &size));
  CHECK(size == 12);
  CALL(MPI_Type_free(&spread));

  /* §5.1.11, §13.3: elements of a status that an operation would set. */
  CALL(MPI_Status_set_elements_x(&status, MPI_BYTE, 5 * giga));
  CALL(MPI_Get_elements(&status, type, &count));
  CHECK(count == MPI_UNDEFINED);
  CALL(MPI_Get_elements_x(&status, type, &wide));
  CHECK(wide == 5 * giga);
  CALL(MPI_Get_count(&status, type, &count));
  CHECK(count == 1);
  CALL(MPI_Get_count(&status, MPI_BYTE, &count));
  CHECK(count == MPI_UNDEFINED);
  CALL(MPI_Get_count(&status, gig, &count));
  CHECK(count == 5);
  CALL(MPI_Status_set_elements_x(&status, MPI_BYTE, 5 * giga + 1));
  CALL(MPI_Get_count(&status, type, &count));
  CHECK(count == MPI_UNDEFINED);
#if MPI_VERSION >= 4
  CALL(MPI_Get_elements_c(&status, type, &wide));
  CHECK(wide == 5 * giga + 1);
  CALL(MPI_Get_count_c(&status, MPI_BYTE, &wide));
  CHECK(wide == 5 * giga + 1);
  CALL(MPI_Type_size_c(type, &wide));
  CHECK(wide == 5 * giga);
  CALL(MPI_Type_get_extent_c(type, &lb, &extent));
  CHECK(lb == 0 && extent == 5 * giga);
  CALL(MPI_Type_get_true_extent_c(type, &lb, &extent));
  CHECK(lb == 0 && extent == 5 * giga);
  CALL(MPI_Pack_size_c(3, type, MPI_COMM_WORLD, &wide));
  CHECK(wide >= 15 * giga);
  CALL(MPI_Pack_external_size_c("external32", 3, type, &wide));
  CHECK(wide == 15 * giga);
  CALL(MPI_Type_free(&type));

  /* One number 6 GiB into a buffer, by displacement and by count of a large type. */
  {
    const MPI_Count one = 1, place = 6 * giga;
    MPI_Count position = 0;
    char packed[16];
    int value = 42, got = 0;
    /* Not constants, so that compilers do not complain of the addresses outside the numbers. */
    volatile MPI_Count back = -place;
    CALL(MPI_Type_create_hindexed_c(1, &one, &place, MPI_INT, &type));
    CALL(MPI_Type_commit(&type));
    /* The address that the call gets lies 6 GiB before the number; §5.1.12 would have MPI_BOTTOM for more
     * than one. */
    CALL(MPI_Pack_c((char*)&value + back, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF));
    CHECK(position >= 4);
    position = 0;
    CALL(MPI_Unpack_c(packed, sizeof packed, &position, (char*)&got + back, 1, type, MPI_COMM_SELF));
    CHECK(got == 42);
    got = 0;
    CALL(
        MPI_Sendrecv_c((char*)&value + back, 1, type, 0, 1, &got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &status));
    CHECK(got == 42);
  }
#endif
  CALL(MPI_Type_free(&type));
  CALL(MPI_Type_free(&gig));
  return finish();
}
