"""A test program with ranklet::run that is built with ThreadSanitizer alone: what MPI accesses is told by the run's report, in
MPI's words and with the program's lines, and makes it fail; what only the program accesses is the tool's to tell."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MPICC, SOURCE, LIBRARY = sys.argv[1:4]
del sys.argv[1:4]
DIRECTORY = tempfile.TemporaryDirectory()
PROGRAM = DIRECTORY.name + '/run_races'
subprocess.run([os.path.dirname(MPICC) + '/mpicxx', '-cxx=g++', '-std=c++17', '-g', '-O1', '-fsanitize=thread', SOURCE, '-o', PROGRAM], check=True)
LINES = pathlib.Path(SOURCE).read_text().split('\n')
NAME = pathlib.Path(SOURCE).name


def place_of(mark):
    return f'{NAME}:{next(number for number, line in enumerate(LINES, 1) if line.endswith("// " + mark))}'


def run(case, checks):
    with tempfile.TemporaryDirectory() as turn:
        environment = {**os.environ, 'LD_LIBRARY_PATH': os.path.dirname(LIBRARY), 'CASE_TURN': turn + '/turn'}
        return subprocess.run(['setarch', os.uname().machine, '-R', PROGRAM, case, str(int(checks))], capture_output=True,
                              text=True, timeout=120, stdin=subprocess.DEVNULL, env=environment)


class RunRaces(unittest.TestCase):
    def check(self, case, what, first, second):
        for checks in False, True:
            with self.subTest(case, checks=checks):
                result = run(case, checks)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertNotIn('ThreadSanitizer', result.stderr)
                self.assertRegex(result.stderr, what)
                self.assertIn('rank 1: usage error', result.stderr)
                for mark in first, second:
                    self.assertIn(place_of(mark), result.stderr)

    def test_window(self):
        self.check('put_and_store', '(MPI_Put and a store of the program|a store of the program and MPI_Put) of the same data of target 1', 'store', 'put')

    def test_buffer(self):
        self.check('pending_receive', 'the program stores to a buffer that MPI_Irecv writes', 'too early', 'receive')

    def test_right(self):
        for checks in False, True:
            result = run('fence_between', checks)
            self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_program_alone(self):
        result = run('program_alone', True)
        self.assertEqual(result.returncode, 66, result.stderr)
        self.assertIn('ThreadSanitizer: data race', result.stderr)
        self.assertIn(place_of('alone'), result.stderr)
        self.assertIn("'rank.1'", result.stderr)


unittest.main()
