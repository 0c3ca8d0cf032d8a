"""Counts the instructions of MPI's short ways by callgrind and compares them with their budgets.

    test_budget.py PROGRAM        PROGRAM is short_ways.c, built; it runs as one rank without mpiexec

A way's figure is what 2 N turns take more than N turns, by N, so that neither the start nor the first calls count; a turn is
one call of each function in its name. Skipped where there is no valgrind.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CALLS = 200

# By the name that the program prints. Who needs more instructions for a reason changes the number and says why in the
# commit; each has some 10 % to spare for other compilers.
BUDGETS = {
    "Send of 8 bytes": 262,
    "Recv of 8 bytes that have come": 330,
    "Isend, Wait of 8 bytes": 490,
    "Send, Recv of 8 bytes": 590,
    "Send, Recv of 512 bytes": 1330,
    "Irecv, Send, Wait of 8 bytes": 1055,
    "Irecv, Isend, Waitall of 8 bytes": 1200,
    "Barrier on one rank": 380,
    "Reduce of 8 bytes on one rank": 680,
    "Allreduce of 8 bytes on one rank": 860,
    "Scan of 8 bytes on one rank": 570,
    "Win_fence": 92,
    "Win_post, Win_start, Win_complete, Win_wait": 365,
    "Win_lock, Win_unlock, shared": 137,
    "Win_lock, Win_unlock, exclusive": 132,
    "Win_lock_all, Win_unlock_all": 148,
    "Put of 8 bytes": 105,
    "Fetch_and_op": 145,
    "Compare_and_swap": 135,
    "Win_flush": 36,
    "Win_flush_local": 33,
    "Win_sync": 33,
}


def totals(directory):
    """What callgrind has counted between the markers, in their order."""
    found = []
    for path in directory.glob("counts.*"):
        text = path.read_text()
        part, total = re.search(r"^part: (\d+)", text, re.M), re.search(r"^(?:summary|totals): (\d+)", text, re.M)
        if "budget_marker" in re.search(r"^desc: Trigger: (.*)", text, re.M).group(1):
            found.append((int(part.group(1)), int(total.group(1))))
    return [total for _, total in sorted(found)]


def main(program):
    valgrind = shutil.which("valgrind")
    if not valgrind:
        print("no valgrind")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([valgrind, "--tool=callgrind", f"--callgrind-out-file={directory}/counts",
                               "--dump-before=budget_marker", "--collect-atstart=no", "--toggle-collect=way_*", program], capture_output=True, text=True, timeout=240)
        if done.returncode != 0:
            print(done.stdout, done.stderr, sep="\n")
            return 1
        counted = totals(Path(directory))
    names = done.stdout.splitlines()
    if len(counted) != 3 * len(names):
        print(f"{len(counted)} counts of {len(names)} ways")
        return 1
    wrong = 0
    for i, name in enumerate(names):
        each = (counted[3 * i + 2] - counted[3 * i + 1]) / CALLS
        budget = BUDGETS.get(name)
        over = budget is None or each > budget
        wrong += over
        print(f"{name:34}{each:8.1f} of {budget}{'  TOO MANY' if over else ''}")
    for name in BUDGETS.keys() - set(names):
        print(f"{name}: not measured")
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
