/* What MPI_Type_get_envelope and MPI_Type_get_contents say of the types of every constructor, in both widths
   (the tables of MPI 5.0 §5.1.13). */
#include <string.h>

#include "../check.h"

enum { most = 32 };

/* A list of values and its length. */
#define LIST(type, ...)                                               \
  (int)(sizeof((type[]){__VA_ARGS__}) / sizeof(type)), (const type[]) \
  {                                                                   \
    __VA_ARGS__                                                       \
  }
#define NO_LIST 0, NULL

static const char* subject;

static void check_for(int holds, const char* what, int line)
{
  char text[200];
  snprintf(text, sizeof text, "%s: %s", subject, what);
  check_that(holds, text, __FILE__, line);
}
#define CHECK_FOR(condition) check_for((condition) != 0, #condition, __LINE__)

/* Checks what the constructor was called with, and frees the type unless it is predefined. */
static void expect(const char* name, MPI_Datatype type, int combiner, int n_integers, const int* integers,
                   int n_addresses, const MPI_Aint* addresses, int n_types, const MPI_Datatype* types)
{
  int ni = -1, na = -1, nt = -1, found = -1, got_integers[most];
  MPI_Aint got_addresses[most];
  MPI_Datatype got_types[most];
  subject = name;
  CALL(MPI_Type_get_envelope(type, &ni, &na, &nt, &found));
  CHECK_FOR(found == combiner);
  CHECK_FOR(ni == n_integers && na == n_addresses && nt == n_types);
  if (ni == n_integers && na == n_addresses && nt == n_types) {
    CALL(MPI_Type_get_contents(type, ni, na, nt, got_integers, got_addresses, got_types));
    for (int i = 0; i < ni; ++i) CHECK_FOR(got_integers[i] == integers[i]);
    for (int i = 0; i < na; ++i) CHECK_FOR(got_addresses[i] == addresses[i]);
    for (int i = 0; i < nt; ++i) CHECK_FOR(got_types[i] == types[i]);
  }
  if (combiner != MPI_COMBINER_F90_REAL && combiner != MPI_COMBINER_F90_COMPLEX &&
      combiner != MPI_COMBINER_F90_INTEGER)
    CALL(MPI_Type_free(&type));
}

static int sizes[2] = {6, 7}, subsizes[2] = {2, 3}, starts[2] = {1, 2};
static int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
           dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[2] = {2, 3};

static void normal(void)
{
  int blocks[3] = {1, 0, 4}, places[3] = {5, -2, 9};
  MPI_Aint bytes[3] = {40, -16, 400};
  MPI_Datatype type, parts[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, one = MPI_INT;
  CALL(MPI_Type_dup(MPI_INT, &type));
  expect("dup", type, MPI_COMBINER_DUP, NO_LIST, NO_LIST, 1, &one);
  CALL(MPI_Type_contiguous(7, MPI_INT, &type));
  expect("contiguous", type, MPI_COMBINER_CONTIGUOUS, LIST(int, 7), NO_LIST, 1, &one);
  CALL(MPI_Type_vector(3, 2, -5, MPI_INT, &type));
  expect("vector", type, MPI_COMBINER_VECTOR, LIST(int, 3, 2, -5), NO_LIST, 1, &one);
  CALL(MPI_Type_create_hvector(3, 2, -50, MPI_INT, &type));
  expect("hvector", type, MPI_COMBINER_HVECTOR, LIST(int, 3, 2), LIST(MPI_Aint, -50), 1, &one);
  CALL(MPI_Type_indexed(3, blocks, places, MPI_INT, &type));
  expect("indexed", type, MPI_COMBINER_INDEXED, LIST(int, 3, 1, 0, 4, 5, -2, 9), NO_LIST, 1, &one);
  CALL(MPI_Type_create_hindexed(3, blocks, bytes, MPI_INT, &type));
  expect("hindexed", type, MPI_COMBINER_HINDEXED, LIST(int, 3, 1, 0, 4), LIST(MPI_Aint, 40, -16, 400), 1,
         &one);
  CALL(MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type));
  expect("indexed_block", type, MPI_COMBINER_INDEXED_BLOCK, LIST(int, 3, 2, 5, -2, 9), NO_LIST, 1, &one);
  CALL(MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &type));
  expect("hindexed_block", type, MPI_COMBINER_HINDEXED_BLOCK, LIST(int, 3, 2), LIST(MPI_Aint, 40, -16, 400),
         1, &one);
  CALL(MPI_Type_create_struct(3, blocks, bytes, parts, &type));
  expect("struct", type, MPI_COMBINER_STRUCT, LIST(int, 3, 1, 0, 4), LIST(MPI_Aint, 40, -16, 400), 3, parts);
  CALL(MPI_Type_create_struct(0, blocks, bytes, parts, &type));
  expect("empty struct", type, MPI_COMBINER_STRUCT, LIST(int, 0), NO_LIST, NO_LIST);
  CALL(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &type));
  expect("subarray", type, MPI_COMBINER_SUBARRAY, LIST(int, 2, 6, 7, 2, 3, 1, 2, MPI_ORDER_FORTRAN), NO_LIST,
         1, &one);
  CALL(MPI_Type_create_darray(6, 4, 2, sizes, distributions, dargs, grid, MPI_ORDER_C, MPI_INT, &type));
  expect("darray", type, MPI_COMBINER_DARRAY,
         LIST(int, 6, 4, 2, 6, 7, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2, 2,
              3, MPI_ORDER_C),
         NO_LIST, 1, &one);
  CALL(MPI_Type_create_resized(MPI_INT, -8, 24, &type));
  expect("resized", type, MPI_COMBINER_RESIZED, NO_LIST, LIST(MPI_Aint, -8, 24), 1, &one);
  CALL(MPI_Type_create_f90_real(6, MPI_UNDEFINED, &type));
  expect("f90_real", type, MPI_COMBINER_F90_REAL, LIST(int, 6, MPI_UNDEFINED), NO_LIST, NO_LIST);
  CALL(MPI_Type_create_f90_complex(15, 307, &type));
  expect("f90_complex", type, MPI_COMBINER_F90_COMPLEX, LIST(int, 15, 307), NO_LIST, NO_LIST);
  CALL(MPI_Type_create_f90_integer(9, &type));
  expect("f90_integer", type, MPI_COMBINER_F90_INTEGER, LIST(int, 9), NO_LIST, NO_LIST);
}

#if MPI_VERSION >= 4
static void expect_large(const char* name, MPI_Datatype type, int combiner, int n_integers,
                         const int* integers, int n_counts, const MPI_Count* counts, int n_types,
                         const MPI_Datatype* types)
{
  MPI_Count ni = -1, na = -1, nc = -1, nt = -1, got_counts[most];
  int found = -1, got_integers[most];
  MPI_Aint got_addresses[most];
  MPI_Datatype got_types[most];
  subject = name;
  CALL(MPI_Type_get_envelope_c(type, &ni, &na, &nc, &nt, &found));
  CHECK_FOR(found == combiner);
  CHECK_FOR(ni == n_integers && na == 0 && nc == n_counts && nt == n_types);
  if (ni == n_integers && na == 0 && nc == n_counts && nt == n_types) {
    CALL(MPI_Type_get_contents_c(type, ni, na, nc, nt, got_integers, got_addresses, got_counts, got_types));
    for (int i = 0; i < ni; ++i) CHECK_FOR(got_integers[i] == integers[i]);
    for (int i = 0; i < nc; ++i) CHECK_FOR(got_counts[i] == counts[i]);
    for (int i = 0; i < nt; ++i) CHECK_FOR(got_types[i] == types[i]);
  }
  CALL(MPI_Type_free(&type));
}

static void large(void)
{
  const MPI_Count far = (MPI_Count)1 << 33;
  MPI_Count blocks[3] = {1, 0, 4}, places[3] = {5, -2, far};
  MPI_Count large_sizes[2] = {6, far}, large_subsizes[2] = {2, 3}, large_starts[2] = {1, far - 3};
  MPI_Datatype type, parts[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, one = MPI_INT;
  CALL(MPI_Type_contiguous_c(far, MPI_INT, &type));
  expect_large("contiguous_c", type, MPI_COMBINER_CONTIGUOUS, NO_LIST, LIST(MPI_Count, far), 1, &one);
  CALL(MPI_Type_vector_c(3, 2, -far, MPI_INT, &type));
  expect_large("vector_c", type, MPI_COMBINER_VECTOR, NO_LIST, LIST(MPI_Count, 3, 2, -far), 1, &one);
  CALL(MPI_Type_create_hvector_c(3, 2, -far, MPI_INT, &type));
  expect_large("hvector_c", type, MPI_COMBINER_HVECTOR, NO_LIST, LIST(MPI_Count, 3, 2, -far), 1, &one);
  CALL(MPI_Type_indexed_c(3, blocks, places, MPI_INT, &type));
  expect_large("indexed_c", type, MPI_COMBINER_INDEXED, NO_LIST, LIST(MPI_Count, 3, 1, 0, 4, 5, -2, far), 1,
               &one);
  CALL(MPI_Type_create_hindexed_c(3, blocks, places, MPI_INT, &type));
  expect_large("hindexed_c", type, MPI_COMBINER_HINDEXED, NO_LIST, LIST(MPI_Count, 3, 1, 0, 4, 5, -2, far), 1,
               &one);
  CALL(MPI_Type_create_indexed_block_c(3, 2, places, MPI_INT, &type));
  expect_large("indexed_block_c", type, MPI_COMBINER_INDEXED_BLOCK, NO_LIST,
               LIST(MPI_Count, 3, 2, 5, -2, far), 1, &one);
  CALL(MPI_Type_create_hindexed_block_c(3, 2, places, MPI_INT, &type));
  expect_large("hindexed_block_c", type, MPI_COMBINER_HINDEXED_BLOCK, NO_LIST,
               LIST(MPI_Count, 3, 2, 5, -2, far), 1, &one);
  CALL(MPI_Type_create_struct_c(3, blocks, places, parts, &type));
  expect_large("struct_c", type, MPI_COMBINER_STRUCT, NO_LIST, LIST(MPI_Count, 3, 1, 0, 4, 5, -2, far), 3,
               parts);
  CALL(MPI_Type_create_subarray_c(2, large_sizes, large_subsizes, large_starts, MPI_ORDER_C, MPI_INT, &type));
  expect_large("subarray_c", type, MPI_COMBINER_SUBARRAY, LIST(int, 2, MPI_ORDER_C),
               LIST(MPI_Count, 6, far, 2, 3, 1, far - 3), 1, &one);
  large_sizes[1] = 7;
  CALL(MPI_Type_create_darray_c(6, 4, 2, large_sizes, distributions, dargs, grid, MPI_ORDER_C, MPI_INT,
                                &type));
  expect_large("darray_c", type, MPI_COMBINER_DARRAY,
               LIST(int, 6, 4, 2, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2, 2,
                    3, MPI_ORDER_C),
               LIST(MPI_Count, 6, 7), 1, &one);
  CALL(MPI_Type_create_resized_c(MPI_INT, -far, far, &type));
  expect_large("resized_c", type, MPI_COMBINER_RESIZED, NO_LIST, LIST(MPI_Count, -far, far), 1, &one);
  /* The large forms show normal types as they are. */
  CALL(MPI_Type_vector(3, 2, -5, MPI_INT, &type));
  expect_large("vector shown by the large form", type, MPI_COMBINER_VECTOR, LIST(int, 3, 2, -5), NO_LIST, 1,
               &one);
}
#endif

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  normal();
#if MPI_VERSION >= 4
  large();
#endif
  return finish();
}
