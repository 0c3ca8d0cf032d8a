/* MPI 5.0 section 7.6 and collectives between groups (6.2.3); on two ranks or more. */
#include "../check.h"

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int rank, size, n, flag, result;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return finish();

  const int cut = size / 2 > 0 ? size / 2 : 1;
  const int low = rank < cut;
  const int mine = low ? cut : size - cut, theirs = size - mine;
  MPI_Comm local, inter, dup, merged;
  MPI_Comm_split(MPI_COMM_WORLD, low, 0, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? cut : 0, 12, &inter);
  MPI_Comm_test_inter(inter, &flag);
  CHECK(flag);
  MPI_Comm_test_inter(local, &flag);
  CHECK(!flag);
  MPI_Comm_size(inter, &n);
  CHECK(n == mine);
  MPI_Comm_remote_size(inter, &n);
  CHECK(n == theirs);
  MPI_Group remote, world;
  MPI_Comm_remote_group(inter, &remote);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int zero = 0, first;
  MPI_Group_translate_ranks(remote, 1, &zero, world, &first);
  CHECK(first == (low ? cut : 0));
  MPI_Group_free(&remote);
  MPI_Group_free(&world);

  MPI_Comm_dup(inter, &dup);
  MPI_Comm_compare(inter, dup, &result);
  CHECK(result == MPI_CONGRUENT);

  /* Point to point: ranks are those of the remote group. */
  int here;
  MPI_Comm_rank(inter, &here);
  if (here == 0) {
    int token = rank, got = -1;
    MPI_Sendrecv(&token, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, dup, MPI_STATUS_IGNORE);
    CHECK(got == (low ? cut : 0));
  }

  MPI_Barrier(inter);
  int data[2] = {-1, -1};
  /* From the low group's last member to all of the high group. */
  if (rank == cut - 1) data[0] = 41, data[1] = 42;
  MPI_Bcast(data, 2, MPI_INT, low ? (rank == cut - 1 ? MPI_ROOT : MPI_PROC_NULL) : cut - 1, inter);
  CHECK(low || (data[0] == 41 && data[1] == 42));

  /* Each group gets the sum of the other's ranks. */
  int sum = -1, wanted = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
  for (int i = 0; i < size; ++i)
    if ((i < cut) != low) wanted += i;
  CHECK(sum == wanted);

  int ranks[64] = {0};
  if (size <= 64) {
    MPI_Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, inter);
    for (int i = 0; i < theirs; ++i) CHECK(ranks[i] == (low ? cut : 0) + i);
    /* The high group's first member gathers from the low group, then deals out to it. */
    const int root = low ? 0 : rank == cut ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Gather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, root, inter);
    if (rank == cut)
      for (int i = 0; i < cut; ++i) CHECK(ranks[i] == i);
    for (int i = 0; i < 64 && rank == cut; ++i) ranks[i] = 100 + i;
    int dealt = -1;
    MPI_Scatter(ranks, 1, MPI_INT, &dealt, 1, MPI_INT, root, inter);
    CHECK(!low || dealt == 100 + rank);
    int reduced = -1;
    MPI_Reduce(&rank, &reduced, 1, MPI_INT, MPI_MAX, root, inter);
    CHECK(rank != cut || reduced == cut - 1);
    int send[64], recv[64];
    for (int i = 0; i < theirs; ++i) send[i] = rank * 100 + i;
    MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, inter);
    for (int i = 0; i < theirs; ++i) CHECK(recv[i] == ((low ? cut : 0) + i) * 100 + here);
  }

  MPI_Intercomm_merge(inter, low, &merged);
  MPI_Comm_rank(merged, &n);
  CHECK(n == (low ? size - cut + rank : rank - cut));
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
  CHECK(sum == size * (size - 1) / 2);

  MPI_Comm part;
  MPI_Comm_split(inter, here == 0 ? 1 : MPI_UNDEFINED, 0, &part);
  CHECK((part != MPI_COMM_NULL) == (here == 0));
  if (part != MPI_COMM_NULL) {
    MPI_Comm_remote_size(part, &n);
    CHECK(n == 1);
    MPI_Comm_free(&part);
  }
  MPI_Comm_free(&merged);
  MPI_Comm_free(&dup);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
  return finish();
}
