/* Operations, loads and stores between fences (MPI 5.0 §12.5.1, §12.7). */
#include "cases.h"

static void start(void)
{
  open_window();
  MPI_Win_fence(0, win);
}

static void end(void)
{
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
}

static void put_and_store_wrong(void)
{
  const int value = 1;
  start();
  turn();
  if (rank == 0)
    MPI_Put(&value, 1, MPI_INT, 1, 3, 1, MPI_INT, win); /* X */
  else
    mem[3] = 2; /* X */
  done();
  end();
}

static void put_and_store_right(void)
{
  const int value = 1;
  start();
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 3, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  if (rank == 1) mem[3] = 2;
  end();
}

static void put_and_load_wrong(void)
{
  const int value = 1;
  start();
  turn();
  if (rank == 0)
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
  else
    sink = mem[0]; /* X */
  done();
  end();
}

static void put_and_load_right(void)
{
  const int value = 1;
  start();
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  if (rank == 1) load(mem);
  end();
}

static void get_and_store_wrong(void)
{
  int value = 0;
  start();
  turn();
  if (rank == 0)
    MPI_Get(&value, 1, MPI_INT, 1, 5, 1, MPI_INT, win); /* X */
  else
    mem[5] = 2; /* X */
  done();
  end();
}

static void get_and_store_right(void)
{
  int value = 0;
  start();
  if (rank == 0)
    MPI_Get(&value, 1, MPI_INT, 1, 5, 1, MPI_INT, win);
  else
    load(mem + 5);
  MPI_Win_fence(0, win);
  mem[5] = 2;
  end();
}

static void put_and_put_wrong(void)
{
  const int value = rank;
  start();
  turn();
  MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win); /* X */
  done();
  end();
}

static void put_and_put_right(void)
{
  const int value = rank;
  start();
  MPI_Put(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
  end();
}

static void put_and_get_wrong(void)
{
  int value = 1;
  start();
  turn();
  if (rank == 0)
    MPI_Put(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, win); /* X */
  else
    MPI_Get(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, win); /* X */
  done();
  end();
}

static void put_and_get_right(void)
{
  int value = 1;
  start();
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  if (rank == 1) MPI_Get(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
  end();
}

static void accumulate_and_put_wrong(void)
{
  const int value = 1;
  start();
  turn();
  if (rank == 0)
    MPI_Accumulate(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win); /* X */
  else
    MPI_Put(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, win); /* X */
  done();
  end();
}

static void accumulate_and_accumulate_right(void)
{
  const int value = 1;
  start();
  MPI_Accumulate(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win);
  end();
}

static void accumulate_and_store_wrong(void)
{
  const int value = 1;
  start();
  turn();
  if (rank == 0)
    MPI_Accumulate(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win); /* X */
  else
    mem[2] = 5; /* X */
  done();
  end();
}

static void accumulate_and_store_right(void)
{
  const int value = 1;
  start();
  if (rank == 0)
    MPI_Accumulate(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win);
  else
    mem[3] = 5;
  end();
}

static void accumulate_and_get_wrong(void)
{
  int value = 1;
  start();
  turn();
  if (rank == 0)
    MPI_Accumulate(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win); /* X */
  else
    MPI_Get(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, win); /* X */
  done();
  end();
}

static void accumulate_and_fetch_right(void)
{
  int value = 1, result;
  start();
  if (rank == 0)
    MPI_Accumulate(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win);
  else
    MPI_Get_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_NO_OP, win);
  end();
}

static void result_of_get_wrong(void)
{
  int value = 0;
  start();
  if (rank == 0) {
    MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    sink = value;                                       /* X */
  }
  end();
}

static void result_of_get_right(void)
{
  int value = 0;
  start();
  if (rank == 0) MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  if (rank == 0) load(&value);
  end();
}

static void origin_of_put_wrong(void)
{
  int values[2] = {1, 2};
  start();
  if (rank == 0) {
    MPI_Put(values, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* X */
    values[1] = 7;                                      /* X */
  }
  end();
}

static void origin_of_put_right(void)
{
  int values[2] = {1, 2};
  start();
  if (rank == 0) {
    MPI_Put(values, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
    load(values + 1);
  }
  MPI_Win_fence(0, win);
  if (rank == 0) values[1] = 7;
  end();
}

static void vector_wrong(void)
{
  const int values[4] = {1, 2, 3, 4};
  MPI_Datatype every_second;
  MPI_Type_vector(4, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  start();
  turn();
  if (rank == 0)
    MPI_Put(values, 4, MPI_INT, 1, 0, 1, every_second, win); /* X */
  else
    mem[4] = 1; /* X */
  done();
  end();
  MPI_Type_free(&every_second);
}

static void vector_right(void)
{
  const int values[4] = {1, 2, 3, 4};
  MPI_Datatype every_second;
  MPI_Type_vector(4, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  start();
  if (rank == 0)
    MPI_Put(values, 4, MPI_INT, 1, 0, 1, every_second, win);
  else
    mem[5] = 1;
  end();
  MPI_Type_free(&every_second);
}

/* A fence with MPI_MODE_NOPRECEDE is no barrier, but operations come after their target's (§12.5.5). */
static void unwaited_fence_wrong(void)
{
  open_shared();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  turn();
  if (rank == 0) *word = 1; /* X */
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  if (rank == 1) sink = *word; /* X */
  done();
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
}

static void unwaited_fence_right(void)
{
  const int value = 1;
  open_window();
  mem[0] = 5;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  end();
}

/* No fence is left out because of these. */
static void assertions_right(void)
{
  const int value = 1;
  start();
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win);
  if (rank == 1) mem[0] = 2;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 0) load(mem);
  MPI_Win_free(&win);
}

static const struct test_case cases[] = {
    {"put_and_store_wrong", "wrong", "12.7", put_and_store_wrong},
    {"put_and_store_right", "right", "12.5.1", put_and_store_right},
    {"put_and_load_wrong", "wrong", "12.7", put_and_load_wrong},
    {"put_and_load_right", "right", "12.5.1", put_and_load_right},
    {"get_and_store_wrong", "wrong", "12.7", get_and_store_wrong},
    {"get_and_store_right", "right", "12.5.1", get_and_store_right},
    {"put_and_put_wrong", "wrong", "12.7", put_and_put_wrong},
    {"put_and_put_right", "right", "12.7", put_and_put_right},
    {"put_and_get_wrong", "wrong", "12.7", put_and_get_wrong},
    {"put_and_get_right", "right", "12.5.1", put_and_get_right},
    {"accumulate_and_put_wrong", "wrong", "12.7", accumulate_and_put_wrong},
    {"accumulate_and_accumulate_right", "right", "12.7.1", accumulate_and_accumulate_right},
    {"accumulate_and_store_wrong", "wrong", "12.7", accumulate_and_store_wrong},
    {"accumulate_and_store_right", "right", "12.7", accumulate_and_store_right},
    {"accumulate_and_get_wrong", "wrong", "12.7", accumulate_and_get_wrong},
    {"accumulate_and_fetch_right", "right", "12.7.1", accumulate_and_fetch_right},
    {"result_of_get_wrong", "wrong", "12.3", result_of_get_wrong},
    {"result_of_get_right", "right", "12.5.1", result_of_get_right},
    {"origin_of_put_wrong", "wrong", "12.3", origin_of_put_wrong},
    {"origin_of_put_right", "right", "12.5.1", origin_of_put_right},
    {"vector_wrong", "wrong", "12.7", vector_wrong},
    {"vector_right", "right", "12.7", vector_right},
    {"unwaited_fence_wrong", "wrong", "12.5.5", unwaited_fence_wrong},
    {"unwaited_fence_right", "right", "12.5.5", unwaited_fence_right},
    {"assertions_right", "right", "12.5.5", assertions_right},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
