/* MPI 5.0 section 12.5 and 12.6: calls that do not fit the epochs that are open are errors of the window, which its
   error handler gets; on any number of ranks.
   mpich: version 4.0 checks epochs only if built to
   openmpi: version 4.1 checks few of these */
#include "../check.h"

static int rank, size, *memory, handled;
static MPI_Win win;

static void handler(MPI_Win* which, int* code, ...)
{
  if (*which == win && class_of(*code) == MPI_ERR_RMA_SYNC) ++handled;
}

#define REFUSED(call, error) CHECK(class_of(call) == (error))

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int value = 1, two[2] = {1, 1}, swapped = 0, flag;
  MPI_Request request;
  MPI_Group world;
  MPI_Errhandler errhandler;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Win_allocate(10 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);

  /* The default handler is the fatal one. */
  CALL(MPI_Win_get_errhandler(win, &errhandler));
  CHECK(errhandler == MPI_ERRORS_ARE_FATAL);
  CALL(MPI_Win_create_errhandler(handler, &errhandler));
  CALL(MPI_Win_set_errhandler(win, errhandler));
  MPI_Errhandler_free(&errhandler);
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  CHECK(handled == 1);
  CALL(MPI_Win_call_errhandler(win, MPI_ERR_RMA_SYNC));
  CHECK(handled == 2);
  CALL(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));

  /* No epoch is open. */
  REFUSED(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_flush_local(0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_sync(win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);

  /* A lock is held. */
  CALL(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_start(world, 0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
  if (size > 1) REFUSED(MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  /* The data must lie in the window. */
  REFUSED(MPI_Put(&value, 1, MPI_INT, 0, 10, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
  REFUSED(MPI_Put(&value, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
  REFUSED(MPI_Get(&value, 1, MPI_INT, 0, (MPI_Aint)1 << 62, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
  REFUSED(MPI_Put(two, 2, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_TRUNCATE);
  REFUSED(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
  REFUSED(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
  REFUSED(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP);
  REFUSED(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_FLOAT, MPI_SUM, win), MPI_ERR_TYPE);
  REFUSED(MPI_Accumulate(&value, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win), MPI_ERR_OP);
  REFUSED(MPI_Compare_and_swap(&value, &value, &swapped, MPI_FLOAT, 0, 0, win), MPI_ERR_TYPE);
  CALL(MPI_Win_unlock(0, win));
  REFUSED(MPI_Win_lock(4711, 0, 0, win), MPI_ERR_LOCKTYPE);
  REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
  REFUSED(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);

  /* A lock that the program need not take opens an epoch all the same. */
  const int types[] = {MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE};
  for (int i = 0; i < 6; ++i) {
    CALL(MPI_Win_lock(types[i % 2], rank, MPI_MODE_NOCHECK, win));
    REFUSED(MPI_Win_lock(types[i / 2 % 2], rank, MPI_MODE_NOCHECK, win), MPI_ERR_RMA_SYNC);
    CALL(MPI_Put(&i, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    CALL(MPI_Win_unlock(rank, win));
    CHECK(memory[0] == i);
    REFUSED(MPI_Win_unlock(rank, win), MPI_ERR_RMA_SYNC);
    REFUSED(MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  }

  /* Everything is locked. */
  CALL(MPI_Win_lock_all(0, win));
  REFUSED(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
  CALL(MPI_Win_unlock_all(win));
  MPI_Barrier(MPI_COMM_WORLD);

  /* Between post and wait, start and complete. */
  CALL(MPI_Win_post(world, 0, win));
  REFUSED(MPI_Win_post(world, 0, win), MPI_ERR_RMA_SYNC);
  CALL(MPI_Win_start(world, 0, win));
  REFUSED(MPI_Win_start(world, 0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
  /* Requests are for passive epochs (section 12.3.5). */
  REFUSED(MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC);
  CALL(MPI_Win_complete(win));
  for (flag = 0; !flag;) CALL(MPI_Win_test(win, &flag));

  /* The epoch of a fence binds once an operation has used it. */
  CALL(MPI_Win_fence(0, win));
  CALL(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  CALL(MPI_Win_unlock(0, win));
  CALL(MPI_Win_fence(0, win));
  CALL(MPI_Put(&value, 1, MPI_INT, 0, rank < 10 ? rank : 0, 1, MPI_INT, win));
  REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
  REFUSED(MPI_Win_fence(MPI_MODE_NOPRECEDE, win), MPI_ERR_ASSERT);
  CALL(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  REFUSED(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  CALL(MPI_Win_free(&win));

  /* What is wrong with one member's part is told to all. */
  MPI_Win none = MPI_WIN_NULL;
  REFUSED(MPI_Win_create(memory, 0, rank == size - 1 ? 0 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &none), MPI_ERR_DISP);
  CHECK(none == MPI_WIN_NULL);
  MPI_Group_free(&world);
  return finish();
}
