/* MPI 5.0 section 11.8: programs that start programs, here itself. A child's first argument says what it
 * does. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

static int rank, size;
static char* self;
static char directory[PATH_MAX];

/* What all of both sides do: they find each other, compute together and part. */
static void meet(MPI_Comm inter, int is_child)
{
  int flag = 0, mine = 0, theirs = 0;
  CALL(MPI_Comm_test_inter(inter, &flag));
  CHECK(flag);
  CALL(MPI_Comm_size(inter, &mine));
  CALL(MPI_Comm_remote_size(inter, &theirs));
  int number;
  CALL(MPI_Comm_rank(inter, &number));

  /* Point to point, both ways at once. */
  MPI_Request requests[2];
  int sent = 1000 * is_child + number, got = -1;
  const int peer = number < theirs ? number : MPI_PROC_NULL;
  CALL(MPI_Irecv(&got, 1, MPI_INT, peer, 3, inter, &requests[0]));
  CALL(MPI_Isend(&sent, 1, MPI_INT, peer, 3, inter, &requests[1]));
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK(peer == MPI_PROC_NULL || got == 1000 * !is_child + number);

  int sum = -1;
  CALL(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, inter));
  CHECK(sum == theirs * (theirs - 1) / 2);

  /* One communicator of both, a window and a split of it. */
  MPI_Comm all, half;
  CALL(MPI_Intercomm_merge(inter, is_child, &all));
  int me, n;
  CALL(MPI_Comm_rank(all, &me));
  CALL(MPI_Comm_size(all, &n));
  CHECK(n == mine + theirs);
  CHECK(me == (is_child ? theirs + number : number));
  int *memory, value = -1;
  MPI_Win window;
  CALL(MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, all, &memory, &window));
  *memory = -2;
  CALL(MPI_Win_fence(0, window));
  CALL(MPI_Put(&me, 1, MPI_INT, (me + 1) % n, 0, 1, MPI_INT, window));
  CALL(MPI_Win_fence(0, window));
  CHECK(*memory == (me + n - 1) % n);
  CALL(MPI_Get(&value, 1, MPI_INT, n - 1 - me, 0, 1, MPI_INT, window));
  CALL(MPI_Win_fence(0, window));
  CHECK(value == (n - 1 - me + n - 1) % n);
  CALL(MPI_Win_free(&window));
  CALL(MPI_Comm_split(all, me % 2, -me, &half));
  int last = -1, half_size, half_rank;
  CALL(MPI_Comm_size(half, &half_size));
  CALL(MPI_Comm_rank(half, &half_rank));
  CHECK(half_size == (n + 1 - me % 2) / 2);
  CHECK(half_rank == half_size - 1 - me / 2);
  last = me;
  CALL(MPI_Bcast(&last, 1, MPI_INT, half_size - 1, half));
  CHECK(last == me % 2);
  CALL(MPI_Comm_free(&half));
  CALL(MPI_Comm_free(&all));
}

/* Whether all children have found everything right; both sides call it. */
static void agree(MPI_Comm inter, int is_child)
{
  int any = 0;
  CALL(MPI_Allreduce(&check_failures, &any, 1, MPI_INT, MPI_MAX, inter));
  if (!is_child) CHECK(any == 0);
}

static int child(int argc, char** argv, MPI_Comm parent)
{
  const char* what = argc > 1 ? argv[1] : "";
  MPI_Comm again;
  CALL(MPI_Comm_get_parent(&again));
  CHECK(again == parent);
  char name[MPI_MAX_OBJECT_NAME];
  int length, *number, flag;
  CALL(MPI_Comm_get_name(parent, name, &length));
  CHECK(strcmp(name, "MPI_COMM_PARENT") == 0);
  CALL(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag));
  CHECK(flag && *number == (strcmp(what, "second") == 0));
  CALL(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &number, &flag));
  CHECK(!flag || *number >= size);

  if (strcmp(what, "arguments") == 0) {
    CHECK(argc == 4);
    CHECK(argc == 4 && strcmp(argv[2], "two words") == 0 && strcmp(argv[3], "") == 0);
  } else if (strcmp(what, "wdir") == 0) {
    char here[PATH_MAX];
    CHECK(getcwd(here, sizeof here) && strcmp(here, "/") == 0);
  } else if (strcmp(what, "handler") == 0) {
    /* Its errors return: mpi_initial_errhandler. */
    int nothing;
    CHECK(class_of(MPI_Comm_rank(MPI_COMM_NULL, &nothing)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Send(&nothing, 1, MPI_INT, 100, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Send(&nothing, 1, MPI_INT, 100, 0, parent)) == MPI_ERR_RANK);
  } else if (strcmp(what, "grandchildren") == 0) {
    MPI_Comm inter;
    char* arguments[] = {"first", NULL};
    CALL(MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, size - 1, MPI_COMM_WORLD, &inter,
                        MPI_ERRCODES_IGNORE));
    meet(inter, 0);
    agree(inter, 0);
    CALL(MPI_Comm_disconnect(&inter));
  }
  meet(parent, 1);
  agree(parent, 1);
  CALL(MPI_Comm_disconnect(&parent));
  CALL(MPI_Comm_get_parent(&again));
  CHECK(again == MPI_COMM_NULL);
  MPI_Finalize();
  return check_failures != 0;
}

/* Spawns that many and does the rest with them. */
static void spawn(const char* command, char** arguments, int wanted, MPI_Info info, int root, int started)
{
  MPI_Comm inter = MPI_COMM_NULL;
  int codes[8];
  for (int i = 0; i < 8; ++i) codes[i] = -1;
  /* Elsewhere these are not looked at. */
  const int significant = rank == root;
  CALL(MPI_Comm_spawn(significant ? command : NULL, significant ? arguments : NULL, significant ? wanted : -5,
                      significant ? info : MPI_INFO_NULL, root, MPI_COMM_WORLD, &inter, codes));
  for (int i = 0; i < 8; ++i)
    CHECK(i < started  ? codes[i] == MPI_SUCCESS
          : i < wanted ? codes[i] != MPI_SUCCESS && codes[i] != -1
                       : codes[i] == -1);
  int n;
  CALL(MPI_Comm_remote_size(inter, &n));
  CHECK(n == started);
  meet(inter, 0);
  agree(inter, 0);
  CALL(MPI_Comm_disconnect(&inter));
}

static MPI_Info info_with(const char* key, const char* value)
{
  MPI_Info info;
  CALL(MPI_Info_create(&info));
  CALL(MPI_Info_set(info, key, value));
  CALL(MPI_Info_set(info, "a key of nobody", "is ignored"));
  return info;
}

static void keys(void)
{
  MPI_Info info = info_with("wdir", "/");
  char* wdir[] = {"wdir", NULL};
  spawn(self, wdir, 1, info, 0, 1);
  MPI_Info_free(&info);

  info = info_with("path", directory);
  spawn(strrchr(self, '/') + 1, NULL, 2, info, size - 1, 2);
  MPI_Info_free(&info);

  info = info_with("mpi_initial_errhandler", "mpi_errors_return");
  char* handler[] = {"handler", NULL};
  spawn(self, handler, 2, info, 0, 2);
  MPI_Info_free(&info);
}

static void several(void)
{
  char* commands[] = {self, self};
  char *first[] = {"first", NULL}, *second[] = {"second", NULL};
  char** arguments[] = {first, second};
  int counts[] = {1, 3}, codes[4] = {-1, -1, -1, -1};
  MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm inter;
  const int root = size / 2, significant = rank == root;
  CALL(MPI_Comm_spawn_multiple(significant ? 2 : -1, significant ? commands : NULL,
                               significant ? arguments : NULL, significant ? counts : NULL,
                               significant ? infos : NULL, root, MPI_COMM_WORLD, &inter, codes));
  for (int i = 0; i < 4; ++i) CHECK(codes[i] == MPI_SUCCESS);
  meet(inter, 0);
  agree(inter, 0);
  CALL(MPI_Comm_free(&inter));
}

static void errors(void)
{
  MPI_Comm inter = MPI_COMM_NULL;
  int codes[2] = {-1, -1};
  CHECK(class_of(MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                &inter, codes)) == MPI_ERR_SPAWN);
  CHECK(class_of(codes[0]) == MPI_ERR_SPAWN && class_of(codes[1]) == MPI_ERR_SPAWN);
  /* The one who asked goes on, and may ask again. */
  spawn(self, NULL, 1, MPI_INFO_NULL, 0, 1);
}

/* Files move on although other worlds have come and gone. */
static void write_file(void)
{
  enum { bytes = 1 << 20 };
  static char out[2][bytes], in[bytes];
  char name[PATH_MAX];
  MPI_File file;
  MPI_Request requests[2];
  snprintf(name, sizeof name, "%s/spawn_%d_%d_%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
           (int)getpid(), size, rank);
  for (int i = 0; i < 2; ++i) memset(out[i], 'a' + rank + i, bytes);
  CALL(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &file));
  CALL(MPI_File_iwrite_at(file, 0, out[0], bytes, MPI_CHAR, &requests[0]));
  CALL(MPI_File_iwrite_at_all(file, bytes, out[1], bytes, MPI_CHAR, &requests[1]));
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < 2; ++i) {
    CALL(MPI_File_read_at(file, (MPI_Offset)i * bytes, in, bytes, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK(memcmp(in, out[i], bytes) == 0);
  }
  CALL(MPI_File_close(&file));
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  self = realpath("/proc/self/exe", NULL);
  strcpy(directory, self);
  *strrchr(directory, '/') = '\0';
  MPI_Comm parent;
  CALL(MPI_Comm_get_parent(&parent));
  if (parent != MPI_COMM_NULL) return child(argc, argv, parent);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  char* arguments[] = {"arguments", "two words", "", NULL};
  spawn(self, arguments, 3, MPI_INFO_NULL, 0, 3);
  char* grandchildren[] = {"grandchildren", NULL};
  spawn(self, grandchildren, 2, MPI_INFO_NULL, size - 1, 2);
  keys();
  several();
  errors();
  /* Many one after the other, each rank for itself. */
  for (int i = 0; i < 5; ++i) {
    MPI_Comm inter;
    CALL(
        MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
    meet(inter, 0);
    agree(inter, 0);
    CALL(MPI_Comm_disconnect(&inter));
  }
  write_file();
  free(self);
  return finish();
}
