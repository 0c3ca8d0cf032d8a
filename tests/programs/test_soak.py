#!/usr/bin/env python3
"""Four jobs at once, for long: test_soak.py MPIEXEC MPICC SOURCE [--seconds N] [--messages N] [--windows N] [--seed N]

One job exchanges messages and makes windows, the others do random operations: with random delays, with sends that wait
for their receives, and with collectives that leave as soon as they may. All check what arrives, and that their memory
does not grow. Without options it takes some seconds; the long run is

    test_soak.py MPIEXEC MPICC SOURCE --seconds 1800 --messages 100000000 --windows 1000000
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

options = argparse.ArgumentParser()
options.add_argument("mpiexec")
options.add_argument("mpicc")
options.add_argument("source")
options.add_argument("--seconds", type=int, default=0)
options.add_argument("--messages", type=int, default=200000)
options.add_argument("--windows", type=int, default=500)
options.add_argument("--seed", type=int, default=int(time.time()))
given = options.parse_args()

with tempfile.TemporaryDirectory() as folder:
    program = str(pathlib.Path(folder) / "soak")
    subprocess.run([given.mpicc, "-O1", "-o", program, given.source], check=True)
    seconds = ["seconds", str(given.seconds)]
    steps = ["random", "2000", "seed", str(given.seed), *seconds]
    jobs = {
        "messages and windows": (["-n", "4"], ["messages", str(given.messages), "windows", str(given.windows)]),
        "delays": (["-n", "3", "--delays", str(given.seed)], steps),
        "waiting sends": (["-n", "4", "--sends", "synchronise", "--collectives", "synchronise"], steps),
        "loose collectives": (["-n", "5", "--sends", "buffer", "--collectives", "loose", "--delays", "1"], steps),
    }
    started = {
        name: subprocess.Popen([given.mpiexec, *modes, program, *work], text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for name, (modes, work) in jobs.items()
    }
    failed = 0
    for name, job in started.items():
        output, _ = job.communicate()
        right = job.returncode == 0 and output.count("\n") == 1 and output.startswith("soak: ")
        failed += not right
        print(f"{name}: {'' if right else f'code {job.returncode}: '}{output.strip()}", flush=True)
sys.exit(failed != 0)
