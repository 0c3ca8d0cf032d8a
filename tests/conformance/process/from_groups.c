/* MPI 5.0 sections 7.4.2 and 7.6.2: communicators that are made from groups alone, whose processes are of two
   worlds. mpich: as Debian builds it, it has no dynamic processes openmpi: version 4.1 has no
   MPI_Comm_create_from_group */
#include "../check.h"

enum { children = 3, turns = 20 };

/* The sum of what all members give, in an intercommunicator of the other group. */
static int sum_over(MPI_Comm comm, int value)
{
  int sum = -1;
  CALL(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm));
  return sum;
}

static MPI_Comm from_group(MPI_Group group, const char* tag)
{
  MPI_Comm comm = MPI_COMM_NULL;
  CALL(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
  return comm;
}

/* All, in their order and in the reverse one: at once under two tags, and again under one. */
static void of_all(MPI_Group group, int n)
{
  MPI_Group reverse;
  int me, number, sum = n * (n - 1) / 2, range[1][3] = {{n - 1, 0, -1}};
  MPI_Group_rank(group, &me);
  CALL(MPI_Group_range_incl(group, 1, range, &reverse));
  MPI_Comm first = from_group(group, "first"), second = from_group(reverse, "second"),
           third = from_group(group, "first");
  CHECK(sum_over(first, me) == sum && sum_over(third, me) == sum);
  CALL(MPI_Comm_rank(second, &number));
  CHECK(number == n - 1 - me);
  CHECK(sum_over(second, 2 * me) == 2 * sum);
  CALL(MPI_Comm_free(&third));
  CALL(MPI_Comm_free(&first));
  CALL(MPI_Comm_free(&second));
  CALL(MPI_Group_free(&reverse));
}

/* Those of even and of odd ranks each make one under the same tag, then one of both. */
static void of_parts(MPI_Group group, int n)
{
  MPI_Group parts[2];
  MPI_Comm part, both;
  int me, sums[2] = {0, 0};
  MPI_Group_rank(group, &me);
  for (int i = 0; i < 2; ++i) {
    int range[1][3] = {{i, n - 1, 2}};
    CALL(MPI_Group_range_incl(group, 1, range, &parts[i]));
    for (int j = i; j < n; j += 2) sums[i] += j;
  }
  part = from_group(parts[me % 2], "part");
  CHECK(sum_over(part, me) == sums[me % 2]);
  int leaders[2] = {(n + 1) / 2 - 1, 0}; /* the last one of the even, the first of the odd */
  CALL(MPI_Intercomm_create_from_groups(parts[me % 2], leaders[me % 2], parts[1 - me % 2],
                                        leaders[1 - me % 2], "both", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                        &both));
  CHECK(sum_over(both, me) == sums[1 - me % 2]);
  CALL(MPI_Comm_free(&part));
  CALL(MPI_Comm_free(&both));
  for (int i = 0; i < 2; ++i) CALL(MPI_Group_free(&parts[i]));
}

/* The worlds are the groups. */
static void of_worlds(MPI_Comm inter, int mine, int theirs)
{
  MPI_Group local, remote;
  MPI_Comm made;
  int n = -1;
  CALL(MPI_Comm_group(inter, &local));
  CALL(MPI_Comm_remote_group(inter, &remote));
  CALL(MPI_Intercomm_create_from_groups(local, mine - 1, remote, theirs - 1, "worlds", MPI_INFO_NULL,
                                        MPI_ERRORS_ARE_FATAL, &made));
  CALL(MPI_Comm_remote_size(made, &n));
  CHECK(n == theirs);
  CHECK(sum_over(made, 1) == theirs);
  CALL(MPI_Comm_free(&made));
  CALL(MPI_Group_free(&local));
  CALL(MPI_Group_free(&remote));
}

/* Of a world that has ended and the caller, nobody can make a communicator. Ranklet says so once it has given
   back what the world had. */
static int refuses(MPI_Group past)
{
  MPI_Group own, both;
  MPI_Comm comm = MPI_COMM_NULL;
  CALL(MPI_Comm_group(MPI_COMM_SELF, &own));
  CALL(MPI_Group_union(own, past, &both));
  const int code = MPI_Comm_create_from_group(both, "past", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  if (code == MPI_SUCCESS)
    CALL(MPI_Comm_free(&comm));
  else
    CHECK(class_of(code) == MPI_ERR_GROUP);
  CALL(MPI_Group_free(&both));
  CALL(MPI_Group_free(&own));
  return code != MPI_SUCCESS;
}

static void of_the_past(const char* self, MPI_Comm* inter)
{
  char* arguments[] = {"leaving", NULL};
  MPI_Group past;
  int refused = 0;
  CALL(MPI_Comm_remote_group(*inter, &past));
  for (int turn = 0; turn < 500 && !refused; ++turn) {
    CALL(MPI_Comm_disconnect(inter));
    CALL(MPI_Comm_spawn(self, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, MPI_ERRCODES_IGNORE));
    refused = refuses(past);
    CALL(MPI_Allreduce(MPI_IN_PLACE, &refused, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  }
  CHECK(refused);
  CALL(MPI_Group_free(&past));
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm inter, all;
  MPI_Group group;
  int size, theirs, any = 0;
  CALL(MPI_Comm_get_parent(&inter));
  const int is_child = inter != MPI_COMM_NULL;
  if (argc > 1) {
    CALL(MPI_Comm_disconnect(&inter));
    MPI_Finalize();
    return 0;
  }
  if (!is_child)
    CALL(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                        MPI_ERRCODES_IGNORE));
  CALL(MPI_Comm_size(inter, &size));
  CALL(MPI_Comm_remote_size(inter, &theirs));
  CALL(MPI_Intercomm_merge(inter, is_child, &all));
  CALL(MPI_Comm_group(all, &group));
  for (int turn = 0; turn < turns; ++turn) {
    of_all(group, size + theirs);
    of_parts(group, size + theirs);
    of_worlds(inter, size, theirs);
  }
  CALL(MPI_Group_free(&group));
  CALL(MPI_Allreduce(&check_failures, &any, 1, MPI_INT, MPI_MAX, all));
  CALL(MPI_Comm_free(&all));
  if (!is_child) of_the_past(argv[0], &inter);
  CALL(MPI_Comm_disconnect(&inter));
  MPI_Finalize();
  return any != 0 || check_failures != 0;
}
