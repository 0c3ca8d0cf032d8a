// Runs the case of small_cases.h whose number is its argument, as a suite does that starts each under
// mpiexec.
#include "small_cases.h"

#include <stdlib.h>

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  const int wrong = argc < 2 || run_case(atoi(argv[1]), MPI_COMM_WORLD) != 0;
  MPI_Finalize();
  return wrong;
}
