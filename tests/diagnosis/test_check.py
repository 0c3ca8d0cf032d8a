"""The suite of right and wrong programs under mpiexec --check, without any tool: nothing is said of a right one. Of a
wrong one that needs no loads and stores to be seen both lines are named, whichever rank comes first."""
import random
import subprocess
import sys
import tempfile
import unittest

import suite

MPIEXEC, MPICC, RANDOM, *SOURCES = sys.argv[1:]
del sys.argv[1:]
DIRECTORY = tempfile.TemporaryDirectory()


def build(source, program):
    subprocess.run([MPICC, '-g', source, '-o', program], check=True)


PROGRAMS = [suite.Program(source, DIRECTORY.name, MPIEXEC, build) for source in SOURCES]
# The others are wrong by what the program loads and stores.
FOUND = {
    'fences': {'put_and_put_wrong', 'put_and_get_wrong', 'accumulate_and_put_wrong', 'accumulate_and_get_wrong'},
    'locks': {'shared_locks_wrong', 'unchecked_locks_wrong', 'same_origin_wrong', 'swap_and_put_wrong'},
    'over_time': {name for program in PROGRAMS if program.source.stem == 'over_time' for name, verdict, _ in program.cases
                  if verdict == 'wrong'},
}


class Check(unittest.TestCase):
    def test_right(self):
        for program in PROGRAMS:
            if program.only_right():
                continue
            for name, verdict, _ in program.cases:
                for first in program.firsts(name) if verdict == 'right' else ():
                    with self.subTest(program.source.stem + ' ' + name, first=first):
                        result = program.run(name, first, ['--check'])
                        self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_right_together(self):
        for program in PROGRAMS:
            for ranks in suite.TOGETHER if program.only_right() else ():
                with self.subTest(program.source.stem, ranks=ranks):
                    self.assertEqual([], program.reported_together(ranks, ['--check']))

    def test_wrong(self):
        for program in PROGRAMS:
            for name in sorted(FOUND.get(program.source.stem, ())):
                for first in program.firsts(name):
                    with self.subTest(program.source.stem + ' ' + name, first=first):
                        result = program.run(name, first, ['--check'])
                        self.assertEqual(result.returncode, 1, result.stderr)
                        self.assertIn('ordered by synchronization', result.stderr)
                        self.assertTrue(program.names_both(name, result.stderr), result.stderr)

    def test_told_once(self):
        program = next(each for each in PROGRAMS if each.source.stem == 'over_time')
        for name in 'flush_alone_wrong', 'get_and_put_wrong', 'exposed_wrong':
            with self.subTest(name):
                result = program.run(name, 0 if program.can_be_forced(name) else None, ['--check=strict'])
                self.assertEqual(result.stderr.count('usage error'), 1, result.stderr)

    def test_random(self):
        program = f'{DIRECTORY.name}/random_right'
        build(RANDOM, program)
        for ranks in 1, 2, 3, 6:
            seed = random.randrange(1000000)
            with self.subTest(ranks=ranks, seed=seed):
                result = subprocess.run([MPIEXEC, '-n', str(ranks), '--timeout', '100', '--check', program, str(seed)],
                                        capture_output=True, text=True, timeout=150, stdin=subprocess.DEVNULL)
                self.assertEqual((result.returncode, result.stderr), (0, ''))


unittest.main()
