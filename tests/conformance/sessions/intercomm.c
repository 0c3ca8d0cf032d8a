/* MPI 5.0 sections 7.6.2 and 7.4.2: communicators of parts of the world, made at the same time by tags, and the
   intercommunicator between them; on 2 or more ranks.
   mpich: an assertion fails without MPI_Init
   openmpi: version 4.1 has no sessions */
#include <stdio.h>

#include <mpi.h>

static int failures;
#define CHECK(condition) \
  ((condition) ? (void)0 : (++failures, (void)fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition)))

int main(void)
{
  MPI_Session session;
  MPI_Group world, half, other;
  int rank, size;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
  MPI_Group_rank(world, &rank);
  MPI_Group_size(world, &size);
  if (size > 1) {
    const int low = size / 2, mine = rank >= low;
    int ranges[2][1][3] = {{{0, low - 1, 1}}, {{size - 1, low, -1}}};
    MPI_Group_range_incl(world, 1, ranges[mine], &half);
    MPI_Group_range_incl(world, 1, ranges[1 - mine], &other);

    MPI_Comm inter, comm;
    /* The remote group and its leader only count at the leader, here the last of each group. */
    int half_size, other_size, half_rank;
    MPI_Group_size(half, &half_size);
    MPI_Group_size(other, &other_size);
    MPI_Group_rank(half, &half_rank);
    for (int round = 0; round < 3; ++round) {
      CHECK(MPI_Intercomm_create_from_groups(half, half_size - 1, other, other_size - 1, "between",
                                             MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter) == MPI_SUCCESS);
      int remote, flag, sum = 0, expected = 0;
      MPI_Comm_test_inter(inter, &flag);
      CHECK(flag);
      MPI_Comm_remote_size(inter, &remote);
      CHECK(remote == other_size);
      MPI_Comm_rank(inter, &remote);
      CHECK(remote == half_rank);
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
      for (int i = 0; i < size; ++i)
        if ((i >= low) != mine) expected += i;
      CHECK(sum == expected);
      MPI_Comm_free(&inter);
    }
    /* Different tags at once, in any order. */
    MPI_Comm pair[2];
    for (int i = 0; i < 2; ++i) {
      const int which = rank % 2 ? i : 1 - i;
      MPI_Comm_create_from_group(world, which ? "one" : "zero", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &pair[which]);
    }
    for (int i = 0; i < 2; ++i) {
      int got = -1;
      const int sent = 10 * i + rank;
      MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, pair[i],
                   MPI_STATUS_IGNORE);
      CHECK(got == 10 * i + (rank + size - 1) % size);
    }
    MPI_Comm_free(&pair[0]);
    MPI_Comm_free(&pair[1]);
    CHECK(MPI_Comm_create_from_group(half, "half", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm) == MPI_SUCCESS);
    MPI_Comm_size(comm, &half_size);
    CHECK(half_size == (mine ? size - low : low));
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&half);
    MPI_Group_free(&other);
  }
  MPI_Group_free(&world);
  MPI_Session_finalize(&session);
  return failures != 0;
}
