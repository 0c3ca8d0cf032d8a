/* Sizes and bounds of constructed types (MPI 5.0 §5.1). */
#include <stddef.h>

#include "../check.h"

static void expect(MPI_Datatype type, int size, MPI_Aint lb, MPI_Aint extent, MPI_Aint true_lb, MPI_Aint true_extent)
{
  int got_size;
  MPI_Aint got_lb, got_extent;
  MPI_Count count;
  CALL(MPI_Type_size(type, &got_size));
  CHECK(got_size == size);
  CALL(MPI_Type_size_x(type, &count));
  CHECK(count == size);
  CALL(MPI_Type_get_extent(type, &got_lb, &got_extent));
  CHECK(got_lb == lb);
  CHECK(got_extent == extent);
  CALL(MPI_Type_get_true_extent(type, &got_lb, &got_extent));
  CHECK(got_lb == true_lb);
  CHECK(got_extent == true_extent);
}

int main(int argc, char** argv)
{
  MPI_Datatype pair, type, inner;
  MPI_Init(&argc, &argv);

  {
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_CHAR};
    CALL(MPI_Type_create_struct(2, lengths, places, types, &pair));
    expect(pair, 9, 0, 16, 0, 9);
  }
  CALL(MPI_Type_contiguous(3, pair, &type));
  expect(type, 27, 0, 48, 0, 41);
  CALL(MPI_Type_free(&type));
  CHECK(type == MPI_DATATYPE_NULL);

  CALL(MPI_Type_vector(2, 3, 4, pair, &type));
  expect(type, 54, 0, 112, 0, 105);
  CALL(MPI_Type_free(&type));

  CALL(MPI_Type_vector(3, 1, -2, pair, &type));
  expect(type, 27, -64, 80, -64, 73);
  CALL(MPI_Type_free(&type));

  CALL(MPI_Type_create_hvector(3, 2, 100, MPI_INT, &type));
  expect(type, 24, 0, 208, 0, 208);
  CALL(MPI_Type_free(&type));

  {
    int lengths[2] = {3, 1}, places[2] = {4, 0};
    CALL(MPI_Type_indexed(2, lengths, places, pair, &type));
    expect(type, 36, 0, 112, 0, 105);
    CALL(MPI_Type_free(&type));
  }
  {
    int lengths[2] = {3, 1};
    MPI_Aint places[2] = {40, -4};
    CALL(MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type));
    expect(type, 16, -4, 56, -4, 56);
    CALL(MPI_Type_free(&type));
  }
  {
    int places[3] = {5, 1, 9};
    CALL(MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type));
    expect(type, 24, 4, 40, 4, 40);
    CALL(MPI_Type_free(&type));
  }
  {
    MPI_Aint places[2] = {64, 8};
    CALL(MPI_Type_create_hindexed_block(2, 3, places, MPI_DOUBLE, &type));
    expect(type, 48, 8, 80, 8, 80);
    CALL(MPI_Type_free(&type));
  }
  CALL(MPI_Type_create_resized(MPI_INT, -3, 9, &inner));
  expect(inner, 4, -3, 9, 0, 4);
  CALL(MPI_Type_contiguous(2, inner, &type));
  expect(type, 8, -3, 18, 0, 13);
  CALL(MPI_Type_free(&type));
  CALL(MPI_Type_dup(inner, &type));
  expect(type, 4, -3, 9, 0, 4);
  CALL(MPI_Type_free(&type));
  CALL(MPI_Type_free(&inner));
  {
    int sizes[2] = {100, 100}, subsizes[2] = {100, 25}, starts[2] = {0, 50};
    CALL(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type));
    expect(type, 20000, 0, 80000, 400, 99 * 800 + 200);
    CALL(MPI_Type_free(&type));
    CALL(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type));
    expect(type, 20000, 0, 80000, 40000, 20000);
    CALL(MPI_Type_free(&type));
  }
  {
    int sizes[2] = {10, 6}, distributions[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    int dargs[2] = {2, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {2, 2}, rank, total = 0, size;
    for (rank = 0; rank < 4; ++rank) {
      MPI_Aint lb, extent;
      CALL(MPI_Type_create_darray(4, rank, 2, sizes, distributions, dargs, grid, MPI_ORDER_C, MPI_INT, &type));
      CALL(MPI_Type_size(type, &size));
      CHECK(size == 4 * (rank < 2 ? 6 : 4) * 3);
      total += size;
      CALL(MPI_Type_get_extent(type, &lb, &extent));
      CHECK(lb == 0 && extent == 240);
      CALL(MPI_Type_free(&type));
    }
    CHECK(total == 240);
  }
  CALL(MPI_Type_contiguous(0, MPI_INT, &type));
  expect(type, 0, 0, 0, 0, 0);
  CALL(MPI_Type_free(&type));
  CALL(MPI_Type_free(&pair));

  {
    /* Beyond 2^31 bytes: int results are undefined, the large ones right. */
    int size;
    MPI_Count large;
    MPI_Aint lb, extent;
    CALL(MPI_Type_vector(1 << 30, 1, 2, MPI_DOUBLE, &type));
    CALL(MPI_Type_size(type, &size));
    CHECK(size == MPI_UNDEFINED);
    CALL(MPI_Type_size_x(type, &large));
    CHECK(large == (MPI_Count)1 << 33);
    CALL(MPI_Type_get_extent(type, &lb, &extent));
    CHECK(extent == ((MPI_Aint)1 << 34) - 8);
    CALL(MPI_Type_free(&type));
  }
  {
    double number[4];
    MPI_Aint first, third;
    CALL(MPI_Get_address(&number[0], &first));
    CALL(MPI_Get_address(&number[2], &third));
    CHECK(MPI_Aint_diff(third, first) == 16);
    CHECK(MPI_Aint_add(first, 16) == third);
  }
  return finish();
}
