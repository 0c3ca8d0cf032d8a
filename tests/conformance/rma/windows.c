/* MPI 5.0 section 12.2: windows of all kinds, their attributes, names, info and parts; on any number of ranks.
   openmpi: version 4.1 cannot be asked for the parts of windows that are not shared ones, which MPI 4.1 allows */
#include <string.h>

#include "../check.h"

static int rank, size;

static void check_attributes(MPI_Win win, void* base, MPI_Aint bytes, int unit, int flavor)
{
  void* value;
  int flag;
  CALL(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag));
  CHECK(flag && value == base);
  CALL(MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag));
  CHECK(flag && *(MPI_Aint*)value == bytes);
  CALL(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag));
  CHECK(flag && *(int*)value == unit);
  CALL(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
  CHECK(flag && *(int*)value == flavor);
  CALL(MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag));
  CHECK(flag && (*(int*)value == MPI_WIN_UNIFIED || *(int*)value == MPI_WIN_SEPARATE));
}

static void check_group(MPI_Win win)
{
  MPI_Group world, group;
  int result;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  CALL(MPI_Win_get_group(win, &group));
  MPI_Group_compare(world, group, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_free(&world);
  MPI_Group_free(&group);
}

static void check_name(MPI_Win win)
{
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  CALL(MPI_Win_get_name(win, name, &length));
  CHECK(length == 0);
  CALL(MPI_Win_set_name(win, "temperatures"));
  CALL(MPI_Win_get_name(win, name, &length));
  CHECK(strcmp(name, "temperatures") == 0 && length == 12);
}

static int deleted;
static int delete_value(MPI_Win win, int key, void* value, void* extra)
{
  (void)win, (void)key;
  CHECK(extra == &deleted);
  deleted += *(int*)value;
  return MPI_SUCCESS;
}

static void check_own_attributes(void)
{
  int key, flag, values[2] = {1, 20}, memory = 0;
  void* value;
  MPI_Win win;
  CALL(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  CALL(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_value, &key, &deleted));
  CALL(MPI_Win_get_attr(win, key, &value, &flag));
  CHECK(!flag);
  CALL(MPI_Win_set_attr(win, key, &values[0]));
  CALL(MPI_Win_get_attr(win, key, &value, &flag));
  CHECK(flag && value == &values[0]);
  CALL(MPI_Win_delete_attr(win, key));
  CHECK(deleted == 1);
  CALL(MPI_Win_set_attr(win, key, &values[1]));
  CALL(MPI_Win_free_keyval(&key));
  CHECK(key == MPI_KEYVAL_INVALID);
  CALL(MPI_Win_free(&win));
  CHECK(deleted == 21 && win == MPI_WIN_NULL);
}

static void check_shared(int contiguous)
{
  MPI_Comm node;
  MPI_Info info;
  MPI_Win win;
  int me, n, unit, *mine, *other;
  MPI_Aint bytes;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &me);
  MPI_Comm_size(node, &n);
  MPI_Info_create(&info);
  if (!contiguous) MPI_Info_set(info, "alloc_shared_noncontig", "true");
  /* The first one has nothing, the others one more than the one before. */
  CALL(MPI_Win_allocate_shared((MPI_Aint)(me * sizeof(int)), sizeof(int), info, node, &mine, &win));
  MPI_Info_free(&info);
  CALL(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
  for (int i = 0; i < me; ++i) mine[i] = 100 * me + i;
  CALL(MPI_Win_sync(win));
  MPI_Barrier(node);
  CALL(MPI_Win_sync(win));
  int* end = NULL;
  for (int r = 1; r < n; ++r) {
    CALL(MPI_Win_shared_query(win, r, &bytes, &unit, &other));
    CHECK(bytes == (MPI_Aint)(r * sizeof(int)) && unit == sizeof(int));
    for (int i = 0; i < r; ++i) CHECK(other[i] == 100 * r + i);
    if (r == me) CHECK(other == mine);
    if (contiguous && end) CHECK(other == end);
    end = other + r;
  }
  if (n > 1) {
    /* MPI_PROC_NULL asks for the first part that is not empty. */
    CALL(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &other));
    CHECK(bytes == sizeof(int) && other[0] == 100);
  }
  CALL(MPI_Win_unlock_all(win));
  check_attributes(win, mine, (MPI_Aint)(me * sizeof(int)), sizeof(int), MPI_WIN_FLAVOR_SHARED);
  CALL(MPI_Win_free(&win));
  MPI_Comm_free(&node);
}

/* Any window's parts may be asked for (MPI 4.1); here they are all in reach. */
static void check_query(MPI_Win win, void* base, MPI_Aint bytes)
{
#if MPI_VERSION >= 4 && (MPI_VERSION > 4 || MPI_SUBVERSION >= 1)
  MPI_Aint found;
  int unit;
  void* address;
  CALL(MPI_Win_shared_query(win, rank, &found, &unit, &address));
  CHECK(found == 0 || (found == bytes && address == base));
#else
  (void)win, (void)base, (void)bytes;
#endif
}

/* What comes through one window is no store by the program to another one over the same memory. */
static void check_same_memory(void)
{
  int memory[4] = {0}, value = 7;
  MPI_Win words, bytes;
  CALL(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &words));
  CALL(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &bytes));
  CALL(MPI_Win_fence(MPI_MODE_NOPRECEDE, words));
  CALL(MPI_Win_fence(MPI_MODE_NOSUCCEED, words));
  CALL(MPI_Win_fence(MPI_MODE_NOPRECEDE, bytes));
  CALL(MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, sizeof(int), 1, MPI_INT, bytes));
  CALL(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, bytes));
  CALL(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPRECEDE, words));
  CALL(MPI_Accumulate(&value, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, MPI_SUM, words));
  CALL(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, words));
  CHECK(memory[0] == 0 && memory[1] == 14 && memory[2] == 0);
  CALL(MPI_Win_free(&words));
  CALL(MPI_Win_free(&bytes));
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double memory[7];
  double* allocated;
  MPI_Win win;

  CALL(MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  check_attributes(win, memory, sizeof memory, sizeof(double), MPI_WIN_FLAVOR_CREATE);
  check_group(win);
  check_name(win);
  check_query(win, memory, sizeof memory);
  CALL(MPI_Win_free(&win));

  /* Sizes and units differ from rank to rank; some have no part at all. */
  CALL(MPI_Win_create(rank % 2 ? NULL : memory, rank % 2 ? 0 : 8 * (1 + rank % 3), 1 + rank, MPI_INFO_NULL,
                      MPI_COMM_WORLD, &win));
  if (rank % 2 == 0) check_attributes(win, memory, 8 * (1 + rank % 3), 1 + rank, MPI_WIN_FLAVOR_CREATE);
  CALL(MPI_Win_free(&win));

  CALL(MPI_Win_allocate(80, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &win));
  for (int i = 0; i < 10; ++i) allocated[i] = i;
  check_attributes(win, allocated, 80, 8, MPI_WIN_FLAVOR_ALLOCATE);
  check_query(win, allocated, 80);
  CALL(MPI_Win_free(&win));

  CALL(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  check_attributes(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
  CALL(MPI_Win_free(&win));

  check_own_attributes();
  check_same_memory();
  check_shared(1);
  check_shared(0);

  /* Hints come back; what they are not does not. */
  MPI_Info info, used;
  char value[64];
  int flag;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  CALL(MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &allocated, &win));
  MPI_Info_free(&info);
  CALL(MPI_Win_get_info(win, &used));
  MPI_Info_get(used, "no_locks", sizeof value - 1, value, &flag);
  CHECK(flag && strcmp(value, "true") == 0);
  MPI_Info_free(&used);
  CALL(MPI_Win_free(&win));
  return finish();
}
