"""What a person reads when a test case on ranks fails, under doctest and GoogleTest."""
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

PROGRAM = sys.argv.pop(1)
DOCTEST = 'doctest' in PROGRAM
PARTS = [
    r'on rank 1 of 3',
    r'check output of 0',
    r'check output of 2',
    r'on rank 2 of 3',
    r'further information',
    r'rank 2 threw std::runtime_error: thrown on purpose\nstopped for that: 0, 1',
    r'deadlock: .*\n(.*\n)*.*rank 0 .*MPI_Recv',
    r'rank 1: leak: a communicator was not freed',
]


def run(*arguments):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout + result.stderr


class Frameworks(unittest.TestCase):
    def test_failures(self):
        code, text = run()
        self.assertNotEqual(code, 0)
        self.assertNotIn('nobody wants', text)
        for part in PARTS:
            self.assertRegex(text, part)
        self.assertRegex(text, r'6 \| +1 passed +\| +5 failed|6 FAILED TESTS')

    def test_places_name_the_test(self):
        _, text = run()
        deadlock, leak = ('"deadlock"', '"leak"') if DOCTEST else ('Ranks.Deadlock', 'Ranks.Leak')
        self.assertRegex(text, rf' at {deadlock} at failing_\w+.cpp:\d+\n')
        self.assertRegex(text, rf'place +{leak} at failing_\w+.cpp:\d+\n')
        # Nobody wrote these names.
        self.assertNotRegex(text, r'RANKLET_RANKS|ANON_FUNC|_on_a_rank|TestBody|include/ranklet')

    @unittest.skipUnless(DOCTEST, 'of doctest')
    def test_junit(self):
        _, text = run('-r=junit')
        cases = {case.get('name'): case.findall('failure') + case.findall('error')
                 for case in xml.etree.ElementTree.fromstring(text).iter('testcase')}
        failed = {'check', 'require', 'exception', 'deadlock', 'leak'}
        self.assertEqual({name for name, failures in cases.items() if failures}, failed)
        self.assertIn('passes', cases)
        self.assertIn('MPI_Recv', cases['deadlock'][0].text)

    @unittest.skipUnless(DOCTEST, 'of doctest')
    def test_unwinding_at_once(self):
        for _ in range(20):
            code, text = run('-tc=many', '--no-skip')
            self.assertEqual(code, 1)
            self.assertIn('threw int', text)

    @unittest.skipUnless(DOCTEST, 'of doctest')
    def test_subcases(self):
        _, text = run('-tc=subcases', '--no-skip')
        self.assertEqual(re.findall(r'^path (\w+)$', text, re.M)[:3], ['ab', 'ac', 'e'])
        self.assertIn('on rank 1 of 2, in a / c', text)
        self.assertIn('on rank 0 of 2, in d', text)
        self.assertEqual(text.count('is NOT correct'), 2, text)

    @unittest.skipUnless(DOCTEST, 'of doctest')
    def test_subcases_around_ranks(self):
        _, text = run('-tc=subcases outside', '--no-skip')
        self.assertEqual(re.findall(r'^path .*$', text, re.M), ['path of 1: f', 'path of 1: g', 'path of 2'])
        self.assertRegex(text, r'two\n(.*\n)*.*deadlock')
        self.assertRegex(text, r' at "subcases outside" at failing_doctest.cpp:\d+\n')
        code, text = run('-tc=subcase in a thread', '--no-skip')
        self.assertEqual(code, 1)
        self.assertIn('only its main thread can enter one', text)

    @unittest.skipIf(DOCTEST, 'of GoogleTest')
    def test_skip(self):
        code, text = run('--gtest_filter=*Skip*')
        self.assertEqual(code, 0, text)
        self.assertIn('2 tests, listed below', text)
        self.assertIn('[  SKIPPED ] Ranks.SkipAll', text)
        self.assertRegex(text, r'on rank 1 of 3\nno reason')
        self.assertNotIn('deadlock', text)
        self.assertNotIn('nobody wants', text)


if __name__ == '__main__':
    unittest.main(verbosity=2)
