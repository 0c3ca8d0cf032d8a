/* Is one MPI library in the process, by whatever names the program and its libraries need or open it? Opens
   the libraries named in its arguments and asks each. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#ifdef THREAD_LOCAL
static _Thread_local volatile char large[THREAD_LOCAL];
#endif

#ifdef NEEDS_LIBRARY
void* address_in_library(void);
#endif

int main(int argc, char** argv)
{
  int rank = -1;
  int sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#ifdef THREAD_LOCAL
  large[rank] = 1;
#endif
  void* (*const own)(void) = (void* (*)(void)) & MPI_Init;
  int same = 1;
#ifdef NEEDS_LIBRARY
  same &= address_in_library() == (void*)own;
#endif
  for (int i = 1; i < argc; ++i) {
    void* const library = dlopen(argv[i], RTLD_NOW);
    if (library == NULL) fprintf(stderr, "%s\n", dlerror());
    same &= library != NULL && dlsym(library, "MPI_Init") == (void*)own;
  }
  printf("rank %d of %d: %s\n", rank, sum, same ? "one library" : "two libraries");
  MPI_Finalize();
  return !same;
}
