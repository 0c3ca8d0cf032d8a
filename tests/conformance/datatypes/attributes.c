/* Attributes of datatypes (MPI 5.0 §7.7.4). */
#include "../check.h"

static int copies = 0, deletions = 0, extra = 42;

static int copy(MPI_Datatype type, int keyval, void* extra_state, void* in, void* out, int* flag)
{
  (void)type;
  (void)keyval;
  CHECK(extra_state == &extra);
  ++copies;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

static int forget(MPI_Datatype type, int keyval, void* value, void* extra_state)
{
  (void)type;
  (void)keyval;
  (void)value;
  CHECK(extra_state == &extra);
  ++deletions;
  return MPI_SUCCESS;
}

int main(int argc, char** argv)
{
  int key, kept, flag;
  char values[4];
  void* found;
  MPI_Datatype type, twin;
  MPI_Init(&argc, &argv);

  CALL(MPI_Type_create_keyval(copy, forget, &key, &extra));
  CALL(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &kept, NULL));
  CALL(MPI_Type_contiguous(2, MPI_INT, &type));
  CALL(MPI_Type_get_attr(type, key, &found, &flag));
  CHECK(!flag);
  CALL(MPI_Type_set_attr(type, key, values));
  CALL(MPI_Type_set_attr(type, kept, values));
  CALL(MPI_Type_get_attr(type, key, &found, &flag));
  CHECK(flag && found == values);

  CALL(MPI_Type_dup(type, &twin));
  CHECK(copies == 1);
  CALL(MPI_Type_get_attr(twin, key, &found, &flag));
  CHECK(flag && found == values + 1);
  CALL(MPI_Type_get_attr(twin, kept, &found, &flag));
  CHECK(!flag);

  CALL(MPI_Type_delete_attr(twin, key));
  CHECK(deletions == 1);
  CALL(MPI_Type_get_attr(twin, key, &found, &flag));
  CHECK(!flag);
  CALL(MPI_Type_free(&twin));
  CHECK(deletions == 1);
  CALL(MPI_Type_set_attr(type, key, values + 2));
  CHECK(deletions == 2);
  CALL(MPI_Type_free(&type));
  CHECK(deletions == 3);

  /* Predefined types take attributes too, each rank its own. */
  CALL(MPI_Type_set_attr(MPI_INT, kept, values));
  CALL(MPI_Type_get_attr(MPI_INT, kept, &found, &flag));
  CHECK(flag && found == values);
  CALL(MPI_Type_delete_attr(MPI_INT, kept));
  CALL(MPI_Type_free_keyval(&key));
  CHECK(key == MPI_KEYVAL_INVALID);
  CALL(MPI_Type_free_keyval(&kept));
  return finish();
}
