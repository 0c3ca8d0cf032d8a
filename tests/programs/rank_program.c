/* What test_ranks.py asks of a rank, by its first argument. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int started; /* private to each rank */

/* The program calls nothing after this that looks at its heap. */
static int damage;
__attribute__((destructor)) static void damage_heap(void)
{
  if (!damage) return;
  volatile char* const block = malloc(24);
  for (int i = -2048; i < 2048; ++i) block[i] = 0x41;
}

static void exit_at_once(int number)
{
  (void)number;
  _exit(8);
}

static void* compute(void* unused)
{
  struct timespec used;
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  while (used.tv_sec == 0 && used.tv_nsec < 50000000);
  return unused;
}

int main(int argc, char** argv)
{
  const char* task = argc > 1 ? argv[1] : "";
  int rank, size;
  ++started;
  if (!strcmp(task, "exit-before-init") && atoi(getenv("PMI_RANK")) == 1) return 4;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  if (!strcmp(task, "who")) {
    int wanted_rank = atoi(getenv("PMI_RANK")), wanted_size = atoi(getenv("OMPI_COMM_WORLD_SIZE"));
    int *number, found;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
    printf("rank %d of %d, expected %d of %d, started %d, app %d\n", rank, size, wanted_rank, wanted_size, started,
           found ? *number : -1);
  } else if (!strcmp(task, "alone")) {
    printf("rank %d of %d\n", rank, size);
  } else if (!strcmp(task, "where")) {
    char path[4096];
    printf("%d %s %s\n", rank, getcwd(path, sizeof path), getenv("A") ? getenv("A") : "-");
  } else if (!strcmp(task, "huge-pages")) {
    /* Whether the kernel was advised about a large block, as one line of smaps says ("hg"). */
    const size_t size = 32 << 20;
    char* const block = malloc(size);
    char line[4096];
    int inside = 0, advised = 0;
    memset(block, 1, size);
    FILE* const maps = fopen("/proc/self/smaps", "r");
    while (fgets(line, sizeof line, maps)) {
      unsigned long begin, end;
      if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
        inside = begin <= (unsigned long)block + size / 2 && (unsigned long)block + size / 2 < end;
      else if (inside && !strncmp(line, "VmFlags:", 8))
        advised = strstr(line, " hg") != NULL;
    }
    fclose(maps);
    free(block);
    printf("%s\n", advised ? "huge" : "small");
  } else if (!strcmp(task, "exit")) {
    if (rank == 1) exit(atoi(argv[2]));
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "leave")) {
    if (rank == 1) return 0;
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "leave-at-once")) {
    if (rank == 1) _exit(0);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "leave-after-finalize")) {
    MPI_Finalize();
    if (rank == 1) _exit(0);
    printf("%d\n", rank);
    return 0;
  } else if (!strcmp(task, "abort")) {
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "print-and-abort")) {
    /* Nothing keeps the ranks together: one may be done before others have begun. */
    static char buffer[4096];
    if (rank % 2) setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    printf("line of %d\n", rank);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "print-behind-thread")) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    pthread_join(thread, NULL);
    printf("line of %d\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "overwritten")) {
    FILE* const file = rank == 0 ? fopen(argv[2], "r+") : NULL;
    if (file) {
      fseek(file, 0, SEEK_END);
      fputs("more", file);
      fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) *(volatile int*)16 = 1;
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "exit-in-handler")) {
    signal(SIGTERM, exit_at_once);
    for (;;) printf("a line that nobody reads, of 64 bytes, so that they fill a pipe\n");
  } else if (!strcmp(task, "kill-itself")) {
    if (rank == 1) kill(getpid(), atoi(argv[2]));
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "broken-pipe")) {
    int ends[2];
    if (rank == 1 && pipe(ends) == 0) {
      close(ends[0]);
      if (write(ends[1], "x", 1) < 0) puts("lives");
    }
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "damage-heap")) {
    damage = rank == 1;
  } else if (!strcmp(task, "crash")) {
    printf("unfinished line of %d", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) *(volatile int*)16 = 1;
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "raise")) {
    if (rank == 1) raise(atoi(argv[2]));
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(task, "hang")) {
    if (rank == 0) {
      puts("ready");
      fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    sleep(60);
  } else if (!strcmp(task, "lines")) {
    for (int i = 0; i < 200; ++i) {
      printf("abc");
      if (i % 16 == 0) fflush(stdout);
      printf("def%d\n", rank);
    }
  } else if (!strcmp(task, "input")) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) printf("%d got %s", rank, line);
  } else if (!strcmp(task, "prompt")) {
    if (rank == 1) {
      printf("Name? ");
      fflush(stdout);
    }
    char line[100];
    if (rank == 0 && fgets(line, sizeof line, stdin)) MPI_Send(line, 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(line, 100, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) printf("%s", line);
  } else if (!strcmp(task, "name")) {
    char line[100] = "";
    char path[100];
    snprintf(path, sizeof path, "/proc/self/task/%ld/comm", (long)gettid());
    FILE* file = fopen(path, "r");
    if (file && fgets(line, sizeof line, file)) printf("%s", line);
  } else if (!strcmp(task, "return-after-finalize")) {
    MPI_Finalize();
    return rank == 1 ? 6 : 0;
  }
  MPI_Finalize();
  return 0;
}
