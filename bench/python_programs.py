"""Which MPIs of this machine have an mpi4py, and which interpreter runs it."""
import os
import sys

from mpis import Failed, run

# What MPI.Get_library_version() says of each MPI.
WORDS = {"ranklet": "ranklet", "mpich": "mpich", "openmpi": "open mpi"}
ASK = "from mpi4py import MPI; import numpy; print(MPI.Get_library_version())"


def default_interpreter():
    # The system's own: mpi4py is a package of it.
    return "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable


def add_mpi4py(mpis, interpreter, places):
    """Tells each MPI where its mpi4py lies: `places` are texts NAME=DIRECTORY. The names of the MPIs that have one."""
    for place in places:
        name, equals, directory = place.partition("=")
        if not equals or name not in mpis and name not in WORDS:
            sys.exit(f"--mpi4py {place}: not NAME=DIRECTORY with one of {', '.join({**WORDS, **mpis})}")
        if name in mpis:
            mpis[name].environment = {**mpis[name].environment, "PYTHONPATH": os.path.abspath(directory)}
    return {name for name, mpi in mpis.items() if has_mpi4py(mpi, interpreter)}


def has_mpi4py(mpi, interpreter):
    """An mpi4py of another MPI works, too, on each rank alone: it is none. Of an MPI that the user has named it is what
    --mpi4py says."""
    if mpi.name not in WORDS:
        return "PYTHONPATH" in mpi.environment
    try:
        version = run([mpi.mpiexec, *mpi.options, "-n", "1", interpreter, "-c", ASK], mpi.environment)[0]
    except Failed:
        return False
    return WORDS[mpi.name] in version.lower()
