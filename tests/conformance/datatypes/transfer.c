/* Messages between different types of one signature: a matrix is sent by columns and arrives transposed; parts of
   arrays; counts of what arrived. Each rank sends to the next one. */
#include <string.h>

#include "../check.h"

enum { rows = 30, columns = 20 };

static double matrix[rows][columns], transposed[columns][rows];

int main(int argc, char** argv)
{
  int rank, size, next, previous, i, j, count;
  MPI_Datatype column, by_columns, type;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;

  for (i = 0; i < rows; ++i)
    for (j = 0; j < columns; ++j) matrix[i][j] = 1000 * rank + columns * i + j;
  CALL(MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &column));
  CALL(MPI_Type_create_resized(column, 0, sizeof(double), &by_columns));
  CALL(MPI_Type_commit(&by_columns));
  CALL(MPI_Sendrecv(matrix, columns, by_columns, next, 1, transposed, rows * columns, MPI_DOUBLE, previous, 1,
                    MPI_COMM_WORLD, &status));
  for (i = 0; i < rows; ++i)
    for (j = 0; j < columns; ++j) CHECK(transposed[j][i] == 1000 * previous + columns * i + j);
  CALL(MPI_Get_count(&status, MPI_DOUBLE, &count));
  CHECK(count == rows * columns);
  CALL(MPI_Get_count(&status, by_columns, &count));
  CHECK(count == columns);
  CALL(MPI_Type_free(&column));

  /* Back, so that the matrix is restored in place of zeros. */
  memset(matrix, 0, sizeof matrix);
  CALL(MPI_Sendrecv(transposed, rows * columns, MPI_DOUBLE, previous, 2, matrix, columns, by_columns, next, 2,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (i = 0; i < rows; ++i)
    for (j = 0; j < columns; ++j) CHECK(matrix[i][j] == 1000 * rank + columns * i + j);
  CALL(MPI_Type_free(&by_columns));

  {
    /* An inner block into a dense array, nonblocking, the type freed while in use. */
    int sizes[2] = {rows, columns}, subsizes[2] = {7, 5}, starts[2] = {3, 4};
    double block[7][5];
    MPI_Request requests[2];
    CALL(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type));
    CALL(MPI_Type_commit(&type));
    CALL(MPI_Irecv(block, 35, MPI_DOUBLE, previous, 3, MPI_COMM_WORLD, &requests[0]));
    CALL(MPI_Isend(matrix, 1, type, next, 3, MPI_COMM_WORLD, &requests[1]));
    CALL(MPI_Type_free(&type));
    CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (i = 0; i < 7; ++i)
      for (j = 0; j < 5; ++j) CHECK(block[i][j] == 1000 * previous + columns * (i + 3) + j + 4);
  }
  {
    /* A message that ends within an element (Example 5.12). */
    float numbers[3] = {1, 2, 3}, room[8];
    CALL(MPI_Type_contiguous(2, MPI_FLOAT, &type));
    CALL(MPI_Type_commit(&type));
    CALL(MPI_Sendrecv(numbers, 3, MPI_FLOAT, next, 4, room, 4, type, previous, 4, MPI_COMM_WORLD, &status));
    CALL(MPI_Get_count(&status, type, &count));
    CHECK(count == MPI_UNDEFINED);
    CALL(MPI_Get_elements(&status, type, &count));
    CHECK(count == 3);
    CHECK(room[2] == 3);
    CALL(MPI_Type_free(&type));
  }
  {
    /* Absolute addresses and MPI_BOTTOM. */
    int a = rank, lengths[2] = {1, 1}, b[2] = {-1, -1};
    double x = rank + 0.5, y = -1;
    MPI_Aint places[2];
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, to;
    CALL(MPI_Get_address(&a, &places[0]));
    CALL(MPI_Get_address(&x, &places[1]));
    CALL(MPI_Type_create_struct(2, lengths, places, types, &type));
    CALL(MPI_Type_commit(&type));
    CALL(MPI_Get_address(&b[1], &places[0]));
    CALL(MPI_Get_address(&y, &places[1]));
    CALL(MPI_Type_create_struct(2, lengths, places, types, &to));
    CALL(MPI_Type_commit(&to));
    CALL(MPI_Sendrecv(MPI_BOTTOM, 1, type, next, 5, MPI_BOTTOM, 1, to, previous, 5, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
    CHECK(b[0] == -1 && b[1] == previous && y == previous + 0.5);
    CALL(MPI_Type_free(&type));
    CALL(MPI_Type_free(&to));
  }
  return finish();
}
