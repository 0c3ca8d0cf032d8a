/* Right: post, start, complete and wait (MPI 5.0 §12.5.2, §12.5.5, §12.7). */
#include "right.h"

static void start(void)
{
  open_window();
}

static void end(void)
{
  MPI_Win_free(&win);
}

static void post(int origin, int assertion)
{
  MPI_Group group = group_of_one(origin);
  MPI_Win_post(group, assertion, win);
  MPI_Group_free(&group);
}

static void begin(int target, int assertion)
{
  MPI_Group group = group_of_one(target);
  MPI_Win_start(group, assertion, win);
  MPI_Group_free(&group);
}

/* Each is origin and target at once. */
static void ring(void)
{
  start();
  post(previous(), 0);
  begin(next(), 0);
  put(&rank, next(), 0);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  expect(mem[0] == previous());
  end();
}

static void all_to_all(void)
{
  MPI_Group others = group_of_others();
  int i;
  start();
  MPI_Win_post(others, 0, win);
  MPI_Win_start(others, 0, win);
  for (i = 0; i < size; ++i)
    if (i != rank) put(&rank, i, rank);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  for (i = 0; i < size; ++i) expect(mem[i] == (i == rank ? 0 : i));
  MPI_Group_free(&others);
  end();
}

/* A rank may be its own origin. */
static void to_itself(void)
{
  start();
  post(rank, 0);
  begin(rank, 0);
  put(&size, rank, 2);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  expect(mem[2] == size);
  end();
}

/* In the exposure epoch the target uses what no operation touches. */
static void store_beside_put(void)
{
  start();
  post(previous(), 0);
  mem[1] = rank;
  begin(next(), 0);
  put(&rank, next(), 0);
  mem[1] += 1;
  MPI_Win_complete(win);
  load(mem + 1);
  MPI_Win_wait(win);
  expect(mem[0] == previous() && mem[1] == rank + 1);
  end();
}

static void gets_and_loads(void)
{
  MPI_Group others = group_of_others();
  int value = 0;
  start();
  if (rank == 0) {
    mem[0] = 8;
    MPI_Win_post(others, MPI_MODE_NOPUT, win);
    expect(mem[0] == 8);
    MPI_Win_wait(win);
    mem[0] = 9;
  } else {
    begin(0, 0);
    get(&value, 0, 0);
    MPI_Win_complete(win);
    expect(value == 8);
  }
  MPI_Group_free(&others);
  end();
}

static void origins_apart(void)
{
  MPI_Group others = group_of_others();
  int i;
  start();
  if (rank == 0) {
    MPI_Win_post(others, 0, win);
    MPI_Win_wait(win);
    for (i = 1; i < size; ++i) expect(mem[i] == i);
  } else {
    begin(0, 0);
    put(&rank, 0, rank);
    MPI_Win_complete(win);
  }
  MPI_Group_free(&others);
  end();
}

static void origins_accumulate(void)
{
  MPI_Group others = group_of_others();
  const int one = 1;
  start();
  if (rank == 0) {
    mem[0] = 100;
    MPI_Win_post(others, 0, win);
    MPI_Win_wait(win);
    expect(mem[0] == 100 + 2 * (size - 1));
  } else {
    begin(0, 0);
    add(&one, 0, 0);
    add(&one, 0, 0);
    MPI_Win_complete(win);
  }
  MPI_Group_free(&others);
  end();
}

/* MPI_Win_test is MPI_Win_wait when it says so, and then not to be called again. */
static void test_of_several(void)
{
  MPI_Group others = group_of_others();
  int flag = 0;
  start();
  if (rank == 0) {
    MPI_Win_post(others, 0, win);
    while (!flag) {
      MPI_Win_test(win, &flag);
      mem[0] += 1;
    }
    expect(mem[1] == 1 && mem[last()] == last());
    mem[1] = 7;
  } else {
    begin(0, 0);
    put(&rank, 0, rank);
    MPI_Win_complete(win);
  }
  MPI_Group_free(&others);
  end();
}

static void empty_groups(void)
{
  start();
  mem[0] = 1;
  MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
  MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
  mem[0] = 2;
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  expect(mem[0] == 2);
  end();
}

/* One target, exposed to one origin after the other. */
static void successive_origins(void)
{
  int i;
  start();
  if (rank == 0)
    for (i = 1; i < size; ++i) {
      mem[1] = i;
      post(i, 0);
      MPI_Win_wait(win);
    }
  else {
    int value = -1;
    begin(0, 0);
    get(&value, 0, 1);
    MPI_Win_complete(win);
    expect(value == rank);
  }
  barrier();
  if (rank == 0)
    for (i = 1; i < size; ++i) {
      post(i, 0);
      MPI_Win_wait(win);
      expect(mem[0] == 3 * i);
    }
  else {
    const int value = 3 * rank;
    begin(0, 0);
    put(&value, 0, 0);
    MPI_Win_complete(win);
  }
  end();
}

static void there_and_back(void)
{
  int value = 5;
  start();
  if (rank == 0) {
    begin(1, 0);
    put(&value, 1, 0);
    MPI_Win_complete(win);
    post(1, 0);
    MPI_Win_wait(win);
    expect(mem[0] == 6);
  } else if (rank == 1) {
    post(0, 0);
    MPI_Win_wait(win);
    value = mem[0] + 1;
    begin(0, 0);
    put(&value, 0, 0);
    MPI_Win_complete(win);
    mem[0] = 0;
  }
  end();
}

/* From rank to rank: what has been put goes on from the window itself. */
static void chain(void)
{
  start();
  if (rank > 0) {
    post(previous(), 0);
    MPI_Win_wait(win);
    expect(mem[0] == 10 + rank);
    mem[0] += 1;
  } else {
    mem[0] = 11;
  }
  if (rank < last()) {
    begin(next(), 0);
    put(mem, next(), 0);
    MPI_Win_complete(win);
    mem[0] = 0;
  }
  end();
}

/* NOCHECK is true: the posts have been called before the barrier, which orders, too. */
static void nocheck(void)
{
  int value = -1;
  start();
  mem[0] = rank;
  post(previous(), MPI_MODE_NOCHECK);
  barrier();
  begin(next(), MPI_MODE_NOCHECK);
  get(&value, next(), 0);
  put(&rank, next(), 1);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  expect(value == next() && mem[1] == previous());
  end();
}

/* NOSTORE is true for a part that was not stored to since the last call on the window. */
static void assertions(void)
{
  int value = -1;
  start();
  post(previous(), 0);
  begin(next(), 0);
  put(&rank, next(), 0);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  load(mem);
  post(previous(), MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
  begin(next(), 0);
  get(&value, next(), 0);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  expect(value == rank);
  mem[0] = value;
  end();
}

/* Once the epoch is complete a fence may follow, and what it orders. */
static void then_fence(void)
{
  int value = -1;
  start();
  post(previous(), 0);
  begin(next(), 0);
  put(&rank, next(), 0);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  get(&value, previous(), 0);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  expect(value == (rank + 2 * size - 2) % size);
  end();
}

/* An origin in two windows' epochs at once. */
static void two_windows(void)
{
  MPI_Group group;
  MPI_Win second;
  int* memory;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &second);
  start();
  memory[0] = 0;
  if (rank == 1 || rank == 2) {
    group = group_of_one(0);
    MPI_Win_post(group, 0, rank == 1 ? win : second);
    MPI_Win_wait(rank == 1 ? win : second);
    expect((rank == 1 ? mem : memory)[0] == size);
    MPI_Group_free(&group);
  } else if (rank == 0) {
    begin(1, 0);
    group = group_of_one(2);
    MPI_Win_start(group, 0, second);
    put(&size, 1, 0);
    MPI_Put(&size, 1, MPI_INT, 2, 0, 1, MPI_INT, second);
    MPI_Win_complete(second);
    MPI_Win_complete(win);
    MPI_Group_free(&group);
  }
  end();
  MPI_Win_free(&second);
}

/* The target tells a third rank, whose lock epoch comes after the exposure epoch. */
static void told_by_target(void)
{
  int value = -1;
  start();
  if (rank == 0) {
    begin(1, 0);
    put(&size, 1, 0);
    MPI_Win_complete(win);
  } else if (rank == 1) {
    post(0, 0);
    MPI_Win_wait(win);
    send_to(2);
  } else if (rank == 2) {
    receive_from(1);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    get(&value, 1, 0);
    MPI_Win_flush(1, win);
    expect(value == size);
    put(&rank, 1, 0);
    MPI_Win_unlock(1, win);
    send_to(1);
  }
  if (rank == 1) {
    receive_from(2);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    expect(mem[0] == 2);
    MPI_Win_unlock(1, win);
  }
  end();
}

/* The origin's buffers are free after complete, also before the target has waited. */
static void origin_goes_on(void)
{
  int value = 3, found = 0;
  start();
  if (rank == 0) {
    begin(1, 0);
    put(&value, 1, 0);
    get(&found, 1, 1);
    MPI_Win_complete(win);
    value = 4;
    expect(found == 17);
    send_to(1);
  } else if (rank == 1) {
    mem[1] = 17;
    post(0, 0);
    receive_from(0);
    MPI_Win_wait(win);
    mem[1] = 0;
    expect(mem[0] == 3);
  }
  end();
}

/* One target's exposure ends before the other one's begins; the origin's epoch has both. */
static void targets_in_turn(void)
{
  const int targets[2] = {1, 2};
  MPI_Group both = group_of(2, targets);
  start();
  if (rank == 0) {
    MPI_Win_start(both, 0, win);
    put(&size, 1, 0);
    put(&size, 2, 0);
    MPI_Win_complete(win);
  } else if (rank <= 2) {
    if (rank == 2) receive_from(1);
    mem[0] = -1;
    post(0, 0);
    if (rank == 1) send_to(2);
    MPI_Win_wait(win);
    expect(mem[0] == size);
  }
  MPI_Group_free(&both);
  end();
}

/* Red-black: an epoch of even origins, then one of odd ones, each using what the other has put. */
static void halves(void)
{
  const int color = rank % 2, partner = rank ^ 1;
  int round, value = 0;
  start();
  for (round = 0; partner < size && round < 6; ++round) {
    if (round % 2 == color) {
      value = mem[1] + 1;
      begin(partner, 0);
      put(&value, partner, 1);
      MPI_Win_complete(win);
    } else {
      post(partner, 0);
      MPI_Win_wait(win);
      expect(mem[1] == round + 1);
    }
  }
  end();
}

static const struct test_case cases[] = {
    {"ring", "right", "12.5.2", ring},
    {"all_to_all", "right", "12.5.2", all_to_all},
    {"to_itself", "right", "12.5.2", to_itself},
    {"store_beside_put", "right", "12.7", store_beside_put},
    {"gets_and_loads", "right", "12.5.5", gets_and_loads},
    {"origins_apart", "right", "12.7", origins_apart},
    {"origins_accumulate", "right", "12.7.1", origins_accumulate},
    {"test_of_several", "right", "12.5.2", test_of_several},
    {"empty_groups", "right", "12.5.2", empty_groups},
    {"successive_origins", "right", "12.5.2", successive_origins},
    {"there_and_back", "right", "12.5.2", there_and_back},
    {"chain", "right", "12.5.2", chain},
    {"nocheck", "right", "12.5.5", nocheck},
    {"assertions", "right", "12.5.5", assertions},
    {"then_fence", "right", "12.5", then_fence},
    {"two_windows", "right", "12.5", two_windows},
    {"told_by_target", "right", "12.5.2", told_by_target},
    {"origin_goes_on", "right", "12.5.2", origin_goes_on},
    {"targets_in_turn", "right", "12.5.2", targets_in_turn},
    {"halves", "right", "12.5.2", halves},
};

int main(int argc, char** argv)
{
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
