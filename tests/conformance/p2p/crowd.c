/* All send to one rank at once, in turn to each: messages of 0 to 2000 bytes, blocking and nonblocking ones
   mixed, to one that receives and to one that first does something else. They come whole, and in the order of
   their sender (MPI 5.0 section 3.5). */
#include "../check.h"

#include <stdlib.h>

enum { messages = 400, longest = 2000, window = 16 };

static int rank, size;

static unsigned next_number(unsigned* state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static int length_of(int sender, int number)
{
  unsigned state = (unsigned)(sender * 7919 + number);
  unsigned draw = next_number(&state);
  return draw % 3 == 0 ? (int)(next_number(&state) % (longest + 1)) : (int)(draw % 41);
}

static unsigned char byte_of(int sender, int number, int at)
{
  return (unsigned char)(sender * 31 + number * 7 + at);
}

static void send_all(int target, unsigned seed)
{
  static unsigned char data[window][longest];
  MPI_Request requests[window];
  int number, i, open = 0;
  for (number = 0; number < messages; ++number) {
    const int length = length_of(rank, number);
    unsigned char* const place = data[open];
    for (i = 0; i < length; ++i) place[i] = byte_of(rank, number, i);
    switch (next_number(&seed) % 3) {
      case 0:
        CALL(MPI_Send(place, length, MPI_BYTE, target, 1, MPI_COMM_WORLD));
        break;
      default:
        CALL(MPI_Isend(place, length, MPI_BYTE, target, 1, MPI_COMM_WORLD, &requests[open++]));
    }
    if (open == window) {
      CALL(MPI_Waitall(open, requests, MPI_STATUSES_IGNORE));
      open = 0;
    }
  }
  CALL(MPI_Waitall(open, requests, MPI_STATUSES_IGNORE));
}

static void receive_all(void)
{
  int* next = calloc((size_t)size, sizeof *next);
  unsigned char data[longest];
  int left, i, length, number;
  MPI_Status status;
  for (left = (size - 1) * messages; left > 0; --left) {
    CALL(MPI_Recv(data, longest, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status));
    number = next[status.MPI_SOURCE]++;
    MPI_Get_count(&status, MPI_BYTE, &length);
    CHECK(length == length_of(status.MPI_SOURCE, number));
    for (i = 0; i < length; ++i)
      if (data[i] != byte_of(status.MPI_SOURCE, number, i)) break;
    CHECK(i == length);
  }
  free(next);
}

int main(int argc, char** argv)
{
  int target, other, value;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (target = 0; target < size; ++target) {
    if (rank != target) {
      send_all(target, (unsigned)(rank + target * size));
    } else {
      /* What comes meanwhile is kept, or waits. */
      if (target % 2 == 1)
        for (other = 0; other < 50; ++other)
          CALL(MPI_Sendrecv(&other, 1, MPI_INT, rank, 2, &value, 1, MPI_INT, rank, 2, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
      receive_all();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return finish();
}
