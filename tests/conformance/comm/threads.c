/* Several threads of each process at once, each on a communicator of its own (MPI 5.0 §11.6.2): messages,
   types, groups, attributes, info, collectives, and communicators that come and go. */
#include <pthread.h>
#include <stdio.h>

#include "../check.h"

/* Others take seconds for a round where there are more threads than cores. */
#ifdef MPI_H_ABI
enum { threads = 4, rounds = 50, length = 2000 };
#else
enum { threads = 4, rounds = 1, length = 2000 };
#endif
static int rank, size;
static int wrong[threads];

static int failed(int code)
{
  return code != MPI_SUCCESS;
}

/* Every second number of a row goes to the next process and comes from the one before. */
static int exchange(MPI_Comm comm, int tag, int round)
{
  static _Thread_local int out[length], in[length];
  MPI_Datatype column;
  MPI_Request requests[2];
  MPI_Status status;
  int bad = 0, count = 0;
  for (int i = 0; i < length; ++i) {
    out[i] = rank + i + round;
    in[i] = -1;
  }
  bad += failed(MPI_Type_vector(length / 2, 1, 2, MPI_INT, &column)) + failed(MPI_Type_commit(&column));
  bad += failed(MPI_Irecv(in, 1, column, MPI_ANY_SOURCE, tag, comm, &requests[0]));
  bad += failed(MPI_Isend(out, 1, column, (rank + 1) % size, tag, comm, &requests[1]));
  bad += failed(MPI_Wait(&requests[1], MPI_STATUS_IGNORE)) + failed(MPI_Wait(&requests[0], &status));
  bad += failed(MPI_Get_count(&status, column, &count)) + (count != 1);
  const int previous = (rank + size - 1) % size;
  for (int i = 0; i < length; ++i) bad += in[i] != (i % 2 ? -1 : previous + i + round);
  return bad + failed(MPI_Type_free(&column));
}

static int objects(MPI_Comm comm, int key, int tag)
{
  MPI_Comm copy, half;
  MPI_Group group, none;
  MPI_Info info;
  int bad = 0, flag = 0, sum = 0, one = 1, *found = NULL, members = 0;
  char value[8] = "";
  bad += failed(MPI_Comm_set_attr(comm, key, &tag));
  bad += failed(MPI_Comm_dup(comm, &copy));
  bad += failed(MPI_Comm_get_attr(copy, key, &found, &flag)) + (!flag || found != &tag);
  bad += failed(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy)) + (sum != size);
  bad += failed(MPI_Comm_split(copy, rank % 2, 0, &half));
  bad += failed(MPI_Comm_size(half, &members)) + (members != (size + 1 - rank % 2) / 2);
  bad += failed(MPI_Comm_group(half, &group)) + failed(MPI_Group_difference(group, group, &none));
  bad += none != MPI_GROUP_EMPTY;
  bad += failed(MPI_Group_free(&group)) + failed(MPI_Comm_free(&half)) + failed(MPI_Comm_free(&copy));
  bad += failed(MPI_Info_create(&info)) + failed(MPI_Info_set(info, "key", "value"));
  bad += failed(MPI_Info_get(info, "key", 7, value, &flag)) + !flag + failed(MPI_Info_free(&info));
  return bad;
}

struct share {
  int number, key;
  MPI_Comm comm;
};

static void* work(void* argument)
{
  const struct share* const mine = argument;
  for (int round = 0; round < rounds; ++round) {
    wrong[mine->number] += exchange(mine->comm, mine->number, round);
    /* The same communicator of all: threads are told apart by tags. */
    wrong[mine->number] += exchange(MPI_COMM_WORLD, mine->number, round);
    wrong[mine->number] += objects(mine->comm, mine->key, mine->number);
  }
  return NULL;
}

int main(int argc, char** argv)
{
  int given, key;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct share shares[threads];
  pthread_t ids[threads];
  CALL(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
  const int several = given == MPI_THREAD_MULTIPLE ? threads : 0;
  for (int i = 0; i < several; ++i) {
    shares[i].number = i;
    shares[i].key = key;
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &shares[i].comm));
  }
  for (int i = 0; i < several; ++i) pthread_create(&ids[i], NULL, work, &shares[i]);
  for (int i = 0; i < several; ++i) {
    pthread_join(ids[i], NULL);
    CHECK(wrong[i] == 0);
    MPI_Comm_free(&shares[i].comm);
  }
  CALL(MPI_Comm_free_keyval(&key));
  return finish();
}
