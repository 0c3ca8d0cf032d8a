#!/usr/bin/env python3
"""Runs the conformance programs under Ranklet and the other MPIs that are installed, and prints a table.

Under each MPI a program passes, fails, finds no end in time, or is not available: the MPI's mpi.h lacks what it uses.
Where that differs from Ranklet the program says why, in a comment line of the form
    mpich: reason            or            openmpi: reason
The script prints these reasons. Exit code: 0, or 1 when a program fails under Ranklet, or differs without a reason.
"""
import argparse
import concurrent.futures
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent.parent / "bench"))

from mpis import Failed, known_mpis, run  # noqa: E402

FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-w", "-Werror=implicit-function-declaration"]
MISSING = re.compile(r"(?:implicit declaration of function|unknown type name|error:|undefined reference to) [`'‘](MPIX?_\w+)['’]")


def reason(source, mpi):
    """What the program says about this MPI, or None."""
    found = re.search(rf"^[ /*]*{mpi.name}: (.*?)(?:\s*\*/)?$", source.read_text(), re.MULTILINE)
    return found[1] if found else None


def judge(mpi, source, directory, ranks, limit):
    """(result, detail) of one program under one MPI."""
    program = directory / mpi.name / source.relative_to(HERE).with_suffix("")
    program.parent.mkdir(parents=True, exist_ok=True)
    try:
        run([mpi.mpicc, *FLAGS, str(source), "-o", str(program), "-lm"], mpi.environment)
    except Failed as failure:
        names = sorted(set(MISSING.findall(str(failure))))
        return ("not available", ", ".join(names)) if names else ("does not compile", str(failure))
    for n in ranks:
        try:
            run([mpi.mpiexec, *mpi.options, "-n", str(n), str(program)], mpi.environment, limit)
        except Failed as failure:
            return "timeout" if failure.timeout else "fail", f"on {n} ranks: {failure}"
    return "pass", ""


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", help="a build tree of Ranklet, searched for mpicc and mpiexec")
    parser.add_argument("--ranklet", help="the directory of Ranklet's mpicc and mpiexec (default: from PATH)")
    parser.add_argument("--only", default="", help="programs whose path contains this")
    parser.add_argument("--ranks", type=lambda s: [int(n) for n in s.split(",")], default=[1, 2, 3],
                        help="comma-separated numbers of ranks (default 1,2,3)")
    parser.add_argument("--limit", type=float, default=30, help="seconds until a run is given up (default 30)")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (default 1)")
    parser.add_argument("--verbose", action="store_true", help="print what the failing programs said")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    mpis = known_mpis(arguments.build, arguments.ranklet)
    if "ranklet" not in mpis:
        sys.exit("compare.py: no Ranklet found: give --build or --ranklet")
    sources = [s for s in sorted(HERE.glob("*/*.c")) if arguments.only in str(s.relative_to(HERE))]
    tally = {name: {} for name in mpis}
    notes, problems = [], []
    print(f"{'':32}" + "".join(f"{name:>18}" for name in mpis))
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tasks = [[pool.submit(judge, mpi, source, Path(scratch), arguments.ranks, arguments.limit)
                  for mpi in mpis.values()] for source in sources]
        for source, row in zip(sources, tasks):
            title = str(source.relative_to(HERE).with_suffix(""))
            results = {mpi.name: task.result() for mpi, task in zip(mpis.values(), row)}
            print(f"{title:32}" + "".join(f"{result:>18}" for result, _ in results.values()), flush=True)
            for mpi in mpis.values():
                result, detail = results[mpi.name]
                tally[mpi.name][result] = tally[mpi.name].get(result, 0) + 1
                said = reason(source, mpi)
                if result == "pass":
                    if said:
                        notes.append(f"{title}: passes under {mpi.name}, although: {said}")
                    continue
                if said and mpi.name != "ranklet":
                    notes.append(f"{title}: {mpi.name}: {result}: {said}")
                else:
                    problems.append(f"{title}: {mpi.name}: {result}: {detail if arguments.verbose else detail[:300]}")
    print(f"{'passed':32}" + "".join(f"{tally[name].get('pass', 0):>13}/{len(sources)}" for name in mpis))
    print("\nDifferences explained by the programs:", *notes, sep="\n  ")
    print("\nWithout an explanation:", *(problems or ["none"]), sep="\n  ")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
