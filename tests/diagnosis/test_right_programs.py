"""Right programs built with ThreadSanitizer, those of the conformance tests and random ones: nothing is reported."""
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import thread_sanitizer

MPIEXEC, MPICC, RANDOM, DIRECTORY = sys.argv[1:5]
CHAPTERS = sys.argv[5:] or ['coll', 'comm', 'external', 'group', 'p2p', 'partitioned', 'process', 'rma', 'sessions']
del sys.argv[1:]
# Cannot be built or run so for another reason: they need much memory, or are no programs of these ranks.
LEFT_OUT = {'large_counts', 'many', 'beyond_int'}


class RightPrograms(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def build(self, source):
        program = f'{self.place.name}/{pathlib.Path(source).stem}'
        thread_sanitizer.build(MPICC, source, program)
        return program

    def check(self, ranks, program, *arguments):
        result = subprocess.run([MPIEXEC, '-n', str(ranks), '--timeout', '100', program, *arguments], capture_output=True,
                                text=True, timeout=150, stdin=subprocess.DEVNULL)
        self.assertNotIn('usage error', result.stderr)
        self.assertNotIn('ThreadSanitizer', result.stderr)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_conformance(self):
        for chapter in CHAPTERS:
            for source in sorted(pathlib.Path(DIRECTORY, chapter).glob('*.c')):
                if source.stem not in LEFT_OUT:
                    with self.subTest(f'{chapter} {source.stem}'):
                        self.check(3, self.build(source))

    def test_random(self):
        program = self.build(RANDOM)
        for ranks in 1, 2, 3, 6:
            seed = random.randrange(1000000)
            with self.subTest(ranks=ranks, seed=seed):
                self.check(ranks, program, str(seed))


thread_sanitizer.require()
unittest.main()
