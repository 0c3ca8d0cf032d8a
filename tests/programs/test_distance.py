"""The benchmarks' look at how far two cores are from each other: distance.c."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = sys.argv.pop()
SOURCE = sys.argv.pop()
MPICC = sys.argv.pop()
MPIEXEC = sys.argv.pop()


class Distance(unittest.TestCase):
    def test_program(self):
        with tempfile.TemporaryDirectory() as directory:
            program = Path(directory) / "distance"
            subprocess.run([MPICC, "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-I", f"{BENCH}/mpi", SOURCE,
                            "-o", program], check=True)
            done = subprocess.run([MPIEXEC, "-n", "2", program], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()), ["0 is well", "1 is well"])


if __name__ == "__main__":
    unittest.main()
