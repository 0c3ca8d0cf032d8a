/* Post, start, complete and wait (MPI 5.0 §12.5.2): rank 0 is the origin, rank 1 the target. */
#include "cases.h"

static MPI_Group peer;

static void open_epoch(void)
{
  if (rank == 0)
    MPI_Win_start(peer, 0, win);
  else
    MPI_Win_post(peer, 0, win);
}

static void close_epoch(void)
{
  if (rank == 0)
    MPI_Win_complete(win);
  else
    MPI_Win_wait(win);
}

static void start(void)
{
  open_window();
  peer = group_of_other();
}

static void end(void)
{
  MPI_Group_free(&peer);
  MPI_Win_free(&win);
}

static void store_in_exposure_wrong(void)
{
  const int value = 1;
  start();
  open_epoch();
  turn();
  if (rank == 0)
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
  else
    mem[0] = 2; /* X */
  done();
  close_epoch();
  end();
}

static void store_before_exposure_right(void)
{
  const int value = 1;
  start();
  if (rank == 1) mem[0] = 2;
  open_epoch();
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  close_epoch();
  end();
}

static void load_in_exposure_wrong(void)
{
  const int value = 1;
  start();
  open_epoch();
  turn();
  if (rank == 0)
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
  else
    sink = mem[0]; /* X */
  done();
  close_epoch();
  end();
}

static void load_after_wait_right(void)
{
  const int value = 1;
  start();
  open_epoch();
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  close_epoch();
  if (rank == 1) load(mem);
  end();
}

static void load_after_test_right(void)
{
  const int value = 1;
  int flag = 0;
  start();
  open_epoch();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
  } else {
    while (!flag) MPI_Win_test(win, &flag);
    load(mem);
  }
  end();
}

static void get_and_store_wrong(void)
{
  int value;
  start();
  open_epoch();
  turn();
  if (rank == 0)
    MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
  else
    mem[0] = 1; /* X */
  done();
  close_epoch();
  end();
}

static void get_and_store_right(void)
{
  int value;
  start();
  open_epoch();
  if (rank == 0) MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  close_epoch();
  if (rank == 1) mem[0] = 1;
  end();
}

static void origin_before_complete_wrong(void)
{
  int value = 1;
  start();
  open_epoch();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    value = 2;                                          /* X */
  }
  close_epoch();
  end();
}

static void origin_after_complete_right(void)
{
  int value = 1;
  start();
  open_epoch();
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  close_epoch();
  value = 2;
  load(&value);
  end();
}

static void result_before_complete_wrong(void)
{
  int value = 1;
  start();
  open_epoch();
  if (rank == 0) {
    MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    sink = value;                                       /* X */
  }
  close_epoch();
  end();
}

static void result_after_complete_right(void)
{
  int value = 1;
  start();
  open_epoch();
  if (rank == 0) MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  close_epoch();
  load(&value);
  end();
}

/* MPI_Win_complete completes at the origin only: a message does not tell the target that the data is there.
 */
static void message_after_complete_wrong(void)
{
  const int value = 1;
  start();
  open_epoch();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* X */
    MPI_Win_complete(win);
    send_word();
  } else {
    receive_word();
    sink = mem[0]; /* X */
    MPI_Win_wait(win);
  }
  end();
}

static void message_after_complete_right(void)
{
  const int value = 1;
  start();
  open_epoch();
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    send_word();
  } else {
    receive_word();
    MPI_Win_wait(win);
    load(mem);
  }
  end();
}

/* MPI_MODE_NOCHECK at the start: the order comes from elsewhere, or from nowhere. */
static void nocheck_right(void)
{
  const int value = 1;
  start();
  if (rank == 1) {
    mem[0] = 2;
    MPI_Win_post(peer, MPI_MODE_NOCHECK, win);
    send_word();
  } else {
    receive_word();
    MPI_Win_start(peer, MPI_MODE_NOCHECK, win);
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  }
  close_epoch();
  end();
}

static void two_epochs_right(void)
{
  int value = 1, i;
  start();
  for (i = 0; i < 3; ++i) {
    open_epoch();
    if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    close_epoch();
    if (rank == 1) mem[0] += 1;
    value += 1;
  }
  end();
}

static const struct test_case cases[] = {
    {"store_in_exposure_wrong", "wrong", "12.7", store_in_exposure_wrong},
    {"store_before_exposure_right", "right", "12.5.2", store_before_exposure_right},
    {"load_in_exposure_wrong", "wrong", "12.7", load_in_exposure_wrong},
    {"load_after_wait_right", "right", "12.5.2", load_after_wait_right},
    {"load_after_test_right", "right", "12.5.2", load_after_test_right},
    {"get_and_store_wrong", "wrong", "12.7", get_and_store_wrong},
    {"get_and_store_right", "right", "12.5.2", get_and_store_right},
    {"origin_before_complete_wrong", "wrong", "12.3", origin_before_complete_wrong},
    {"origin_after_complete_right", "right", "12.5.2", origin_after_complete_right},
    {"result_before_complete_wrong", "wrong", "12.3", result_before_complete_wrong},
    {"result_after_complete_right", "right", "12.5.2", result_after_complete_right},
    {"message_after_complete_wrong", "wrong", "12.5.2", message_after_complete_wrong},
    {"message_after_complete_right", "right", "12.5.2", message_after_complete_right},
    {"nocheck_right", "right", "12.5.5", nocheck_right},
    {"two_epochs_right", "right", "12.5.2", two_epochs_right},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
