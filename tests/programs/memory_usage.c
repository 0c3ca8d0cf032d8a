/* Buffers that do not fit the memory that they lie in, and some that do. */
#include <stdio.h>

#include "tasks.h"

static int few[5];

/* What lies behind a local variable was written: no function returns to frames that it may belong to. */
static _Noreturn void end_here(void)
{
  MPI_Finalize();
  exit(0);
}

static void static_variable(void)
{
  if (rank == 0)
    MPI_Send(few, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* static-variable here */
  else
    MPI_Recv(few, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* static-variable here */
}

static void broadcast(int* values, int count)
{
  MPI_Bcast(values, count, MPI_INT, 0, MPI_COMM_WORLD); /* local-variable here */
}

static void local_variable(void)
{
  int values[8] = {0};
  broadcast(values + 4, 5);
  end_here();
}

static void wider_type(void)
{
  int mine = rank, all[2] = {0};
  /* wider-type here: the next line */
  MPI_Allreduce(&mine, all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void strided(void)
{
  static MPI_Datatype type;
  double column[10] = {0};
  MPI_Type_vector(5, 1, 3, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(column, 1, type, 0, MPI_COMM_WORLD); /* strided here */
  MPI_Type_free(&type);
  end_here();
}

static void statuses(void)
{
  MPI_Request requests[2];
  MPI_Status status;
  for (int i = 0; i < 2; ++i) MPI_Isend(NULL, 0, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < 2; ++i) MPI_Recv(NULL, 0, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &status);
  MPI_Waitall(2, requests, &status); /* statuses here */
  end_here();
}

static void counts(void)
{
  int all[2], one[1] = {1}, displacements[2] = {0, 1};
  /* counts here: the next line */
  MPI_Gatherv(&rank, 1, MPI_INT, all, one, displacements, MPI_INT, 0, MPI_COMM_WORLD);
}

static void window(void)
{
  int memory[4];
  MPI_Win win;
  /* window here: the next line */
  MPI_Win_create(memory, sizeof memory + 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_free(&win);
}

static void block(void)
{
  char* const text = strdup("hello");
  MPI_Bcast(text, 7, MPI_CHAR, 0, MPI_COMM_WORLD); /* block here */
  free(text);
}

static void freed_block(void)
{
  char* const text = malloc(2000);
  char* volatile given_back = text;
  free(text);
  MPI_Bcast(given_back, 5, MPI_CHAR, 0, MPI_COMM_WORLD); /* freed-block here */
  MPI_Barrier(MPI_COMM_WORLD);
}

static void freed_window(void)
{
  int* const memory = malloc(4000);
  MPI_Win win;
  MPI_Win_create(memory, 4000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  free(memory);
  MPI_Win_free(&win); /* freed-window here */
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Several variables by one type, parts of arrays, blocks that grow and move. */
static void right(void)
{
  int number = 1, grid[4][6] = {{0}};
  double value = 2;
  MPI_Aint first, second;
  MPI_Datatype both, column;
  MPI_Get_address(&number, &first);
  MPI_Get_address(&value, &second);
  MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, second - first},
                         (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &both);
  MPI_Type_commit(&both);
  MPI_Bcast(&number, 1, both, 0, MPI_COMM_WORLD);
  MPI_Type_vector(4, 1, 6, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Bcast(&grid[0][5], 1, column, 0, MPI_COMM_WORLD);
  MPI_Bcast(&grid[3][5], 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(few, 5, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Type_free(&both);
  MPI_Type_free(&column);
  char* bytes = NULL;
  for (int size = 1; size < 3000000; size *= 3) {
    bytes = realloc(bytes, (size_t)size);
    MPI_Bcast(bytes, size, MPI_CHAR, 0, MPI_COMM_WORLD);
    void* aligned = NULL;
    if (posix_memalign(&aligned, 256, (size_t)size) != 0) abort();
    MPI_Bcast(aligned, size, MPI_CHAR, 0, MPI_COMM_WORLD);
    free(aligned);
    char* const zeroed = calloc((size_t)size, 1);
    MPI_Bcast(zeroed, size, MPI_CHAR, 0, MPI_COMM_WORLD);
    free(zeroed);
    void* mpi = NULL;
    MPI_Alloc_mem(size, MPI_INFO_NULL, &mpi);
    MPI_Bcast(mpi, size, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Free_mem(mpi);
  }
  free(bytes);
  char* line = NULL;
  size_t room = 0;
  FILE* const file = tmpfile();
  fputs("a line\n", file);
  rewind(file);
  const ssize_t length = getline(&line, &room, file);
  MPI_Bcast(line, (int)length + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
  free(line);
  fclose(file);
}

int main(int argc, char** argv)
{
  static const struct task tasks[] = {
      {"static-variable", static_variable},
      {"local-variable", local_variable},
      {"wider-type", wider_type},
      {"strided", strided},
      {"statuses", statuses},
      {"counts", counts},
      {"window", window},
      {"block", block},
      {"freed-block", freed_block},
      {"freed-window", freed_window},
      {"right", right},
  };
  return run_task(tasks, sizeof tasks / sizeof *tasks, argc, argv, MPI_THREAD_SINGLE);
}
