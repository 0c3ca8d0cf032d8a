/* MPI 5.0 section 11.3: sessions alone, several at once, again after the last one; on any number of ranks.
   mpich: does not tell the length of a name that it cuts, and crashes where info names a thread level
   openmpi: version 4.1 has no sessions */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static int failures;
#define CHECK(condition) \
  ((condition) ? (void)0 : (++failures, (void)fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition)))

static MPI_Comm world_of(MPI_Session session, const char* tag)
{
  MPI_Group group;
  MPI_Comm comm;
  CHECK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
  CHECK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS);
  MPI_Group_free(&group);
  return comm;
}

static void check_sets(MPI_Session session)
{
  int count = 0, found_world = 0, found_self = 0;
  MPI_Group group;
  CHECK(MPI_Group_from_session_pset(session, "mpi://world", &group) == MPI_SUCCESS);
  CHECK(group != MPI_GROUP_NULL);
  MPI_Group_free(&group);
  CHECK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count) == MPI_SUCCESS);
  CHECK(count >= 2);
  for (int i = 0; i < count; ++i) {
    int length = 0;
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL) == MPI_SUCCESS);
    CHECK(length > 1);
    char* name = malloc((size_t)length);
    int room = length;
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &room, name) == MPI_SUCCESS);
    CHECK(room == length && (int)strlen(name) == length - 1);
    found_world |= strcmp(name, "mpi://WORLD") == 0;
    found_self |= strcmp(name, "mpi://SELF") == 0;
    char start[4] = "???";
    room = 4;
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &room, start) == MPI_SUCCESS);
    CHECK(room == length && strncmp(start, name, 3) == 0 && start[3] == '\0');

    /* The caller is in each of its sets, which are as large as they say. */
    MPI_Group group;
    MPI_Info info;
    int rank, size, flag, text_room = 32;
    char text[32];
    CHECK(MPI_Group_from_session_pset(session, name, &group) == MPI_SUCCESS);
    MPI_Group_rank(group, &rank);
    MPI_Group_size(group, &size);
    CHECK(rank != MPI_UNDEFINED);
    CHECK(MPI_Session_get_pset_info(session, name, &info) == MPI_SUCCESS);
    MPI_Info_get_string(info, "mpi_size", &text_room, text, &flag);
    CHECK(flag && atoi(text) == size);
    MPI_Info_free(&info);
    MPI_Group_free(&group);
    free(name);
  }
  CHECK(found_world && found_self);
}

int main(void)
{
  int flag;
  MPI_Initialized(&flag);
  CHECK(!flag);
  for (int round = 0; round < 3; ++round) {
    MPI_Session first, second;
    MPI_Info info;
    char level[64];
    int room = sizeof level;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_SERIALIZED");
    CHECK(MPI_Session_init(info, MPI_ERRORS_RETURN, &first) == MPI_SUCCESS);
    MPI_Info_free(&info);
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &second) == MPI_SUCCESS);
    CHECK(first != second && first != MPI_SESSION_NULL);
    CHECK(MPI_Session_get_info(first, &info) == MPI_SUCCESS);
    MPI_Info_get_string(info, "thread_level", &room, level, &flag);
    CHECK(flag);
#ifdef MPI_H_ABI
    CHECK(strcmp(level, "MPI_THREAD_SERIALIZED") == 0);
#endif
    MPI_Info_free(&info);
    MPI_Initialized(&flag); /* speaks of the world model only */
    CHECK(!flag);
    check_sets(first);

    /* Two communicators of the same processes, told apart by their tags. */
    MPI_Comm a = world_of(first, "org.example.first"), b = world_of(second, "org.example.second");
    int rank, size, sum_a = 0, sum_b = 0, result;
    MPI_Comm_rank(a, &rank);
    MPI_Comm_size(b, &size);
    CHECK(MPI_Allreduce(&rank, &sum_a, 1, MPI_INT, MPI_SUM, a) == MPI_SUCCESS);
    CHECK(MPI_Allreduce(&rank, &sum_b, 1, MPI_INT, MPI_SUM, b) == MPI_SUCCESS);
    CHECK(sum_a == size * (size - 1) / 2 && sum_b == sum_a);
    MPI_Comm_compare(a, b, &result);
    CHECK(result == MPI_CONGRUENT);
    int in = -1, to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Sendrecv(&rank, 1, MPI_INT, to, 1, &in, 1, MPI_INT, from, 1, b, MPI_STATUS_IGNORE);
    CHECK(in == from);
    MPI_Comm_free(&b);
    CHECK(MPI_Session_finalize(&second) == MPI_SUCCESS);
    CHECK(second == MPI_SESSION_NULL);
    /* The other session's objects go on. */
    MPI_Barrier(a);
    MPI_Comm_free(&a);
    CHECK(MPI_Session_finalize(&first) == MPI_SUCCESS);
  }
  MPI_Finalized(&flag);
  CHECK(!flag);

  /* Now the world model, with a session inside and one that outlasts it. */
  MPI_Session inside, after;
  MPI_Init(NULL, NULL);
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &inside) == MPI_SUCCESS);
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &after) == MPI_SUCCESS);
  MPI_Comm comm = world_of(inside, "inside");
  int result;
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&inside);
  MPI_Finalize();
  MPI_Finalized(&flag);
  CHECK(flag);
  comm = world_of(after, "after");
  int any = 0;
  MPI_Allreduce(&failures, &any, 1, MPI_INT, MPI_MAX, comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&after);
  return any != 0;
}
