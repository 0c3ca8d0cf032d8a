/* Packing, unpacking and external32 (MPI 5.0 §5.2, §5.3). */
#include <string.h>

#include "../check.h"

int main(int argc, char** argv)
{
  char buffer[400];
  int position = 0, size, i, numbers[8], back[8];
  double real = 2.5, real_back = 0;
  MPI_Datatype column;
  MPI_Init(&argc, &argv);

  for (i = 0; i < 8; ++i) {
    numbers[i] = 10 + i;
    back[i] = -1;
  }
  CALL(MPI_Type_vector(3, 1, 3, MPI_INT, &column));
  CALL(MPI_Type_commit(&column));
  CALL(MPI_Pack_size(1, column, MPI_COMM_WORLD, &size));
  CHECK(size >= 12 && size <= 200);

  CALL(MPI_Pack(numbers, 1, column, buffer, 400, &position, MPI_COMM_WORLD));
  CALL(MPI_Pack(&real, 1, MPI_DOUBLE, buffer, 400, &position, MPI_COMM_WORLD));
  CHECK(position >= 20);
  size = position;
  position = 0;
  CALL(MPI_Unpack(buffer, size, &position, back, 1, column, MPI_COMM_WORLD));
  CALL(MPI_Unpack(buffer, size, &position, &real_back, 1, MPI_DOUBLE, MPI_COMM_WORLD));
  CHECK(position == size);
  CHECK(real_back == 2.5);
  for (i = 0; i < 8; ++i) CHECK(back[i] == (i % 3 == 0 ? 10 + i : -1));

  {
    MPI_Aint place = 0, external;
    const char expected[16] = {0, 0, 0, 10, 0, 0, 0, 13, 0, 0, 0, 16, 0x40, 0x04, 0, 0};
    CALL(MPI_Pack_external_size("external32", 1, column, &external));
    CHECK(external == 12);
    CALL(MPI_Pack_external("external32", numbers, 1, column, buffer, 400, &place));
    CHECK(place == 12);
    CALL(MPI_Pack_external("external32", &real, 1, MPI_DOUBLE, buffer, 400, &place));
    CHECK(place == 20);
    CHECK(memcmp(buffer, expected, 16) == 0);
    memset(back, 0, sizeof back);
    real_back = 0;
    place = 0;
    CALL(MPI_Unpack_external("external32", buffer, 20, &place, back, 1, column));
    CALL(MPI_Unpack_external("external32", buffer, 20, &place, &real_back, 1, MPI_DOUBLE));
    CHECK(place == 20);
    CHECK(back[0] == 10 && back[3] == 13 && back[6] == 16 && back[1] == 0);
    CHECK(real_back == 2.5);
  }
#if MPI_VERSION >= 4
  {
    MPI_Count place = 0;
    CALL(MPI_Pack_external_c("external32", numbers, 1, column, buffer, 400, &place));
    CHECK(place == 12);
    memset(back, 0, sizeof back);
    place = 0;
    CALL(MPI_Unpack_external_c("external32", buffer, 12, &place, back, 1, column));
    CHECK(place == 12 && back[0] == 10 && back[3] == 13 && back[6] == 16 && back[1] == 0);
  }
#endif
  CALL(MPI_Type_free(&column));
  return finish();
}
