/* For programs about buffers for buffered sends. */
#ifndef CONFORMANCE_BSEND_ROOM_H
#define CONFORMANCE_BSEND_ROOM_H

#include "../check.h"
#include <stdlib.h>

/* Whether a message of so many bytes to this process finds room in buffered mode; it is received. */
static inline int finds_room(MPI_Comm comm, int bytes)
{
  char* out = calloc((size_t)bytes, 1);
  char* in = calloc((size_t)bytes, 1);
  int code, rank;
  MPI_Comm_rank(comm, &rank);
  out[bytes - 1] = 7;
  code = MPI_Bsend(out, bytes, MPI_CHAR, rank, 1, comm);
  if (code == MPI_SUCCESS) {
    CALL(MPI_Recv(in, bytes, MPI_CHAR, rank, 1, comm, MPI_STATUS_IGNORE));
    CHECK(in[bytes - 1] == 7);
  } else {
    CHECK(class_of(code) == MPI_ERR_BUFFER);
  }
  free(out);
  free(in);
  return code == MPI_SUCCESS;
}

#endif
