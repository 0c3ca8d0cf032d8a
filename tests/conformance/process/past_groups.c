/* MPI 5.0 section 7.3: groups of processes that have ended since, beside those of later worlds.
   mpich: as Debian builds it, it has no dynamic processes */
#include <stdlib.h>

#include "../check.h"

enum { most = 4, kept = 6, rounds = 40 };

typedef struct {
  MPI_Group group;
  int size;
} World;

/* No process of one is in the other; groups made of both know all. */
static void compare(const World* past, const World* now)
{
  static const int all[most] = {0, 1, 2, 3};
  int result, ranks[2 * most], size = -1;
  MPI_Group both, rest, common, last;
  CALL(MPI_Group_compare(past->group, now->group, &result));
  CHECK(result == MPI_UNEQUAL);
  CALL(MPI_Group_translate_ranks(past->group, past->size, all, now->group, ranks));
  for (int i = 0; i < past->size; ++i) CHECK(ranks[i] == MPI_UNDEFINED);
  CALL(MPI_Group_intersection(past->group, now->group, &common));
  CHECK(common == MPI_GROUP_EMPTY);
  CALL(MPI_Group_union(past->group, now->group, &both));
  CALL(MPI_Group_size(both, &size));
  CHECK(size == past->size + now->size);
  CALL(MPI_Group_translate_ranks(now->group, now->size, all, both, ranks));
  for (int i = 0; i < now->size; ++i) CHECK(ranks[i] == past->size + i);
  CALL(MPI_Group_difference(both, now->group, &rest));
  CALL(MPI_Group_compare(rest, past->group, &result));
  CHECK(result == MPI_IDENT);
  CALL(MPI_Group_incl(both, 1, &past->size, &last));
  CALL(MPI_Group_translate_ranks(last, 1, all, now->group, ranks));
  CHECK(ranks[0] == 0);
  CALL(MPI_Group_free(&last));
  CALL(MPI_Group_free(&rest));
  CALL(MPI_Group_free(&both));
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm inter;
  World worlds[kept];
  CALL(MPI_Comm_get_parent(&inter));
  if (inter != MPI_COMM_NULL) {
    CALL(MPI_Comm_disconnect(&inter));
    MPI_Finalize();
    return 0;
  }
  for (int i = 0; i < rounds; ++i) {
    World* const now = &worlds[i % kept];
    if (i >= kept) CALL(MPI_Group_free(&now->group));
    now->size = 1 + i % most;
    CALL(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, now->size, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                        MPI_ERRCODES_IGNORE));
    CALL(MPI_Comm_remote_group(inter, &now->group));
    CALL(MPI_Comm_disconnect(&inter));
    for (int j = 0; j < kept && j < i; ++j)
      if (j != i % kept) compare(&worlds[j], now);
  }
  for (int j = 0; j < kept; ++j) CALL(MPI_Group_free(&worlds[j].group));
  return finish();
}
