"""Time until numpy is imported on all ranks that begin at once."""
import time

from mpi4py import MPI

world = MPI.COMM_WORLD
world.Barrier()
begin = time.perf_counter_ns()
import numpy as np  # noqa: E402

elapsed = world.allreduce(time.perf_counter_ns() - begin, MPI.MAX)
assert np.arange(3).sum() == 3
if world.Get_rank() == 0:
    print(f'numpy_import ranks={world.Get_size()} median_ns={elapsed}')
