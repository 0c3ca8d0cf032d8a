"""The suite of right and wrong programs, built with ThreadSanitizer as a user does: every wrong one is reported with
its two lines, whichever rank comes first, and no right one is."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import thread_sanitizer

MPIEXEC, MPICC, *SOURCES = sys.argv[1:]
del sys.argv[1:]
DIRECTORY = tempfile.TemporaryDirectory()


class Program:
    def __init__(self, source):
        self.source = pathlib.Path(source)
        self.path = f'{DIRECTORY.name}/{self.source.stem}'
        thread_sanitizer.build(MPICC, source, self.path)
        self.lines = self.source.read_text().split('\n')
        listed = subprocess.run([MPIEXEC, '-n', '1', self.path, '--list'], capture_output=True, text=True, check=True)
        self.cases = [line.split() for line in listed.stdout.split('\n') if line]

    def body(self, name):
        """Numbers and text of a function's lines."""
        start = next((i for i, line in enumerate(self.lines) if line.startswith(f'static void {name}(')), None)
        if start is None:
            return []
        end = next(i for i in range(start, len(self.lines)) if self.lines[i] == '}')
        return [(i + 1, self.lines[i]) for i in range(start, end)]

    def marked(self, name):
        own = {number for number, line in self.body(name) if '/* X */' in line}
        if own:
            return own
        return {number for number, line in self.helper(name) if '/* X */' in line}

    def helper(self, name):
        """The lines of the function that is called first."""
        return self.body(re.search(r'(\w+)\(', ''.join(line for _, line in self.body(name)[2:])).group(1))

    def can_be_forced(self, name):
        return any('turn();' in line for _, line in self.body(name) + self.helper(name))

    def run(self, name, first, options=()):
        turn = f'{DIRECTORY.name}/turn-{self.source.stem}-{name}-{first}-{len(options)}'
        arguments = [name] if first is None else [name, str(first)]
        return subprocess.run(['env', 'CASE_TURN=' + turn, MPIEXEC, '-n', '2', '--timeout', '60', *options, self.path,
                               *arguments], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)

    def places(self, report):
        """Each report's lines of this source."""
        found = []
        for block in re.split(r'\n(?=usage error|=====)', report):
            if 'usage error' in block or 'WARNING: ThreadSanitizer' in block:
                found.append({int(number) for number in re.findall(rf'{self.source.name}:(\d+)', block)})
        return found


thread_sanitizer.require()
PROGRAMS = [Program(source) for source in SOURCES]


class Diagnosis(unittest.TestCase):
    def check(self, program):
        wrong = right = 0
        for name, verdict, section in program.cases:
            for first in (0, 1) if program.can_be_forced(name) else (None,):
                with self.subTest(program.source.stem + ' ' + name, first=first):
                    result = program.run(name, first)
                    if verdict == 'right':
                        right += 1
                        self.assertEqual((result.returncode, result.stderr), (0, ''))
                        continue
                    wrong += 1
                    self.assertNotEqual(result.returncode, 0, result.stderr)
                    marked = program.marked(name)
                    reports = program.places(result.stderr)
                    self.assertTrue(any(len(lines & marked) == min(2, len(marked)) for lines in reports),
                                    f'{section}: {sorted(marked)} in {reports}\n{result.stderr}')
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
