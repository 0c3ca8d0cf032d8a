"""Heat spreads over a plate of numpy rows. Each rank has a band of them and trades its edge rows with its neighbours in
every step, as buffers; settings and results, which are Python objects, travel pickled.

    mpiexec -n 4 python3 halo.py
"""
import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()


def step(plate):
    """One step of all rows but the first and the last."""
    inner = plate[1:-1, 1:-1]
    inner += 0.2 * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:] - 4 * inner)


def start(rows, columns):
    """The plate is cold, but for its left edge."""
    plate = np.zeros((rows, columns))
    plate[:, 0] = 100.0
    return plate


def trade_halo(band):
    """My first and last row become the neighbours' outermost ones. At the ends nobody is: MPI.PROC_NULL takes all."""
    above = rank - 1 if rank > 0 else MPI.PROC_NULL
    below = rank + 1 if rank < size - 1 else MPI.PROC_NULL
    world.Sendrecv(band[1], dest=above, recvbuf=band[-1], source=below)
    world.Sendrecv(band[-2], dest=below, recvbuf=band[0], source=above)


# Lower-case methods pickle any object: rank 0 tells the others what to compute.
settings = world.bcast({'rows': 50, 'columns': 30, 'steps': 200} if rank == 0 else None)
rows, columns, steps = settings['rows'], settings['columns'], settings['steps']

if size > rows - 2:
    sys.exit(f'at most {rows - 2} ranks have a row each')

# The inner rows are dealt out; each band has a row more above and below.
bounds = [1 + (rows - 2) * r // size for r in range(size + 1)]
first, end = bounds[rank], bounds[rank + 1]
band = start(end - first + 2, columns)
for _ in range(steps):
    trade_halo(band)
    step(band)

warmest = world.gather({'rank': rank, 'warmest': float(band[1:-1, 1:-1].max())})

# Upper-case methods move buffers. A dtype of numpy is known as a datatype; counts are of doubles.
plate = start(rows, columns) if rank == 0 else None
counts = [(bounds[r + 1] - bounds[r]) * columns for r in range(size)]
world.Gatherv(band[1:-1], [plate[1:-1], counts] if rank == 0 else None)

if rank == 0:
    alone = start(rows, columns)
    for _ in range(steps):
        step(alone)
    for part in warmest:
        print(f"rank {part['rank']}: {part['warmest']:.3f} degrees at most")
    difference = np.abs(plate - alone).max()
    print('as on one rank:', difference == 0)
    sys.exit(0 if difference == 0 else f'the plates differ by {difference}')
