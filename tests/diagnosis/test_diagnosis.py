"""The suite of right and wrong programs, built with ThreadSanitizer as a user does: every wrong one is reported with
its two lines, whichever rank comes first, and no right one is."""
import sys
import tempfile
import unittest

import suite
import thread_sanitizer

MPIEXEC, MPICC, *SOURCES = sys.argv[1:]
del sys.argv[1:]
DIRECTORY = tempfile.TemporaryDirectory()
# For the tool accumulates are atomic accesses, whatever their operators are.
NOT_SEEN = {'operators_wrong'}

thread_sanitizer.require()
PROGRAMS = [suite.Program(source, DIRECTORY.name, MPIEXEC,
                          lambda source, program: thread_sanitizer.build(MPICC, source, program)) for source in SOURCES]


class Diagnosis(unittest.TestCase):
    def check(self, program):
        wrong = right = 0
        if program.only_right():
            for ranks in suite.TOGETHER:
                with self.subTest(program.source.stem, ranks=ranks):
                    self.assertEqual([], program.reported_together(ranks))
            return 0, len(program.cases)
        for name, verdict, section in program.cases:
            if name in NOT_SEEN:
                continue
            for first in program.firsts(name):
                with self.subTest(program.source.stem + ' ' + name, first=first):
                    result = program.run(name, first)
                    if verdict == 'right':
                        right += 1
                        self.assertEqual((result.returncode, result.stderr), (0, ''))
                        continue
                    wrong += 1
                    self.assertNotEqual(result.returncode, 0, result.stderr)
                    self.assertTrue(program.names_both(name, result.stderr),
                                    f'{section}: {sorted(program.marked(name))}\n{result.stderr}')
        return wrong, right

    def test_suite(self):
        for program in PROGRAMS:
            print(program.source.name, '%d wrong, %d right' % self.check(program), file=sys.stderr)

    def test_told_once(self):
        """The usage checks find some of it, too."""
        for stem, name in (('pending_buffers', 'isend_wrong'), ('locks', 'origin_without_flush_wrong'),
                           ('locks', 'same_origin_wrong')):
            with self.subTest(name):
                program = next(each for each in PROGRAMS if each.source.stem == stem)
                self.assertEqual(program.run(name, None, ['--check']).stderr.count('usage error'), 1)


unittest.main()
