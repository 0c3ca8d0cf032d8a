"""A program that is built with ThreadSanitizer, and a library that is or is not: the accesses to a shared window that no
synchronisation of MPI orders are reported, with the program's lines, and no others; also with --check, whose locks order
nothing."""
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE = sys.argv[1:4]
del sys.argv[1:4]
DIRECTORY = tempfile.TemporaryDirectory()
PROGRAM = DIRECTORY.name + '/races'
subprocess.run([MPICC, '-g', '-O1', '-fsanitize=thread', SOURCE, '-o', PROGRAM], check=True)
LINES = pathlib.Path(SOURCE).read_text().split('\n')
NAME = pathlib.Path(SOURCE).name


def run(case, *options, first=None):
    with tempfile.TemporaryDirectory() as turn:
        arguments = [case] if first is None else [case, str(first)]
        return subprocess.run(['env', f'CASE_TURN={turn}/turn', MPIEXEC, '-n', '2', *options, PROGRAM, *arguments],
                              capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


def line_of(mark):
    return next(number for number, line in enumerate(LINES, 1) if f'/* {mark} */' in line)


class Races(unittest.TestCase):
    def test_ordered(self):
        for case in ('sync_and_barrier', 'fence', 'locks', 'epoch'):
            with self.subTest(case):
                for options in (), ('--check',):
                    result = run(case, *options)
                    self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_races(self):
        for case, places in (('store_and_load', ('store', 'load')), ('store_and_put', ('store', 'put'))):
            for options, first in itertools.product(((), ('--check',)), (0, 1)):
                with self.subTest(case, options=options, first=first):
                    result = run(case, *options, first=first)
                    self.assertNotEqual(result.returncode, 0)
                    self.assertRegex(result.stderr, 'ThreadSanitizer: data race|usage error: .* not ordered')
                    shown = {int(number) for number in re.findall(rf'{NAME}:(\d+)', result.stderr)}
                    for mark in places:
                        self.assertIn(line_of(mark), shown, result.stderr)

    def test_end_in_a_call(self):
        result = run('fatal_error')
        self.assertIn('MPI error in MPI_Win_flush', result.stderr)
        self.assertNotIn('ThreadSanitizer', result.stderr)


unittest.main()
