#!/usr/bin/env python3
"""What Fortran's interfaces cost beside C: builds bench/fortran with the compiler wrappers of each MPI and runs it on two
ranks, in turns. The lines are explained in bench/fortran/main.c; another MPI's mpi_f08 may have no sections.
"""
import argparse
import os
import sys
import tempfile
from pathlib import Path

from mpis import FLAGS, Failed, choose, machine, run

HERE = Path(__file__).resolve().parent / "fortran"


def build(mpi, directory):
    """The program, linked by the Fortran wrapper that lies beside mpicc."""
    mpifort = mpi.mpicc.replace("mpicc", "mpifort")
    directory = Path(directory)
    directory.mkdir()
    objects = []
    for wrapper, source in ((mpi.mpicc, "main.c"), (mpifort, "calls.f"), (mpifort, "calls_f08.f90")):
        objects.append(str(directory / (source + ".o")))
        flags = FLAGS if wrapper == mpi.mpicc else ["-O2", "-w", "-J", str(directory)]
        run([wrapper, *flags, "-c", str(HERE / source), "-o", objects[-1]], mpi.environment)
    program = str(directory / "fortran")
    run([mpifort, *objects, "-o", program], mpi.environment)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", help="a build tree of Ranklet, searched for mpicc and mpiexec")
    parser.add_argument("--ranklet", help="the directory of Ranklet's mpicc and mpiexec")
    parser.add_argument("--mpi", help="comma-separated: ranklet,mpich,openmpi (default: ranklet)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="shorter repetitions")
    arguments = parser.parse_args()
    arguments.bind = False
    mpis = choose(arguments, "fortran.py", ["ranklet"])
    print("# " + " ".join(f"{key}={value}" for key, value in machine().items()))
    try:
        with tempfile.TemporaryDirectory() as directory:
            programs = {name: build(mpi, os.path.join(directory, name)) for name, mpi in mpis.items()}
            for _ in range(arguments.rounds):
                for name, mpi in mpis.items():
                    command = [mpi.mpiexec, *mpi.options, "-n", "2", programs[name], *(["--quick"] if arguments.quick else [])]
                    for line in run(command, mpi.environment)[0].splitlines():
                        print(name, line)
    except Failed as failure:
        sys.exit(f"fortran.py: {failure}")


if __name__ == "__main__":
    main()
