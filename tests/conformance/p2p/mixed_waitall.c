/* MPI_Waitall, MPI_Testall and MPI_Waitsome of arrays in which requests of all kinds lie in any order,
   complete or not, with statuses or without (MPI 5.0 sections 3.7.3 to 3.7.5). Each rank sends what its
   neighbour receives; both draw from the same seed, which is printed if something is wrong. mpich: says
   nothing of receives from MPI_PROC_NULL in their statuses */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../check.h"

enum { most = 40, longest = 3000, rounds = 150 };
enum kind { nothing, short_send, long_send, receive, derived_receive, from_nobody, inactive, started, kinds };

static unsigned state;
static int draw(int below)
{
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)below);
}

static int value_of(int round, int i, int k)
{
  return round * 7919 + i * 31 + k;
}

int main(int argc, char** argv)
{
  static int out[most][longest], in[most][2 * longest];
  MPI_Request requests[most], kept[most], sends[most];
  MPI_Status statuses[most];
  MPI_Datatype gapped;
  enum kind kind[most];
  int length[most], indices[most];
  int rank, size, next, previous, round, i, k, seed;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  seed = argc > 1 ? atoi(argv[1]) : (int)time(NULL);
  CALL(MPI_Bcast(&seed, 1, MPI_INT, 0, MPI_COMM_WORLD));
  state = (unsigned)seed;
  CALL(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gapped));
  CALL(MPI_Type_commit(&gapped));

  for (round = 0; round < rounds; ++round) {
    const int count = 1 + draw(most), looks = draw(3), late = draw(2), with_statuses = draw(2);
    int n_sends = 0, left = 0;
    for (i = 0; i < count; ++i) {
      kind[i] = (enum kind)draw(kinds);
      length[i] = kind[i] == long_send || draw(4) == 0 ? 600 + draw(longest - 600) : draw(9);
      if (kind[i] == short_send && length[i] > 600) length[i] = 1;
      for (k = 0; k < length[i]; ++k) out[i][k] = value_of(round, i, k);
      for (k = 0; k < 2 * length[i]; ++k) in[i][k] = -1;
      requests[i] = kept[i] = MPI_REQUEST_NULL;
    }
    /* The messages that are received, before or behind their receives. */
    for (k = 0; k < 2; ++k) {
      for (i = 0; i < count && k == late; ++i)
        if (kind[i] >= receive && kind[i] != from_nobody && kind[i] != inactive)
          CALL(MPI_Isend(out[i], length[i], MPI_INT, next, i, MPI_COMM_WORLD, &sends[n_sends++]));
      for (i = 0; i < count && k != late; ++i) switch (kind[i]) {
          case short_send:
          case long_send:
            CALL(MPI_Isend(out[i], length[i], MPI_INT, next, i, MPI_COMM_WORLD, &requests[i]));
            break;
          case receive:
            CALL(MPI_Irecv(in[i], longest, MPI_INT, draw(2) ? previous : MPI_ANY_SOURCE, i, MPI_COMM_WORLD,
                           &requests[i]));
            break;
          case derived_receive:
            CALL(MPI_Irecv(in[i], longest, gapped, previous, i, MPI_COMM_WORLD, &requests[i]));
            break;
          case from_nobody:
            CALL(MPI_Irecv(in[i], longest, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_WORLD, &requests[i]));
            break;
          case inactive:
          case started:
            CALL(MPI_Recv_init(in[i], longest, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]));
            kept[i] = requests[i];
            if (kind[i] == started) CALL(MPI_Start(&requests[i]));
            break;
          default:
            break;
        }
    }
    /* The other rank's sends of this array, by their tags: probed for, so that short ones lie about. */
    for (i = 0; i < count; ++i)
      if (kind[i] == short_send || kind[i] == long_send) {
        static int got[longest];
        CALL(MPI_Recv(got, longest, MPI_INT, previous, i, MPI_COMM_WORLD, &statuses[0]));
        CALL(MPI_Get_count(&statuses[0], MPI_INT, &k));
        CHECK(k == length[i] && memcmp(got, out[i], (size_t)k * sizeof(int)) == 0);
      }
    memset(statuses, 0x5a, sizeof statuses);
    if (looks == 0 && !with_statuses) {
      CALL(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    } else if (looks == 1) {
      int flag = 0;
      while (!flag) CALL(MPI_Testall(count, requests, &flag, statuses));
    } else if (looks == 2 && !with_statuses) {
      for (i = 0; i < count; ++i) left += kind[i] != nothing && kind[i] != inactive;
      while (left > 0) {
        int done = 0;
        CALL(MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE));
        CHECK(done > 0 && done <= left);
        left -= done;
      }
    } else {
      CALL(MPI_Waitall(count, requests, statuses));
    }
    for (i = 0; i < count; ++i) {
      const int is_received = kind[i] == receive || kind[i] == derived_receive || kind[i] == started;
      const int stride = kind[i] == derived_receive ? 2 : 1;
      CHECK(requests[i] == kept[i]);
      for (k = 0; k < length[i]; ++k) CHECK(in[i][k * stride] == (is_received ? value_of(round, i, k) : -1));
      if (looks == 1 || with_statuses) {
        int elements = -1;
        CALL(MPI_Get_count(&statuses[i], kind[i] == derived_receive ? gapped : MPI_INT, &elements));
        /* That of a send is not defined. */
        if (kind[i] != short_send && kind[i] != long_send) CHECK(elements == (is_received ? length[i] : 0));
        if (is_received) CHECK(statuses[i].MPI_SOURCE == previous && statuses[i].MPI_TAG == i);
        if (kind[i] == from_nobody)
          CHECK(statuses[i].MPI_SOURCE == MPI_PROC_NULL && statuses[i].MPI_TAG == MPI_ANY_TAG);
        if (kind[i] == nothing || kind[i] == inactive)
          CHECK(statuses[i].MPI_SOURCE == MPI_ANY_SOURCE && statuses[i].MPI_TAG == MPI_ANY_TAG);
      }
      if (kept[i] != MPI_REQUEST_NULL) CALL(MPI_Request_free(&kept[i]));
    }
    CALL(MPI_Waitall(n_sends, sends, MPI_STATUSES_IGNORE));
    /* Tags are used again. */
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    if (check_failures > 0) {
      fprintf(stderr, "seed %d, round %d\n", seed, round);
      break;
    }
  }
  CALL(MPI_Type_free(&gapped));
  return finish();
}
