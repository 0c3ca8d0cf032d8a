"""One numpy array in a shared window: each rank writes its part, and all read all of it, without messages.

    mpiexec -n 4 python3 shared.py
"""
import sys

import numpy as np
from mpi4py import MPI

# The ranks of one machine; under Ranklet all.
node = MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED)
rank, size = node.Get_rank(), node.Get_size()

LENGTH = 1000
first, end = LENGTH * rank // size, LENGTH * (rank + 1) // size

# Rank 0 gives the memory; the others ask where it is.
item = MPI.DOUBLE.Get_size()
window = MPI.Win.Allocate_shared(LENGTH * item if rank == 0 else 0, item, comm=node)
memory, _ = window.Shared_query(0)
squares = np.ndarray(LENGTH, dtype='d', buffer=memory)

# What was written before a fence can be read after it.
window.Fence()
squares[first:end] = np.arange(first, end) ** 2
window.Fence()

# The neighbours' elements are read where they are.
low, high = max(first, 1), min(end, LENGTH - 1)
differences = squares[low - 1:high - 1] - 2 * squares[low:high] + squares[low + 1:high + 1]
right = bool(np.all(differences == 2)) and squares.sum() == sum(i * i for i in range(LENGTH))

all_right = node.allreduce(right, op=MPI.LAND)
del squares, memory  # they end with the window
window.Free()
if rank == 0:
    print(f'{size} ranks, one array of {LENGTH} squares:', 'right' if all_right else 'wrong')
sys.exit(0 if all_right else 1)
