// Threads begin and end while another thread of their rank opens and closes a library, whose storage a thread that
// begins gets.
// Arguments: the library.
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { rounds = 60 };

static atomic_int stop, begun;

static void* short_thread(void* unused)
{
  atomic_fetch_add(&begun, 1);
  return unused;
}

static void* start_threads(void* unused)
{
  while (!atomic_load(&stop)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, short_thread, NULL) != 0) continue;
    pthread_join(thread, NULL);
  }
  return unused;
}

// 1 if a copy was opened that was not used before.
static int open_and_close(const char* path)
{
  void* const library = dlopen(path, RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
  int (*times_initialised)(void);
  *(void**)&times_initialised = dlsym(library, "times_initialised");
  const int times = times_initialised ? times_initialised() : 0;
  dlclose(library);
  if (times != 1) fprintf(stderr, "initialised %d times\n", times);
  return times == 1;
}

int main(int argc, char** argv)
{
  int provided, rank, right = 0, all = 0, size;
  pthread_t starter;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2 || pthread_create(&starter, NULL, start_threads, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  while (atomic_load(&begun) == 0) {
  }
  for (int i = 0; i < rounds; ++i) right += open_and_close(argv[1]);
  atomic_store(&stop, 1);
  pthread_join(starter, NULL);
  MPI_Reduce(&right, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d of %d openings gave a new copy\n", all, size * rounds);
  MPI_Finalize();
  return rank == 0 && all != size * rounds;
}
