"""One-way time of a blocking ping-pong of numpy arrays between two ranks, and time of a broadcast of 100 MB, through mpi4py.
What arrives is checked."""
import statistics
import sys
import time

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
quick = '--quick' in sys.argv
repetitions = 5 if quick else 15


def ping_pong(array, number):
    """The array goes from rank 0 to rank 1 and back; what is sent begins and ends with the number."""
    if rank == 0:
        array[0] = array[-1] = number
        world.Send(array, 1)
        world.Recv(array, 1)
        assert array[0] == array[-1] == (number + 1) % 128
    else:
        world.Recv(array, 0)
        assert array[0] == array[-1] == number
        array[0] = array[-1] = (number + 1) % 128
        world.Send(array, 0)


def broadcast(array, number):
    if rank == 0:
        array[0] = array[-1] = number
    world.Bcast(array)
    assert array[0] == array[-1] == number


def median_ns(call, calls, *arguments):
    """Of rank 0's time for one call."""
    times = []
    for number in range(repetitions + 1):
        world.Barrier()
        begin = time.perf_counter_ns()
        for _ in range(calls):
            call(*arguments, number)
        times.append((time.perf_counter_ns() - begin) / calls)
    return statistics.median(times[1:])  # the first one warms up


for size, calls in ((8, 2000), (4096, 1000), (1 << 20, 30)):
    median = median_ns(ping_pong, calls // 4 if quick else calls, np.zeros(size, dtype='b')) / 2
    if rank == 0:
        print(f'numpy_buffers what=ping_pong bytes={size} median_ns={median:.1f}')
median = median_ns(broadcast, 1, np.zeros(100_000_000, dtype='b'))
if rank == 0:
    print(f'numpy_buffers what=bcast bytes=100000000 median_ns={median:.1f}')
