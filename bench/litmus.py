#!/usr/bin/env python3
"""Litmus tests of memory order through MPI, beside the verdicts of the C++ memory model.

Runs bench/mpi/litmus.c on pairs of cores and shows how often each test came out the way that needs reordering
(or breaks a rule of the window), and what the memory model says to that: allowed, or forbidden. A test that showed
what its synchronisation forbids is marked with "!".

Exit code: 0; 1 when a program failed; 2 when a forbidden outcome was seen.
"""
import argparse
import csv
import json
import os
import sys
import tempfile
from pathlib import Path

from mpis import Failed, choose, compile_with, core_pairs, find_program, machine, result_lines, run

HERE = Path(__file__).resolve().parent


def verdicts(arguments):
    """{(shape, sync): (verdict, weak outcome, set of allowed outcomes)}"""
    model = find_program("ranklet-litmus-model", arguments.build, arguments.ranklet)
    if not model:
        raise Failed("no ranklet-litmus-model found (give --build or --ranklet)")
    return {(v["shape"], v["sync"]): (v["verdict"], v["weak"], set(v["allowed"].split(";")))
            for word, v in result_lines(run([model, "--verdicts"])[0]) if word == "model"}


def cpus_for(pair):
    """The pair, and two CPUs more for the tests of four ranks, if the machine has them."""
    others = sorted(os.sched_getaffinity(0) - set(pair))
    return [*pair, *others[:2]]


def run_tests(mpi, program, pair, arguments):
    """A record for each test: {mpi, cpus, shape, sync, rounds, outcomes}."""
    jobs = [2] if arguments.only != "iriw" else []
    if arguments.four or arguments.only == "iriw":
        jobs.append(4)
    records = []
    for ranks in jobs:
        cpus = ",".join(map(str, cpus_for(pair)))
        command = [mpi.mpiexec, *mpi.options, "-n", str(ranks), program, "--rounds", str(arguments.rounds),
                   "--seconds", str(arguments.seconds), "--cores", cpus] + (["--only", arguments.only] if arguments.only else [])
        print(f"{mpi.name} on {ranks} ranks, CPUs {cpus}", file=sys.stderr)
        out, _ = run(command, mpi.environment, arguments.limit)
        for word, v in result_lines(out):
            if word == "litmus":
                outcomes = dict(o.rsplit(":", 1) for o in v["outcomes"].split(";"))
                records.append(dict(mpi=mpi.name, cpus=list(pair), shape=v["shape"], sync=v["sync"],
                                    ranks=ranks, rounds=int(v["rounds"]), outcomes={o: int(n) for o, n in outcomes.items()}))
    if not records:
        raise Failed(f"{mpi.name}: no test ran")
    return records


def judge(records, model):
    """Adds the verdict, the count of the weak outcome, and that of all forbidden ones to each record."""
    for r in records:
        verdict, weak, allowed = model[r["shape"], r["sync"]]
        r["verdict"] = verdict
        r["weak"] = r["outcomes"].get(weak, 0)
        r["forbidden"] = sum(n for o, n in r["outcomes"].items() if o not in allowed)
    return records


def show(records, nearness, names):
    cells = {}
    for r in records:
        cells.setdefault((r["shape"], r["sync"], r["ranks"]), {})[r["mpi"]] = r
    print(f"\n{nearness}: how often the outcome came that needs reordering")
    print(f"{'shape':13}{'synchronisation':21}{'ranks':>5}  {'the model':12}" + "".join(f"{n:>20}" for n in names))
    for (shape, sync, ranks), row in cells.items():
        line = f"{shape:13}{sync:21}{ranks:5}  {next(iter(row.values()))['verdict']:12}"
        for name in names:
            r = row.get(name)
            line += f"{'-' if r is None else figure(r):>20}"
        print(line)


def figure(r):
    # An outcome may be forbidden without being the one that the test looks for.
    count = max(r["weak"], r["forbidden"])
    return f"{'! ' if r['forbidden'] else ''}{count} of {r['rounds']}"


def write(arguments, records):
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(dict(machine=machine(), records=records), indent=1) + "\n")
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(["mpi", "first", "second", "shape", "sync", "ranks", "verdict", "rounds", "outcome", "count"])
            for r in records:
                for outcome, count in r["outcomes"].items():
                    writer.writerow([r["mpi"], *r["cpus"], r["shape"], r["sync"], r["ranks"], r["verdict"], r["rounds"],
                                     outcome, count])


def read_arguments():
    parser = argparse.ArgumentParser(prog="ranklet-litmus", description=__doc__.splitlines()[0])
    parser.add_argument("--model", nargs="?", const="verdicts", choices=["verdicts", "table", "edges"],
                        help="run nothing; print what the memory model says to each test, the table of rules, or "
                             "the edges behind them")
    parser.add_argument("--rounds", type=int, default=100000, help="of each test (default 100000)")
    parser.add_argument("--seconds", type=float, default=2, help="at most, for each test (default 2)")
    parser.add_argument("--cores", type=lambda s: [tuple(map(int, p.split(","))) for p in s.split(":")],
                        help="pairs of CPUs, a,b:c,d (default: one pair for each nearness that hwloc shows)")
    parser.add_argument("--only", help="one shape, rule or synchronisation")
    parser.add_argument("--four", action="store_true", default=len(os.sched_getaffinity(0)) >= 4,
                        help="the tests of four ranks too, although there are fewer CPUs")
    parser.add_argument("--mpi", help="comma-separated: ranklet,mpich,openmpi (default: ranklet); NAME=PREFIX is one more, "
                        "whose mpicc and mpiexec are in PREFIX/bin")
    parser.add_argument("--build", help="a build tree of Ranklet")
    parser.add_argument("--ranklet", help="the directory of Ranklet's programs")
    parser.add_argument("--limit", type=float, default=600, help="seconds until a run is given up (default 600)")
    parser.add_argument("--csv", help="write every count here")
    parser.add_argument("--json", help="write every count and the machine's description here")
    arguments = parser.parse_args()
    arguments.bind = False
    return arguments


def main():
    arguments = read_arguments()
    if arguments.model:
        model = find_program("ranklet-litmus-model", arguments.build, arguments.ranklet)
        if not model:
            sys.exit("ranklet-litmus: no ranklet-litmus-model found (give --build or --ranklet)")
        os.execv(model, [model, "--" + arguments.model])
    mpis = choose(arguments, "ranklet-litmus", ["ranklet"])
    failures, everything = [], []
    with tempfile.TemporaryDirectory(prefix="ranklet-litmus-") as scratch:
        try:
            model = verdicts(arguments)
            pairs = [("chosen", *p) for p in arguments.cores] if arguments.cores else \
                core_pairs(arguments.build, arguments.ranklet)
            programs = {m.name: compile_with(m, HERE / "mpi" / "litmus.c", Path(scratch) / m.name)
                        for m in mpis.values()}
        except Failed as failure:
            sys.exit(f"ranklet-litmus: {failure}")
        if not pairs:
            sys.exit("ranklet-litmus: needs two CPUs")
        for nearness, first, second in pairs:
            records = []
            for mpi in mpis.values():
                try:
                    records += judge(run_tests(mpi, programs[mpi.name], (first, second), arguments), model)
                except Failed as failure:
                    failures.append(str(failure))
            show(records, f"CPUs {first} and {second} ({nearness})", list(mpis))
            everything += records
    write(arguments, everything)
    seen = [r for r in everything if r["forbidden"]]
    for r in seen:
        print(f"forbidden, but seen under {r['mpi']}: {r['shape']} through {r['sync']} on {r['ranks']} ranks, {r['forbidden']} times")
    for failure in failures:
        print(f"FAILED {failure}")
    sys.exit(1 if failures else 2 if seen else 0)


if __name__ == "__main__":
    main()
