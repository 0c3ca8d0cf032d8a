/* MPI 5.0 section 7.3: groups, on any number of ranks. */
#include "../check.h"

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int size, rank, n, result;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  MPI_Group world, even, odd, empty, all, reversed;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_size(world, &n);
  CHECK(n == size);
  MPI_Group_rank(world, &n);
  CHECK(n == rank);

  int range[1][3] = {{0, size - 1, 2}};
  MPI_Group_range_incl(world, 1, range, &even);
  MPI_Group_range_excl(world, 1, range, &odd);
  MPI_Group_size(even, &n);
  CHECK(n == (size + 1) / 2);
  MPI_Group_size(odd, &n);
  CHECK(n == size / 2);
  MPI_Group_rank(even, &n);
  CHECK(n == (rank % 2 == 0 ? rank / 2 : MPI_UNDEFINED));

  MPI_Group_intersection(even, odd, &empty);
  MPI_Group_compare(empty, MPI_GROUP_EMPTY, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_union(even, odd, &all);
  MPI_Group_compare(all, world, &result);
  CHECK(result == (size <= 2 ? MPI_IDENT : MPI_SIMILAR));
  MPI_Group_free(&all);
  CHECK(all == MPI_GROUP_NULL);
  MPI_Group_difference(world, odd, &all);
  MPI_Group_compare(all, even, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_compare(all, odd, &result);
  CHECK(result == MPI_UNEQUAL);

  int backwards[1][3] = {{size - 1, 0, -1}};
  MPI_Group_range_incl(world, 1, backwards, &reversed);
  int here[3] = {0, size - 1, MPI_PROC_NULL}, there[3];
  MPI_Group_translate_ranks(reversed, 3, here, world, there);
  CHECK(there[0] == size - 1);
  CHECK(there[1] == 0);
  CHECK(there[2] == MPI_PROC_NULL);
  if (size > 1) {
    int one = 1;
    MPI_Group_translate_ranks(world, 1, &one, even, there);
    CHECK(there[0] == MPI_UNDEFINED);
  }

  MPI_Group first;
  int zero = 0;
  MPI_Group_incl(world, 1, &zero, &first);
  MPI_Group rest;
  MPI_Group_excl(world, 1, &zero, &rest);
  MPI_Group_size(rest, &n);
  CHECK(n == size - 1);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Group bad;
  CHECK(class_of(MPI_Group_incl(world, 1, &size, &bad)) == MPI_ERR_RANK);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);

  MPI_Group_free(&world);
  MPI_Group_free(&even);
  MPI_Group_free(&odd);
  MPI_Group_free(&empty);
  MPI_Group_free(&all);
  MPI_Group_free(&reversed);
  MPI_Group_free(&first);
  MPI_Group_free(&rest);
  return finish();
}
