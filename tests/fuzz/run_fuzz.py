"""Runs fuzzers, each on the seeds of its name, and, where they are libFuzzer's, on what that makes of them.

    run_fuzz.py [--seconds N] PROGRAM...      with --replay: the seeds alone

An input that fails is left in the current directory; a fuzzer that gets its name runs it alone."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

SEEDS = pathlib.Path(__file__).parent / 'seeds'

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('programs', nargs='+', metavar='PROGRAM')
parser.add_argument('--seconds', type=int, default=60)
parser.add_argument('--replay', action='store_true')
asked = parser.parse_args()
# UBSan only tells, unless it is asked to end.
environment = os.environ | {'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1'}
failed = False
for program in map(pathlib.Path, asked.programs):
    if not program.is_file():
        continue  # the folder of its objects
    with tempfile.TemporaryDirectory() as found:
        # What it finds of interest goes to the first folder. The first lines tell the seed of its random numbers.
        options = [] if asked.replay else [
            f'-max_total_time={asked.seconds}', '-max_len=4096', '-timeout=5', '-rss_limit_mb=1024',
            '-print_final_stats=1', found]
        failed |= subprocess.run([program, *options, SEEDS / program.name.removeprefix('fuzz_')],
                                 stderr=subprocess.STDOUT, env=environment).returncode != 0
sys.exit(failed)
