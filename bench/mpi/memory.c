// Memory that a job takes of the machine for each rank, once every rank has started and has been in one collective call: the
// sum over the ranks' processes of their proportional set sizes (pages that several share count once in all),
// without the launcher's. Under Ranklet the ranks are one process.

#include <unistd.h>

#include "measure.h"

// In bytes.
static double proportional_set_size(void)
{
  char line[256];
  double kib = -1;
  FILE* const file = fopen("/proc/self/smaps_rollup", "r");
  if (!file) wrong("no /proc/self/smaps_rollup to read");
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "Pss: %lf", &kib) == 1) break;
  fclose(file);
  if (kib <= 0) wrong("no Pss in /proc/self/smaps_rollup");
  return kib * 1024;
}

int main(int argc, char** argv)
{
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int process = (int)getpid();
  int* const processes = malloc(sizeof(int) * (size_t)size);
  MPI_Allgather(&process, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
  int first = 0;
  while (processes[first] != process) ++first;
  // All are still there while each looks.
  double bytes = first == rank ? proportional_set_size() : 0, all = 0;
  MPI_Reduce(&bytes, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("memory ranks=%d bytes_per_rank=%.0f\n", size, all / size);
  free(processes);
  MPI_Finalize();
  return 0;
}
