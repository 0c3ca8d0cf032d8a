"""Time of a loop in pure Python on all ranks at once: the slowest rank's."""
import statistics
import sys
import time

from mpi4py import MPI

world = MPI.COMM_WORLD
steps = 300_000 if '--quick' in sys.argv else 3_000_000


def loop():
    total = 0
    for i in range(steps):
        total += i
    assert total == steps * (steps - 1) // 2


times = []
for _ in range(5):
    world.Barrier()
    begin = time.perf_counter_ns()
    loop()
    times.append(world.allreduce(time.perf_counter_ns() - begin, MPI.MAX))
if world.Get_rank() == 0:
    print(f'python_loop ranks={world.Get_size()} median_ns={statistics.median(times):.1f}')
