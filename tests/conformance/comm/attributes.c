/* MPI 5.0 section 7.7: attributes; on any number of ranks. */
#include <stdlib.h>

#include "../check.h"

static int copies, deletes, last_deleted, fail_copy, fail_delete;

static int copy_twice(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag)
{
  (void)comm;
  (void)key;
  CHECK(*(int*)extra == 99);
  ++copies;
  if (fail_copy) return MPI_ERR_OTHER;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

static int note_delete(MPI_Comm comm, int key, void* value, void* extra)
{
  (void)comm;
  (void)value;
  CHECK(*(int*)extra == 99);
  if (fail_delete) return MPI_ERR_OTHER;
  ++deletes;
  last_deleted = key;
  return MPI_SUCCESS;
}

static int self_key_order[2], self_deletes;
static int at_finalize(MPI_Comm comm, int key, void* value, void* extra)
{
  (void)comm;
  (void)value;
  (void)extra;
  /* The last one that was set comes first. */
  if (key != self_key_order[1 - self_deletes]) abort();
  ++self_deletes;
  return MPI_SUCCESS;
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int extra = 99, flag, key, plain, dropped;
  void* value;
  char buffer[4];

  MPI_Comm_create_keyval(copy_twice, note_delete, &key, &extra);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &dropped, NULL);

  MPI_Comm comm, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_get_attr(comm, key, &value, &flag);
  CHECK(!flag);
  MPI_Comm_set_attr(comm, key, buffer);
  MPI_Comm_set_attr(comm, plain, buffer + 2);
  MPI_Comm_set_attr(comm, dropped, buffer + 3);
  MPI_Comm_dup(comm, &copy);
  CHECK(copies == 1);
  MPI_Comm_get_attr(copy, key, &value, &flag);
  CHECK(flag && value == buffer + 1);
  MPI_Comm_get_attr(copy, plain, &value, &flag);
  CHECK(flag && value == buffer + 2);
  MPI_Comm_get_attr(copy, dropped, &value, &flag);
  CHECK(!flag);
  MPI_Comm_set_attr(copy, key, buffer + 3);
  CHECK(deletes == 1 && last_deleted == key);
  MPI_Comm_delete_attr(copy, key);
  CHECK(deletes == 2);
  MPI_Comm_get_attr(copy, key, &value, &flag);
  CHECK(!flag);
  MPI_Comm_free(&copy);
  CHECK(deletes == 2);

  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  fail_copy = 1;
  CHECK(MPI_Comm_dup(comm, &copy) != MPI_SUCCESS);
  fail_copy = 0;
  fail_delete = 1;
  CHECK(MPI_Comm_set_attr(comm, key, buffer) != MPI_SUCCESS);
  CHECK(MPI_Comm_delete_attr(comm, key) != MPI_SUCCESS);
  fail_delete = 0;
  MPI_Comm_get_attr(comm, key, &value, &flag);
  CHECK(flag && value == buffer);

  /* A freed key lives on in its values, which can be read, copied and deleted (7.7.2). */
  int number = key;
  MPI_Comm_free_keyval(&key);
  CHECK(key == MPI_KEYVAL_INVALID);
  MPI_Comm_get_attr(comm, number, &value, &flag);
  CHECK(flag && value == buffer);
  MPI_Comm_dup(comm, &copy);
  CHECK(copies == 3);
  MPI_Comm_delete_attr(copy, number);
  CHECK(deletes == 3 && last_deleted == number);
  MPI_Comm_free(&copy);
  CHECK(deletes == 3);
  MPI_Comm_free(&comm);
  CHECK(deletes == 4 && last_deleted == number);
  MPI_Comm_free_keyval(&plain);
  MPI_Comm_free_keyval(&dropped);

  int* number_of;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &number_of, &flag);
  CHECK(flag && *number_of >= 32767);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &number_of, &flag);
  CHECK(flag && (*number_of == 0 || *number_of == 1));
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &number_of, &flag);
  CHECK(flag && *number_of >= MPI_ERR_LASTCODE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, buffer) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);

  for (int i = 0; i < 2; ++i) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &self_key_order[i], NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, self_key_order[i], NULL);
    int key = self_key_order[i]; /* the value keeps what it needs of it */
    MPI_Comm_free_keyval(&key);
  }
  const int failed = finish();
  if (self_deletes != 2) {
    fprintf(stderr, "MPI_Finalize called %d of 2 delete functions\n", self_deletes);
    return 1;
  }
  return failed;
}
