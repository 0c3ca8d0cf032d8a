/* The names that attributes of communicators had until MPI 2.0 (MPI 5.0 §16.1). */
#include "../check.h"

static int deletes;
static int note_delete(MPI_Comm comm, int key, void* value, void* extra)
{
  (void)comm;
  (void)key;
  (void)value;
  ++*(int*)extra;
  return MPI_SUCCESS;
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  int key = MPI_KEYVAL_INVALID, dropped = MPI_KEYVAL_INVALID, value = 3, flag = -1, *found = NULL;
  MPI_Comm comm, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CALL(MPI_Keyval_create(MPI_DUP_FN, note_delete, &key, &deletes));
  CALL(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &dropped, NULL));
  CALL(MPI_Attr_get(comm, key, &found, &flag));
  CHECK(flag == 0);
  CALL(MPI_Attr_put(comm, key, &value));
  CALL(MPI_Attr_put(comm, dropped, &value));
  CALL(MPI_Comm_get_attr(comm, key, &found, &flag)); /* one store under both names */
  CHECK(flag && found == &value);
  MPI_Comm_dup(comm, &copy);
  CALL(MPI_Attr_get(copy, key, &found, &flag));
  CHECK(flag && found == &value);
  CALL(MPI_Attr_get(copy, dropped, &found, &flag));
  CHECK(!flag);
  CALL(MPI_Attr_delete(copy, key));
  CHECK(deletes == 1);
  MPI_Comm_free(&copy);
  CHECK(deletes == 1);
  MPI_Comm_free(&comm);
  CHECK(deletes == 2);
  CALL(MPI_Keyval_free(&key));
  CALL(MPI_Keyval_free(&dropped));
  CHECK(key == MPI_KEYVAL_INVALID);
  return finish();
}
