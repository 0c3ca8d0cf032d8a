/* Programs whose course depends on how messages match. The first argument says which; each prints what it saw. */
#include <stdio.h>

#include "tasks.h"

static int receive(int source, int tag)
{
  MPI_Status status;
  int value;
  MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &status);
  return value;
}

static char* program; /* as it was started */

static void send(int value, int dest, int tag) { MPI_Send(&value, 1, MPI_INT, dest, tag, MPI_COMM_WORLD); }

/* MPI 5.0 §6.14: two executions, as the broadcast may leave its root before rank 1 comes. */
static void three_ranks(void)
{
  int value = 0;
  if (rank == 0) {
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    send(0, 1, 0);
  } else if (rank == 1) {
    const int first = receive(MPI_ANY_SOURCE, 0);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    const int second = receive(MPI_ANY_SOURCE, 0);
    printf("first %d, second %d\n", first, second);
  } else {
    send(2, 1, 0);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

/* The order of three messages from each of the others. */
static void order(void)
{
  if (rank != 0) {
    for (int i = 0; i < 3; ++i) send(100 * rank + i, 0, i);
    return;
  }
  for (int i = 0; i < 3 * (size - 1); ++i) printf("%d\n", receive(MPI_ANY_SOURCE, MPI_ANY_TAG));
}

/* All calls whose outcome is open. */
static void all_calls(void)
{
  enum { most = 8 };
  if (rank != 0) {
    for (int i = 0; i < 9; ++i) send(10 * rank + i, 0, i);
    return;
  }
  MPI_Request requests[most];
  MPI_Status status, statuses[most];
  MPI_Message message;
  int values[most], indices[most], index, flag = 0, count, vain = 0;
  const int others = size - 1;
  for (int i = 0; i < others; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < others; ++i) {
    MPI_Waitany(others, requests, &index, &status);
    printf("waitany %d %d\n", index, values[index]);
  }
  for (int i = 0; i < others; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[i]);
  for (int done = 0; done < others; done += count) {
    MPI_Waitsome(others, requests, &count, indices, statuses);
    printf("waitsome %d:", count);
    for (int i = 0; i < count; ++i) printf(" %d %d", indices[i], values[indices[i]]);
    printf("\n");
  }
  for (int i = 0; i < others; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[i]);
  for (int done = 0; done < others; vain += !flag) {
    MPI_Testany(others, requests, &index, &flag, &status);
    if (flag) printf("testany %d %d after %d\n", index, values[index], vain), ++done;
  }
  for (int i = 0; i < others; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[i]);
  for (int done = 0; done < others; done += count) {
    MPI_Testsome(others, requests, &count, indices, statuses);
    vain += count == 0;
    for (int i = 0; i < count; ++i) printf("testsome %d %d after %d\n", indices[i], values[indices[i]], vain);
  }
  for (int i = 0; i < others; ++i) {
    MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
    printf("probe %d %d\n", status.MPI_SOURCE, receive(status.MPI_SOURCE, 4));
  }
  for (int i = 0; i < others; ++i) {
    for (flag = 0; !flag; vain += !flag) MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &status);
    printf("iprobe %d %d after %d\n", status.MPI_SOURCE, receive(status.MPI_SOURCE, 5), vain);
  }
  for (int i = 0; i < others; ++i) {
    MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(values, 1, MPI_INT, &message, &status);
    printf("mprobe %d %d\n", status.MPI_SOURCE, values[0]);
  }
  MPI_Irecv(values, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, requests);
  MPI_Cancel(requests);
  MPI_Wait(requests, &status);
  MPI_Test_cancelled(&status, &flag);
  printf("cancelled %d\n", flag);
  for (int i = !flag; i < others; ++i) receive(MPI_ANY_SOURCE, 8);
  for (int i = 0; i < others; ++i) {
    MPI_Irecv(values, 1, MPI_INT, i + 1, 7, MPI_COMM_WORLD, requests);
    for (flag = 0; !flag; vain += !flag) {
      if (i == 0) MPI_Testall(1, requests, &flag, statuses);
      else MPI_Test(requests, &flag, &status);
    }
    printf("test %d after %d\n", values[0], vain);
  }
}

/* The looks at whether something has happened. */
static void looks(void)
{
  MPI_Group world, others;
  MPI_Win window;
  MPI_Request request;
  int memory = 0, flag = 0, vain = 0, value = rank;
  const int me = rank == 0 ? 0 : 1;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  if (rank == 0) {
    MPI_Group_excl(world, 1, &me, &others);
    MPI_Win_post(others, 0, window);
    for (; !flag; vain += !flag) MPI_Win_test(window, &flag);
    printf("win_test after %d\n", vain > 0);
    MPI_Precv_init(&value, 1, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (flag = vain = 0; !flag; vain += !flag) MPI_Parrived(request, 0, &flag);
    printf("parrived after %d\n", vain > 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  } else {
    const int target = 0;
    MPI_Group_incl(world, 1, &target, &others);
    MPI_Win_start(others, 0, window);
    MPI_Win_complete(window);
    if (rank == 1) {
      MPI_Psend_init(&value, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      MPI_Start(&request);
      MPI_Pready(0, request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Request_free(&request);
    }
  }
  MPI_Group_free(&others);
  MPI_Group_free(&world);
  MPI_Win_free(&window);
}

/* As `order`, but other receives when VARIANT is set: they depart from the record. */
static void variant(void)
{
  if (rank != 0) {
    send(rank, 0, 0);
    send(rank, 0, 1);
    return;
  }
  const int other = getenv("VARIANT") != NULL;
  for (int i = 1; i < size; ++i) receive(MPI_ANY_SOURCE, other ? 1 : 0);
  for (int i = 1; i < size; ++i) receive(MPI_ANY_SOURCE, other ? 0 : 1);
}

/* Wrong: believes that rank 1 is first. */
static void first_is_one(void)
{
  if (rank != 0) {
    send(rank, 0, 0);
    return;
  }
  const int first = receive(MPI_ANY_SOURCE, 0);
  for (int i = 2; i < size; ++i) receive(MPI_ANY_SOURCE, 0);
  if (first != 1) MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Wrong: the second receive finds nothing if the first got the message from 1. */
static void sometimes_dead(void)
{
  if (rank != 0) {
    send(rank, 0, 0);
    return;
  }
  receive(MPI_ANY_SOURCE, 0);
  receive(1, 0);
}

/* §3.8.1: the receive may get another message than the probe has found. */
static void probe_then_any(void)
{
  if (rank == 0) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (receive(MPI_ANY_SOURCE, 0) != status.MPI_SOURCE) MPI_Abort(MPI_COMM_WORLD, 4);
    receive(MPI_ANY_SOURCE, 0);
  } else {
    send(rank, 0, 0);
  }
}

/* Two receivers, two senders: four ways. */
static void independent(void)
{
  if (rank < 2) {
    const int first = receive(MPI_ANY_SOURCE, 0), second = receive(MPI_ANY_SOURCE, 0);
    printf("%d %d\n", first, second);
  } else {
    send(rank, 0, 0);
    send(rank, 1, 0);
  }
}

/* Rank 3's message to 0 comes only after a decision elsewhere: two ways. */
static void late(void)
{
  if (rank == 0) {
    const int first = receive(MPI_ANY_SOURCE, 0), second = receive(MPI_ANY_SOURCE, 0);
    printf("%d %d\n", first, second);
  } else if (rank == 1) {
    send(1, receive(MPI_ANY_SOURCE, 0), 0);
  } else if (rank == 2) {
    send(2, 0, 0);
  } else {
    send(3, 1, 0);
    receive(1, 0);
    send(3, 0, 0);
  }
}

/* One way only: each message follows from the receive before it. */
static void ping(void)
{
  for (int i = 0; i < 10; ++i) {
    if (rank == 0) {
      receive(MPI_ANY_SOURCE, 0);
      send(i, 1 + i % (size - 1), 1);
    } else if (rank == 1 + i % (size - 1)) {
      send(i, 0, 0);
      receive(MPI_ANY_SOURCE, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Two requests, complete in either order: two ways. */
static void waitany(void)
{
  if (rank == 0) {
    MPI_Request requests[2];
    int values[2], index;
    for (int i = 0; i < 2; ++i) MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    printf("%d\n", index);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    send(rank, 0, 0);
  }
}

/* A loop of tests, which finds its message at the first or the second look. */
static void test_loop(void)
{
  if (rank == 0) {
    MPI_Request request;
    int value, flag = 0, looks = 0;
    MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    for (; !flag; ++looks) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    printf("%s\n", looks == 1 ? "at once" : "later");
  } else {
    send(rank, 0, 0);
  }
}

/* Wrong: believes that rank 1 is first. Who is first instead is seen only when rank 2 has received. How it
 * ends, ENDING says. */
static void hidden(void)
{
  if (rank == 1) send(1, 0, 0);
  if (rank == 3) send(3, 2, 0);
  if (rank == 2) send(2, 0, receive(MPI_ANY_SOURCE, 0) - 3);
  if (rank != 0) return;
  const char* const ending = getenv("ENDING");
  if (receive(MPI_ANY_SOURCE, 0) == 2) {
    receive(1, 0);
    return;
  }
  if (!strcmp(ending, "abort")) MPI_Abort(MPI_COMM_WORLD, 5);
  if (!strcmp(ending, "exit")) exit(6);
  abort();
}

/* Wrong: 1 and 2 wait for each other, while 0 has an operation that something else may complete. */
static int ignore_query(void* state, MPI_Status* status)
{
  (void)state;
  (void)status;
  return MPI_SUCCESS;
}
static int ignore_free(void* state)
{
  (void)state;
  return MPI_SUCCESS;
}
static int ignore_cancel(void* state, int complete)
{
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}
static void generalized(void)
{
  MPI_Request request;
  if (rank == 0) MPI_Grequest_start(ignore_query, ignore_free, ignore_cancel, NULL, &request);
  receive(rank == 0 ? 1 : 3 - rank, 0);
}

/* Polls memory for what another rank does after a receive that is not decided meanwhile. */
static void polls_a_window(void)
{
  int *memory, unit;
  MPI_Aint bytes;
  MPI_Win window;
  MPI_Win_allocate_shared(rank == 0 ? sizeof *memory : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
  if (rank == 0) *memory = 0;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) send(2, 0, 0);
  if (rank == 0) {
    receive(MPI_ANY_SOURCE, 0);
    *(volatile int*)memory = 1;
  }
  while (rank == 1 && !*(volatile int*)memory) MPI_Win_sync(window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

/* Tests for ever. */
static void livelock(void)
{
  int flag = 0;
  while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* A posted receive from any source goes before a later one from a certain source. */
static void posted_first(void)
{
  if (rank == 0) {
    MPI_Request requests[2];
    int values[2];
    MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    printf("%d %d\n", values[0], values[1]);
  } else {
    send(10 * rank, 0, 0);
    if (rank == 1) send(11, 0, 0);
  }
  /* What is left over. */
  if (rank == 0) printf("%d\n", receive(MPI_ANY_SOURCE, 0));
}

/* Wrong: believes that the integer comes before the float. */
static void types_by_order(void)
{
  int value = rank;
  float real = 2;
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 2) MPI_Send(&real, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&real, 1, MPI_FLOAT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One session after another; messages from any source in both. */
static int two_sessions(void)
{
  for (int round = 0; round < 2; ++round) {
    MPI_Session session;
    MPI_Comm comm = open_session(&session);
    for (int i = 1; i < size; ++i) {
      int value = rank;
      if (rank == i) MPI_Send(&value, 1, MPI_INT, 0, 0, comm);
      if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
        printf("%d %d\n", round, value);
      }
    }
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
  }
  return 0;
}

/* The order in which the messages of the other group came, each of which has sent three. */
static void print_order(const char* who, MPI_Comm inter)
{
  int others, value;
  char line[200];
  int end = snprintf(line, sizeof line, "%s:", who);
  MPI_Comm_remote_size(inter, &others);
  for (int i = 0; i < 3 * others; ++i) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, MPI_STATUS_IGNORE);
    end += snprintf(line + end, sizeof line - (size_t)end, " %d", value);
  }
  puts(line);
}

static MPI_Comm start(char* task)
{
  MPI_Comm children;
  char* arguments[] = {task, NULL};
  MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
  return children;
}

/* Each rank starts two others twice, and they start two each. Those of one rank come to its port. */
static void worlds(void)
{
  char port[MPI_MAX_PORT_NAME], who[20];
  MPI_Open_port(MPI_INFO_NULL, port);
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Comm children = start("child");
    for (int i = 0; i < 2; ++i) MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, i, 99, children);
    snprintf(who, sizeof who, "parent %d.%d", rank, turn);
    print_order(who, children);
    for (int i = 0; i < 2; ++i) {
      MPI_Comm client;
      int value;
      MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &client);
      MPI_Recv(&value, 1, MPI_INT, 0, 0, client, MPI_STATUS_IGNORE);
      printf("client %d of %s: %d\n", i, who, value);
      MPI_Comm_disconnect(&client);
    }
    MPI_Comm_disconnect(&children);
  }
  MPI_Close_port(port);
}

static void send_three(MPI_Comm parent)
{
  for (int i = 0; i < 3; ++i) {
    const int value = 10 * rank + i;
    MPI_Send(&value, 1, MPI_INT, 0, i, parent);
  }
}

static void child(void)
{
  MPI_Comm parent, children, server;
  char port[MPI_MAX_PORT_NAME], who[20];
  MPI_Comm_get_parent(&parent);
  MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 99, parent, MPI_STATUS_IGNORE);
  send_three(parent);
  children = start("grandchild");
  snprintf(who, sizeof who, "child %d", rank);
  print_order(who, children);
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &server);
  MPI_Send(&rank, 1, MPI_INT, 0, 0, server);
  MPI_Comm_disconnect(&server);
  MPI_Comm_disconnect(&children);
  MPI_Comm_disconnect(&parent);
}

static void grandchild(void)
{
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  send_three(parent);
  MPI_Comm_disconnect(&parent);
}

int main(int argc, char** argv)
{
  program = argv[0];
  if (argc > 1 && !strcmp(argv[1], "two-sessions")) return two_sessions();
  static const struct task tasks[] = {
      {"three-ranks", three_ranks},
      {"order", order},
      {"worlds", worlds},
      {"child", child},
      {"grandchild", grandchild},
      {"all-calls", all_calls},
      {"variant", variant},
      {"first-is-one", first_is_one},
      {"sometimes-dead", sometimes_dead},
      {"probe-then-any", probe_then_any},
      {"independent", independent},
      {"late", late},
      {"ping", ping},
      {"waitany", waitany},
      {"test-loop", test_loop},
      {"livelock", livelock},
      {"posted-first", posted_first},
      {"types-by-order", types_by_order},
      {"looks", looks},
      {"hidden", hidden},
      {"generalized", generalized},
      {"polls-a-window", polls_a_window},
  };
  return run_task(tasks, sizeof tasks / sizeof *tasks, argc, argv, MPI_THREAD_SINGLE);
}
