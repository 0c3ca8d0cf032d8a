"""Programs of the conformance tests, which are right, built with ThreadSanitizer: nothing is reported."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, DIRECTORY = sys.argv[1:4]
CHAPTERS = sys.argv[4:] or ['coll', 'comm', 'external', 'group', 'p2p', 'partitioned', 'process', 'rma', 'sessions']
del sys.argv[1:]
# Cannot be built or run so for another reason: they need much memory, or are no programs of these ranks.
LEFT_OUT = {'large_counts', 'many', 'beyond_int'}


class RightPrograms(unittest.TestCase):
    def test_nothing_is_reported(self):
        with tempfile.TemporaryDirectory() as place:
            for chapter in CHAPTERS:
                for source in sorted(pathlib.Path(DIRECTORY, chapter).glob('*.c')):
                    if source.stem in LEFT_OUT:
                        continue
                    program = f'{place}/{source.stem}'
                    subprocess.run([MPICC, '-g', '-O1', '-fsanitize=thread', source, '-o', program], check=True)
                    with self.subTest(f'{chapter} {source.stem}'):
                        result = subprocess.run([MPIEXEC, '-n', '3', '--timeout', '100', program], capture_output=True,
                                                text=True, timeout=150, stdin=subprocess.DEVNULL)
                        self.assertNotIn('usage error', result.stderr)
                        self.assertNotIn('ThreadSanitizer', result.stderr)
                        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


unittest.main()
