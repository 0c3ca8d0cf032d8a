/* MPI 5.0 section 11.9: ports and service names between ranks of one job. MPICH as Debian builds it has no ports; Open MPI
   needs a server of names that is started before. */
#include <string.h>

#include "../check.h"

static int rank, size;

/* The low ranks accept, the others connect, each with a root of their own; then everything that an
   intercommunicator is for. */
static void connect_halves(int turn)
{
  const int cut = size / 2, low = rank < cut;
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm half, inter, merged;
  CALL(MPI_Comm_split(MPI_COMM_WORLD, low, 0, &half));
  if (rank == 0) CALL(MPI_Open_port(MPI_INFO_NULL, port));
  CALL(MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD));
  CHECK(strlen(port) > 0);
  if (low)
    CALL(MPI_Comm_accept(rank == 0 ? port : NULL, MPI_INFO_NULL, 0, half, &inter));
  else {
    const int root = size - cut - 1;
    CALL(MPI_Comm_connect(rank == size - 1 ? port : "not significant here", MPI_INFO_NULL, root, half, &inter));
  }
  int n, flag;
  CALL(MPI_Comm_test_inter(inter, &flag));
  CHECK(flag);
  CALL(MPI_Comm_remote_size(inter, &n));
  CHECK(n == (low ? size - cut : cut));
  int sum = -1, wanted = 0;
  CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
  for (int i = low ? cut : 0; i < (low ? size : cut); ++i) wanted += i;
  CHECK(sum == wanted);
  CALL(MPI_Intercomm_merge(inter, !low, &merged));
  int me;
  CALL(MPI_Comm_rank(merged, &me));
  CHECK(me == rank);
  CALL(MPI_Barrier(merged));
  CALL(MPI_Comm_free(&merged));
  if (turn % 2 == 0)
    CALL(MPI_Comm_disconnect(&inter));
  else
    CALL(MPI_Comm_free(&inter));
  CHECK(inter == MPI_COMM_NULL);
  if (rank == 0) CALL(MPI_Close_port(port));
  CALL(MPI_Comm_free(&half));
}

/* Everybody but rank 0 connects to it alone, in any order; the port stays open. */
static void serve(void)
{
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm inter;
  if (rank == 0) {
    CALL(MPI_Open_port(MPI_INFO_NULL, port));
    CALL(MPI_Publish_name("ocean", MPI_INFO_NULL, port));
    CHECK(class_of(MPI_Publish_name("ocean", MPI_INFO_NULL, port)) == MPI_ERR_SERVICE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    int seen = 0;
    for (int i = 1; i < size; ++i) {
      int client;
      CALL(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
      CALL(MPI_Recv(&client, 1, MPI_INT, 0, 5, inter, MPI_STATUS_IGNORE));
      CALL(MPI_Send(&client, 1, MPI_INT, 0, 6, inter));
      seen += client;
      CALL(MPI_Comm_disconnect(&inter));
    }
    CHECK(seen == size * (size - 1) / 2);
  } else {
    int answer = -1;
    CALL(MPI_Lookup_name("ocean", MPI_INFO_NULL, port));
    CALL(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    CALL(MPI_Send(&rank, 1, MPI_INT, 0, 5, inter));
    CALL(MPI_Recv(&answer, 1, MPI_INT, 0, 6, inter, MPI_STATUS_IGNORE));
    CHECK(answer == rank);
    CALL(MPI_Comm_disconnect(&inter));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    CALL(MPI_Unpublish_name("ocean", MPI_INFO_NULL, port));
    CHECK(class_of(MPI_Unpublish_name("ocean", MPI_INFO_NULL, port)) == MPI_ERR_SERVICE);
    CALL(MPI_Close_port(port));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(class_of(MPI_Lookup_name("ocean", MPI_INFO_NULL, port)) == MPI_ERR_NAME);
}

static void errors(void)
{
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Info info;
  char port[MPI_MAX_PORT_NAME];
  CHECK(class_of(MPI_Comm_connect("no port of this name", MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)) == MPI_ERR_PORT);
  CHECK(class_of(MPI_Comm_accept("no port of this name", MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)) == MPI_ERR_PORT);
  /* Every member learns of the root's error. */
  CHECK(class_of(MPI_Comm_connect("no port of this name", MPI_INFO_NULL, size - 1, MPI_COMM_WORLD, &inter)) ==
        MPI_ERR_PORT);
  CHECK(inter == MPI_COMM_NULL);
  /* Nobody accepts. The key is MPICH's. */
  MPI_Info_create(&info);
  MPI_Info_set(info, "timeout", "1");
  CALL(MPI_Open_port(MPI_INFO_NULL, port));
  CHECK(class_of(MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &inter)) == MPI_ERR_PORT);
  CALL(MPI_Close_port(port));
  CHECK(class_of(MPI_Close_port(port)) == MPI_ERR_PORT);
  MPI_Info_free(&info);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int turn = 0; size > 1 && turn < 20; ++turn) connect_halves(turn);
  serve();
  errors();
  return finish();
}
