#!/usr/bin/env python3
"""A suite of 200 small MPI test cases: inside one program by ranklet::run, beside the same cases started one by one
under mpiexec of each MPI of this machine.

    bench/suite.py --build build [--ranks 4] [--every 1]

--every 10 starts only each tenth case under mpiexec, and says so.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
import mpis

HERE = Path(__file__).resolve().parent
CASES = 200


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True, help='build directory of Ranklet, with bench/suite built')
    parser.add_argument('--ranks', type=int, default=4)
    parser.add_argument('--every', type=int, default=1, help='start every n-th case only under mpiexec')
    return parser.parse_args()


def seconds_under_mpiexec(mpi, program, options):
    """Of the cases that are started, and their number."""
    numbers = range(0, CASES, options.every)
    environment = {**os.environ, **mpi.environment}
    begin = time.monotonic()
    for number in numbers:
        subprocess.run([mpi.mpiexec, *mpi.options, '-n', str(options.ranks), program, str(number)], check=True,
                       env=environment, stdout=subprocess.DEVNULL, timeout=120)
    return time.monotonic() - begin, len(numbers)


def main():
    options = parse()
    suite = Path(options.build) / 'bench' / 'suite'
    if not suite.exists():
        raise SystemExit(f'{suite} is missing: ninja -C {options.build} bench/suite')
    runs = [float(subprocess.run([suite, str(options.ranks), str(CASES)], check=True, capture_output=True,
                                 text=True).stdout) for _ in range(3)]
    ours = sorted(runs)[1] / CASES
    print(f'{CASES} cases on {options.ranks} ranks'
          + (f'; under mpiexec every {options.every}th of them' if options.every > 1 else ''))
    print(f'{"":28}{"per case":>12}{"whole suite":>14}{"times slower":>14}')
    print(f'{"ranklet::run, one program":28}{ours * 1e3:9.3f} ms{ours * CASES:12.2f} s{1:14.0f}')
    with tempfile.TemporaryDirectory() as directory:
        for mpi in mpis.known_mpis(options.build).values():
            program = f'{directory}/one_case_{mpi.name}'
            subprocess.run([mpi.mpicc, *mpis.FLAGS, HERE / 'mpi' / 'one_case.c', '-o', program], check=True,
                           env={**os.environ, **mpi.environment})
            seconds, number = seconds_under_mpiexec(mpi, program, options)
            each = seconds / number
            print(f'{mpi.name + ", mpiexec for each":28}{each * 1e3:9.3f} ms{each * CASES:12.2f} s{each / ours:14.0f}',
                  flush=True)


if __name__ == '__main__':
    main()
