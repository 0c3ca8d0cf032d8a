/* MPI 5.0 section 7.4: dup, create, create_group, split, split_type, compare, names; contexts keep messages apart.
   On any number of ranks. */
#include <string.h>

#include "../check.h"

static int rank, size;

/* The communicator's members can all talk, and hear nobody else. */
static void use(MPI_Comm comm)
{
  int n, me;
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &me);
  int token = rank, from = -1;
  MPI_Sendrecv(&token, 1, MPI_INT, (me + 1) % n, 3, &from, 1, MPI_INT, (me + n - 1) % n, 3, comm,
               MPI_STATUS_IGNORE);
  MPI_Group world, mine;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(comm, &mine);
  int left = (me + n - 1) % n, wanted;
  MPI_Group_translate_ranks(mine, 1, &left, world, &wanted);
  CHECK(from == wanted);
  MPI_Group_free(&world);
  MPI_Group_free(&mine);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int result, n, length;

  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_compare(MPI_COMM_WORLD, dup, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_compare(dup, dup, &result);
  CHECK(result == MPI_IDENT);
  use(dup);

  /* Messages with equal tags on two communicators do not mix, whatever the order of the receives. */
  int on_world = 1000 + rank, on_dup = 2000 + rank, got_world = 0, got_dup = 0;
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Isend(&on_world, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&on_dup, 1, MPI_INT, right, 0, dup, &requests[1]);
  MPI_Recv(&got_dup, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, dup, MPI_STATUS_IGNORE);
  MPI_Recv(&got_world, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(got_dup == 2000 + left);
  CHECK(got_world == 1000 + left);

  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 5, -rank, &reversed);
  MPI_Comm_rank(reversed, &n);
  CHECK(n == size - 1 - rank);
  MPI_Comm_compare(MPI_COMM_WORLD, reversed, &result);
  CHECK(result == (size == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
  use(reversed);

  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1 && size > 1 ? MPI_UNDEFINED : rank % 2, 0, &half);
  if (rank == size - 1 && size > 1) {
    CHECK(half == MPI_COMM_NULL);
  } else {
    MPI_Comm_rank(half, &n);
    CHECK(n == rank / 2);
    use(half);
    MPI_Comm_free(&half);
  }

  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  CHECK(node != MPI_COMM_NULL);
  use(node);
  MPI_Comm_free(&node);

  /* Only the members of the group call; the others go on. */
  MPI_Group world, upper;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int range[1][3] = {{size / 2, size - 1, 1}};
  MPI_Group_range_incl(world, 1, range, &upper);
  MPI_Comm part = MPI_COMM_NULL;
  for (int i = 0; i < 10 && rank >= size / 2; ++i) {
    MPI_Comm_create_group(MPI_COMM_WORLD, upper, 17, &part);
    MPI_Comm_size(part, &n);
    CHECK(n == size - size / 2);
    use(part);
    MPI_Comm_free(&part);
  }
  CHECK(part == MPI_COMM_NULL);
  MPI_Comm_create(MPI_COMM_WORLD, upper, &part);
  CHECK((part != MPI_COMM_NULL) == (rank >= size / 2));
  if (part != MPI_COMM_NULL) {
    use(part);
    MPI_Comm_free(&part);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&upper);

  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
  CHECK(length == 14);
  MPI_Comm_set_name(dup, "a second world");
  MPI_Comm_get_name(dup, name, &length);
  CHECK(strcmp(name, "a second world") == 0);

  /* A communicator may be freed while a receive on it is under way. */
  int late = -1;
  MPI_Request receive;
  int me;
  MPI_Comm_rank(reversed, &me);
  MPI_Irecv(&late, 1, MPI_INT, (me + size - 1) % size, 8, reversed, &receive);
  MPI_Comm keep;
  MPI_Comm_dup(reversed, &keep);
  MPI_Send(&me, 1, MPI_INT, (me + 1) % size, 8, reversed);
  MPI_Comm_free(&reversed);
  CHECK(reversed == MPI_COMM_NULL);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  CHECK(late == (me + size - 1) % size);
  MPI_Comm_free(&keep);

  MPI_Comm soon;
  MPI_Request making;
  MPI_Comm_idup(dup, &soon, &making);
  MPI_Wait(&making, MPI_STATUS_IGNORE);
  CHECK(making == MPI_REQUEST_NULL);
  MPI_Comm_compare(dup, soon, &result);
  CHECK(result == MPI_CONGRUENT);
  use(soon);
  MPI_Comm_free(&soon);

  for (int i = 0; i < 200; ++i) {
    MPI_Comm next;
    MPI_Comm_dup(dup, &next);
    MPI_Comm_free(&dup);
    dup = next;
  }
  use(dup);
  MPI_Comm_free(&dup);
  return finish();
}
