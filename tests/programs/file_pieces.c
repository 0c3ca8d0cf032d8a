/* Random pieces of one file, each of one rank, written by all at once, each for itself. Usage: file_pieces
 * PATH SEED [handler]. With `handler` each rank handles SIGBUS: it must get its own ones and no others. Every
 * rank compares all of the file with what must be there. Prints the bytes that the job has given to calls
 * that write, as the kernel counts them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECES 3000
#define ROUNDS 12

static int rank, size;
static volatile sig_atomic_t bus_errors;

static void count_bus_error(int signal)
{
  (void)signal;
  ++bus_errors;
}

static void require(int holds, const char* what)
{
  if (holds) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static unsigned long next(unsigned long* state, unsigned long n)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (*state >> 33) % n;
}

static long written_by_calls(void)
{
  long bytes = -1;
  char line[200];
  FILE* file = fopen("/proc/self/io", "r");
  if (!file) return -1;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, "wchar:", 6) == 0) bytes = atol(line + 6);
  fclose(file);
  return bytes;
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  require(argc > 2, "PATH SEED");
  if (argc > 3) signal(SIGBUS, count_bus_error);
  /* The same on all ranks: whose each piece is. All are small enough to be stored, as neighbours
   * differ; the last one is somebody's. */
  static int lengths[PIECES], places[PIECES], owners[PIECES];
  unsigned long common = (unsigned long)atol(argv[2]);
  int bytes = 0, mine = 0, n = 0;
  int* my_lengths = malloc(sizeof(int[PIECES]));
  int* my_places = malloc(sizeof(int[PIECES]));
  for (int i = 0; i < PIECES; ++i) {
    lengths[i] = 1 + (int)next(&common, i % 10 == 0 ? 2000 : 300);
    owners[i] = (int)next(&common, (unsigned long)size + 1) - 1; /* -1: nobody's */
    if (i > 0 && owners[i] == owners[i - 1]) owners[i] = owners[i] < 0 ? 0 : -1;
    if (i == PIECES - 1) owners[i] = 0;
    places[i] = bytes;
    bytes += lengths[i];
    if (owners[i] != rank) continue;
    my_lengths[n] = lengths[i];
    my_places[n++] = places[i];
    mine += lengths[i];
  }
  char* expected = malloc((size_t)bytes);
  char* found = malloc((size_t)bytes);
  char* data = malloc((size_t)mine + 1);
  memset(expected, '-', (size_t)bytes);
  /* What test_file_pieces.py preloads cuts the file off in the first access: that one is to write all. */
  const int cut = getenv("CUT") != NULL;
  const int descriptor = open(argv[1], O_RDWR | O_CREAT, 0600);
  require(descriptor >= 0, "open");
  if (rank == 0) require(pwrite(descriptor, expected, (size_t)bytes, 0) == bytes, "pwrite");
  MPI_File file;
  require(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS,
          "MPI_File_open");
  MPI_Datatype type;
  MPI_Type_indexed(n, my_lengths, my_places, MPI_CHAR, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, 0, MPI_CHAR, type, "native", MPI_INFO_NULL);
  MPI_Type_free(&type);
  unsigned long own = common + (unsigned long)rank * 977;
  const long before = written_by_calls();
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0, k = 0; i < PIECES; ++i) {
      if (owners[i] < 0) continue;
      for (int b = 0; b < lengths[i]; ++b)
        expected[places[i] + b] = (char)(i * 7 + b + round * 31 + owners[i]);
      if (owners[i] == rank) memcpy(data + k, expected + places[i], (size_t)lengths[i]);
      if (owners[i] == rank) k += lengths[i];
    }
    MPI_File_set_atomicity(file, round % 4 == 3);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    for (int at = 0; at < mine;) {
      const int part = cut || next(&own, 2) ? mine - at : 1 + (int)next(&own, (unsigned long)(mine - at));
      MPI_Status status;
      MPI_Request request;
      int count;
      switch (next(&own, 4)) {
        case 0:
          MPI_File_write_at(file, at, data + at, part, MPI_CHAR, &status);
          MPI_File_seek(file, part, MPI_SEEK_CUR);
          break;
        case 1:
          MPI_File_write(file, data + at, part, MPI_CHAR, &status);
          break;
        case 2:
          MPI_File_iwrite_at(file, at, data + at, part, MPI_CHAR, &request);
          MPI_File_seek(file, part, MPI_SEEK_CUR);
          MPI_Wait(&request, &status);
          break;
        default:
          MPI_File_iwrite(file, data + at, part, MPI_CHAR, &request);
          MPI_Wait(&request, &status);
      }
      MPI_Get_count(&status, MPI_CHAR, &count);
      require(count == part, "the count of a write");
      at += part;
    }
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    require(pread(descriptor, found, (size_t)bytes, 0) == bytes, "pread");
    for (int i = 0; i < PIECES; ++i)
      require(
          (cut && owners[i] < 0) || memcmp(found + places[i], expected + places[i], (size_t)lengths[i]) == 0,
          owners[i] < 0 ? "nobody's bytes" : "a piece");
    if (rank == 0) require(lseek(descriptor, 0, SEEK_END) == bytes, "the size of the file");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const long all = written_by_calls() - before;
  MPI_File_close(&file);
  if (argc > 3) {
    require(bus_errors == 0, "a bus error that is not the rank's");
    raise(SIGBUS);
    require(bus_errors == 1, "the rank's own bus error");
  }
  if (rank == 0) printf("of %ld bytes calls have written %ld\n", (long)bytes * ROUNDS, all);
  close(descriptor);
  free(expected);
  free(found);
  free(data);
  free(my_lengths);
  free(my_places);
  MPI_Finalize();
  return 0;
}
