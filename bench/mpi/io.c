// Access to one file by all ranks, in the directory TMPDIR (default: /tmp). Lines:
//     io what=WHAT bytes=B ranks=N median_ns=…, where WHAT is
//         open                   MPI_File_open and MPI_File_close on all ranks (bytes=0)
//         raw_write, raw_read    pwrite and pread of the same, by rank 0 alone
//         write, read            MPI_File_write_at and read_at of one piece, by rank 0 alone
//         interleaved_write/P, interleaved_read/P  collective: pieces of P bytes of the ranks in turn
//         strided_write/P        independent, by all ranks at once: the same
//         raw_write_small, shared_write  pwrite, and MPI_File_write_shared by rank 0
//     overlap of=iwrite bytes=B comm_ns=… compute_ns=… both_ns=… hidden=…  MPI_File_iwrite during a
//     computation
// All data is in the page cache; the times are medians of those of the slowest rank.

#include <fcntl.h>
#include <unistd.h>

#include "measure.h"

static int rank, size;
static char name[400];

struct job {
  MPI_File file;
  int descriptor;
  char* data;
  size_t bytes;
};

static double slowest(double mine)
{
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

// The median over repetitions of the time of `once`, which all ranks call.
static double time_of(const struct options* o, void (*once)(struct job*), struct job* j)
{
  double times[101];
  const int n = o->repetitions < 101 ? o->repetitions : 101;
  once(j);
  for (int i = 0; i < n; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now_ns();
    once(j);
    times[i] = slowest(now_ns() - begin);
  }
  return median(times, n);
}

static void open_and_close(struct job* j)
{
  if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &j->file) !=
      MPI_SUCCESS)
    wrong("%s cannot be opened", name);
  MPI_File_close(&j->file);
}

static void raw_write(struct job* j)
{
  if (rank == 0 && pwrite(j->descriptor, j->data, j->bytes, 0) != (ssize_t)j->bytes) wrong("a short pwrite");
}

static void raw_read(struct job* j)
{
  if (rank == 0 && pread(j->descriptor, j->data, j->bytes, 0) != (ssize_t)j->bytes) wrong("a short pread");
}

static void check(const struct job* j, MPI_Status* status)
{
  int count;
  MPI_Get_count(status, MPI_BYTE, &count);
  if ((size_t)count != j->bytes) wrong("%d bytes were moved, not %zu", count, j->bytes);
}

static void write_alone(struct job* j)
{
  MPI_Status status;
  if (rank != 0) return;
  MPI_File_write_at(j->file, 0, j->data, (int)j->bytes, MPI_BYTE, &status);
  check(j, &status);
}

static void read_alone(struct job* j)
{
  MPI_Status status;
  if (rank != 0) return;
  MPI_File_read_at(j->file, 0, j->data, (int)j->bytes, MPI_BYTE, &status);
  check(j, &status);
}

static void write_together(struct job* j)
{
  MPI_Status status;
  MPI_File_write_at_all(j->file, 0, j->data, (int)j->bytes, MPI_BYTE, &status);
  check(j, &status);
}

static void read_together(struct job* j)
{
  MPI_Status status;
  MPI_File_read_at_all(j->file, 0, j->data, (int)j->bytes, MPI_BYTE, &status);
  check(j, &status);
}

static void write_strided(struct job* j)
{
  MPI_Status status;
  MPI_File_write_at(j->file, 0, j->data, (int)j->bytes, MPI_BYTE, &status);
  check(j, &status);
}

static void write_shared(struct job* j)
{
  MPI_Status status;
  if (rank != 0) return;
  for (int i = 0; i < 100; ++i) MPI_File_write_shared(j->file, j->data, (int)j->bytes, MPI_BYTE, &status);
}

static void raw_write_often(struct job* j)
{
  if (rank != 0) return;
  for (int i = 0; i < 100; ++i)
    if (pwrite(j->descriptor, j->data, j->bytes, i * (off_t)j->bytes) < 0) wrong("pwrite failed");
}

static void see_all(struct job* j)
{
  MPI_File_set_view(j->file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
}

// Pieces of all ranks in turn.
static void see_pieces(struct job* j, int piece)
{
  MPI_Datatype block, mine;
  MPI_Type_contiguous(piece, MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, (MPI_Aint)piece * size, &mine);
  MPI_Type_commit(&mine);
  MPI_File_set_view(j->file, (MPI_Offset)rank * piece, MPI_BYTE, mine, "native", MPI_INFO_NULL);
  MPI_Type_free(&block);
  MPI_Type_free(&mine);
}

static void fill_data(struct job* j, size_t bytes)
{
  j->bytes = bytes;
  for (size_t i = 0; i < bytes; ++i) j->data[i] = (char)pattern(i, (unsigned)rank);
}

static void verify_data(struct job* j, const char* what)
{
  for (size_t i = 0; i < j->bytes; ++i)
    if (j->data[i] != (char)pattern(i, (unsigned)rank)) wrong("%s: byte %zu", what, i);
}

static void print(const char* what, int piece, size_t bytes, double ns)
{
  char suffix[16] = "";
  if (rank != 0) return;
  if (piece) snprintf(suffix, sizeof suffix, "/%d", piece);
  printf("io what=%s%s bytes=%zu ranks=%d median_ns=%.0f\n", what, suffix, bytes, size, ns);
}

static unsigned long compute(long steps)
{
  unsigned long x = 1;
  for (long i = 0; i < steps; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

// Rank 0 writes and computes; the others wait.
static void overlap(struct job* j, size_t bytes)
{
  if (rank != 0) return;
  MPI_Request request;
  volatile unsigned long sink;
  double begin = now_ns();
  MPI_File_iwrite_at(j->file, 0, j->data, (int)bytes, MPI_BYTE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  begin = now_ns();
  MPI_File_iwrite_at(j->file, 0, j->data, (int)bytes, MPI_BYTE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const double alone = now_ns() - begin;
  begin = now_ns();
  sink = compute(10000000);
  const long steps = (long)(10000000 * (1.2 * alone / (now_ns() - begin)));
  begin = now_ns();
  sink = compute(steps);
  const double computation = now_ns() - begin;
  begin = now_ns();
  MPI_File_iwrite_at(j->file, 0, j->data, (int)bytes, MPI_BYTE, &request);
  sink = compute(steps);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const double both = now_ns() - begin;
  (void)sink;
  printf("overlap of=iwrite bytes=%zu comm_ns=%.0f compute_ns=%.0f both_ns=%.0f hidden=%.2f\n", bytes, alone,
         computation, both, (alone + computation - both) / (alone < computation ? alone : computation));
}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  const struct options o = read_options(argc, argv);
  struct job j;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* directory = getenv("TMPDIR");
  snprintf(name, sizeof name, "%s/ranklet_bench_io.%ld", directory ? directory : "/tmp", (long)getpid());
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  const size_t large = o.quick ? 16u << 20 : 256u << 20;
  j.data = allocate(rank == 0 ? large : 16u << 20);  // only rank 0 overlaps
  j.descriptor = rank == 0 ? open(name, O_RDWR | O_CREAT, 0600) : -1;
  print("open", 0, 0, time_of(&o, open_and_close, &j));
  if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &j.file) !=
      MPI_SUCCESS)
    wrong("%s cannot be opened", name);
  const size_t sizes[] = {4096, 1u << 20, 16u << 20};
  for (int i = 0; i < 3; ++i) {
    fill_data(&j, sizes[i]);
    print("raw_write", 0, sizes[i], time_of(&o, raw_write, &j));
    print("write", 0, sizes[i], time_of(&o, write_alone, &j));
    print("raw_read", 0, sizes[i], time_of(&o, raw_read, &j));
    print("read", 0, sizes[i], time_of(&o, read_alone, &j));
    verify_data(&j, "read");
  }
  const int pieces[] = {64, 1024, 16384};
  for (int i = 0; i < 3; ++i) {
    see_pieces(&j, pieces[i]);
    fill_data(&j, 4u << 20);
    print("interleaved_write", pieces[i], j.bytes, time_of(&o, write_together, &j));
    memset(j.data, 0, j.bytes);
    print("interleaved_read", pieces[i], j.bytes, time_of(&o, read_together, &j));
    verify_data(&j, "interleaved");
  }
  see_pieces(&j, 512);
  fill_data(&j, 1u << 20);
  print("strided_write", 512, j.bytes, time_of(&o, write_strided, &j));
  memset(j.data, 0, j.bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  read_together(&j);
  verify_data(&j, "strided");
  see_all(&j);
  fill_data(&j, 64);
  print("raw_write_small", 0, 64, time_of(&o, raw_write_often, &j) / 100);
  print("shared_write", 0, 64, time_of(&o, write_shared, &j) / 100);
  MPI_Barrier(MPI_COMM_WORLD);
  overlap(&j, large);
  MPI_File_close(&j.file);
  if (rank == 0) close(j.descriptor);
  free(j.data);
  MPI_Finalize();
  return 0;
}
