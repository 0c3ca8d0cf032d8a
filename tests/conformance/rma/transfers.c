/* MPI 5.0 sections 12.3.1 to 12.3.5: puts and gets of basic and derived types in every kind of epoch; on any number of
   ranks.
   mpich: version 4.0 loses a put to oneself in a window over MPI_COMM_SELF
   openmpi: version 4.1 makes no window over MPI_COMM_SELF */
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { cells = 64 };
static int rank, size, *memory;
static MPI_Win win;
static MPI_Group everybody;

typedef enum { fence, pscw, lock, lock_all, kinds } Epoch;

static void begin(Epoch epoch, int target)
{
  if (epoch == fence) CALL(MPI_Win_fence(0, win));
  if (epoch == pscw) {
    CALL(MPI_Win_post(everybody, 0, win));
    CALL(MPI_Win_start(everybody, 0, win));
  }
  if (epoch == lock) CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
  if (epoch == lock_all) CALL(MPI_Win_lock_all(0, win));
}

static void end(Epoch epoch, int target)
{
  if (epoch == fence) CALL(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  if (epoch == pscw) {
    CALL(MPI_Win_complete(win));
    CALL(MPI_Win_wait(win));
  }
  if (epoch == lock) CALL(MPI_Win_unlock(target, win));
  if (epoch == lock_all) CALL(MPI_Win_unlock_all(win));
  MPI_Barrier(MPI_COMM_WORLD);
}

static void clear(void)
{
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (int i = 0; i < cells; ++i) memory[i] = -1 - i;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
}

static int at(int cell)
{
  int value;
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  value = memory[cell];
  MPI_Win_unlock(rank, win);
  return value;
}

static void puts_and_gets(Epoch epoch)
{
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int three[3] = {rank, rank + 100, rank + 200}, got[3] = {0, 0, 0};
  clear();
  begin(epoch, right);
  CALL(MPI_Put(three, 3, MPI_INT, right, 5, 3, MPI_INT, win));
  CALL(MPI_Put(three, 1, MPI_INT, MPI_PROC_NULL, 5, 1, MPI_INT, win));
  CALL(MPI_Put(three, 0, MPI_INT, right, 0, 0, MPI_INT, win));
  end(epoch, right);
  CHECK(at(4) == -5 && at(5) == left && at(6) == left + 100 && at(7) == left + 200 && at(8) == -9);
  begin(epoch, right);
  CALL(MPI_Get(got, 3, MPI_INT, right, 5, 3, MPI_INT, win));
  end(epoch, right);
  CHECK(got[0] == rank && got[1] == rank + 100 && got[2] == rank + 200);
}

/* Every second cell at the origin, blocks of two in cells of four at the target, in one pass. */
static void derived(Epoch epoch)
{
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Datatype alternate, pairs;
  int data[12], back[12];
  for (int i = 0; i < 12; ++i) data[i] = 1000 * rank + i, back[i] = -7;
  MPI_Type_vector(6, 1, 2, MPI_INT, &alternate);
  MPI_Type_vector(3, 2, 4, MPI_INT, &pairs);
  MPI_Type_commit(&alternate);
  MPI_Type_commit(&pairs);
  clear();
  begin(epoch, right);
  CALL(MPI_Put(data, 1, alternate, right, 10, 1, pairs, win));
  end(epoch, right);
  for (int i = 0; i < 6; ++i) CHECK(at(10 + i / 2 * 4 + i % 2) == 1000 * left + 2 * i);
  CHECK(at(12) == -13 && at(13) == -14 && at(9) == -10);
  begin(epoch, right);
  CALL(MPI_Get(back, 1, alternate, right, 10, 1, pairs, win));
  end(epoch, right);
  for (int i = 0; i < 12; ++i) CHECK(back[i] == (i % 2 ? -7 : 1000 * rank + i));
  MPI_Type_free(&alternate);
  MPI_Type_free(&pairs);
}

/* In passive epochs with requests, of which any number may be waited for in any way. */
static void with_requests(void)
{
  const int right = (rank + 1) % size;
  int values[8], got[8], flag;
  MPI_Request requests[8];
  clear();
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 8; ++i) {
    values[i] = 10 * rank + i;
    CALL(MPI_Rput(&values[i], 1, MPI_INT, right, 20 + i, 1, MPI_INT, win, &requests[i]));
    CHECK(requests[i] != MPI_REQUEST_NULL);
  }
  CALL(MPI_Waitall(8, requests, MPI_STATUSES_IGNORE));
  CALL(MPI_Win_flush(right, win));
  for (int i = 0; i < 8; ++i) CALL(MPI_Rget(&got[i], 1, MPI_INT, right, 20 + i, 1, MPI_INT, win, &requests[i]));
  for (int i = 0; i < 7; ++i) {
    int index;
    CALL(MPI_Waitany(8, requests, &index, MPI_STATUS_IGNORE));
    CHECK(index >= 0 && index < 8 && requests[index] == MPI_REQUEST_NULL && got[index] == values[index]);
  }
  for (flag = 0; !flag;) CALL(MPI_Testall(8, requests, &flag, MPI_STATUSES_IGNORE));
  CALL(MPI_Raccumulate(&values[1], 1, MPI_INT, right, 30, 1, MPI_INT, MPI_REPLACE, win, &requests[0]));
  CALL(MPI_Rget_accumulate(&values[2], 1, MPI_INT, &got[0], 1, MPI_INT, right, 30, 1, MPI_INT, MPI_SUM, win,
                           &requests[1]));
  CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK(got[0] == values[1]);
  CALL(MPI_Rput(values, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &requests[0]));
  CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  CALL(MPI_Win_flush_local_all(win));
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  const int left = (rank + size - 1) % size;
  CHECK(at(30) == 20 * left + 3);
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_group(MPI_COMM_WORLD, &everybody);
  MPI_Win_allocate(cells * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int epoch = 0; epoch < kinds; ++epoch) {
    puts_and_gets((Epoch)epoch);
    derived((Epoch)epoch);
  }
  with_requests();
  MPI_Win_free(&win);
  MPI_Group_free(&everybody);

  /* The window of one rank is as good as any. */
  int one = 0, two = 2;
  MPI_Win_create(&one, sizeof one, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  CALL(MPI_Put(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  CHECK(one == 2);
  MPI_Win_free(&win);
  return finish();
}
