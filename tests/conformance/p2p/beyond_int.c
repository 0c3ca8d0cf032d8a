/* Messages of more than 2^31 bytes, contiguous and strided (MPI 5.0 §3.2). The buffers are one small piece
   of memory that is mapped again and again.
   openmpi: version 4.1 has no functions with large counts */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../check.h"

enum { piece = 4 << 20 };
static const MPI_Count bytes = ((MPI_Count)1 << 31) + piece;

/* `bytes` and another piece, all of it the same one. */
static char* map_piece(void)
{
  const size_t length = (size_t)bytes + piece;
  FILE* const stream = tmpfile();
  const int file = stream ? fileno(stream) : -1;
  if (file < 0 || ftruncate(file, piece) != 0) return NULL;
  char* const start = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  for (size_t at = 0; at < length; at += piece)
    if (mmap(start + at, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
      return NULL;
  fclose(stream);
  return start;
}

int main(int argc, char** argv)
{
  int rank, size, small = 0;
  MPI_Count count = -1;
  MPI_Status status;
  MPI_Datatype strided;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* const buffer = map_piece();
  CHECK(buffer != NULL);
  if (!buffer || size < 2 || rank > 1) return finish();

  memset(buffer, rank == 0 ? 7 : 0, piece);
  if (rank == 0) {
    CALL(MPI_Send_c(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
  } else {
    CALL(MPI_Recv_c(buffer, bytes + 5, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status));
    CALL(MPI_Get_count_c(&status, MPI_BYTE, &count));
    CALL(MPI_Get_count(&status, MPI_BYTE, &small));
    CHECK(count == bytes && small == MPI_UNDEFINED);
    CHECK(buffer[0] == 7 && buffer[piece - 1] == 7);
  }
  /* Eight bytes of every sixteen. */
  CALL(MPI_Type_vector_c(bytes / 16, 8, 16, MPI_BYTE, &strided));
  CALL(MPI_Type_commit(&strided));
  memset(buffer, rank == 0 ? 9 : 0, piece);
  if (rank == 0) {
    CALL(MPI_Send(buffer, 1, strided, 1, 2, MPI_COMM_WORLD));
  } else {
    CALL(MPI_Recv(buffer, 1, strided, 0, 2, MPI_COMM_WORLD, &status));
    CALL(MPI_Get_elements_c(&status, MPI_BYTE, &count));
    CHECK(count == bytes / 2);
    CHECK(buffer[0] == 9 && buffer[piece - 9] == 9 && buffer[8] == 0 && buffer[piece - 1] == 0);
  }
  CALL(MPI_Type_free(&strided));
  return finish();
}
