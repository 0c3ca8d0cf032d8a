"""Calls that do not go together: the error has the lines of both parties. Under --check they are told in full once, as a
finding, to which the error that follows refers."""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE = sys.argv[1:4]
del sys.argv[1:4]
DIRECTORY = tempfile.TemporaryDirectory()
PROGRAM = DIRECTORY.name + '/mismatches'
subprocess.run([MPICC, '-g', SOURCE, '-o', PROGRAM], check=True)
LINES = pathlib.Path(SOURCE).read_text().split('\n')
CODES = {'MPI_ERR_ROOT': 8, 'MPI_ERR_OP': 10, 'MPI_ERR_TRUNCATE': 15, 'MPI_ERR_OTHER': 16, 'MPI_ERR_IN_STATUS': 19}
REFERENCE = re.compile(r'^MPI error in (MPI_\w+) on rank \d+ of MPI_COMM_WORLD: see the usage error of rank (\d+) \((\w+)\)$',
                       re.M)

# By their error class; where several are possible, by which rank finds it.
COLLECTIVES = {'call': 'MPI_ERR_OTHER', 'root': 'MPI_ERR_ROOT', 'op': 'MPI_ERR_OP', 'finalize': 'MPI_ERR_OTHER',
               'neighbors': 'MPI_ERR_OTHER', 'icall': 'MPI_ERR_OTHER', 'form': 'MPI_ERR_OTHER', 'iroot': 'MPI_ERR_ROOT',
               'persistent_root': 'MPI_ERR_ROOT'}
AMOUNTS = ['few', 'few_and_many', 'amounts', 'bcast_of_few', 'bcast_of_many', 'gather_of_few', 'alltoall_of_few',
           'scan_of_many', 'ifew', 'ifew_and_many', 'iamounts', 'ibcast_of_many', 'persistent_amounts']
LONG_MESSAGES = ['message', 'long_message', 'message_that_waits', 'imessage', 'buffered_message']
MESSAGES = ['short_message', *LONG_MESSAGES]
CLASSES = {**COLLECTIVES, **{name: 'MPI_ERR_TRUNCATE' for name in AMOUNTS + MESSAGES}}
# The members' data of neighbourhoods is not compared by the checks.
NEIGHBORS = {name: 'MPI_ERR_TRUNCATE' for name in ('neighbors_of_few', 'ineighbors')}
WAYS = [['--collectives', 'synchronise'], ['--collectives', 'loose', '--sends', 'buffer'], ['--sends', 'synchronise'],
        ['--delays', '1'], ['--delays', '2', '--collectives', 'synchronise', '--sends', 'synchronise']]


def run(name, *options, ranks=2):
    return subprocess.run([MPIEXEC, '-n', str(ranks), '--timeout', '30', *options, PROGRAM, name], capture_output=True,
                          text=True, timeout=60, stdin=subprocess.DEVNULL)


def marked(name):
    """The lines of the case, or of the function that it calls first."""
    start = LINES.index(f'static void {name}(void)')
    end = LINES.index('}', start)
    found = {i + 1 for i in range(start, end) if '/* X */' in LINES[i]}
    if not found:
        helper = re.search(r'(\w+)\(', ''.join(LINES[start + 2:end]))[1]
        start = next(i for i, line in enumerate(LINES) if line.startswith(f'static void {helper}('))
        found = {i + 1 for i in range(start, LINES.index('}', start)) if '/* X */' in LINES[i]}
    return found | {i + 1 for i, line in enumerate(LINES) if f'/* {name} X */' in line}


def lines_in(text):
    return {int(number) for number in re.findall(r'mismatches\.c:(\d+)', text)}


def in_parallel(function, arguments):
    with concurrent.futures.ThreadPoolExecutor(2) as runs:
        return list(zip(arguments, runs.map(function, arguments)))


class Mismatches(unittest.TestCase):
    def check_told_once(self, name, result, one_finding=True):
        text = result.stderr
        findings = re.findall(r'^usage error: .*\n(?:  .*\n)+', text, re.M)
        if one_finding:
            self.assertEqual(len(findings), 1, text)
        self.assertTrue(findings, text)
        self.assertNotIn('  reason', text)
        self.assertTrue(any(lines_in(finding) == marked(name) for finding in findings), text)
        self.assertEqual(text.count('MPI error'), len(REFERENCE.findall(text)), text)
        tellers = {rank for finding in findings for rank in re.findall(r'^  rank +(\d+)$', finding, re.M)}
        for function, rank, error in REFERENCE.findall(text):
            self.assertIn(rank, tellers, text)
            self.assertEqual(error, CLASSES[name], text)
        self.assertEqual(result.returncode, CODES[CLASSES[name]] if 'MPI error' in text else 1, text)

    def test_checked(self):
        for name, result in in_parallel(lambda name: run(name, '--check'), CLASSES):
            with self.subTest(name):
                self.check_told_once(name, result)
                self.assertIn('MPI error', result.stderr)

    def test_checked_in_other_ways(self):
        ways = [(name, *options) for options in WAYS for name in CLASSES]
        for (name, *options), result in in_parallel(lambda way: run(way[0], '--check', *way[1:]), ways):
            with self.subTest(name, options=options):
                self.check_told_once(name, result)

    def test_several_ranks(self):
        """One mismatch is one finding, whoever is hit by it."""
        names = [*COLLECTIVES, *AMOUNTS, 'each_is_root']
        CLASSES['each_is_root'] = 'MPI_ERR_ROOT'
        self.addCleanup(CLASSES.pop, 'each_is_root')
        for name, result in in_parallel(lambda name: run(name, '--check', ranks=4), names):
            with self.subTest(name):
                self.check_told_once(name, result)

    def test_many_ranks(self):
        """Those who wait for all look at the others before the wait counts as a deadlock, whether yields pay or not."""
        for options in [], ['--yield-count', '0'], ['--yield-count', '1000']:
            result = run('broadcasts_alone', *options, ranks=70)
            self.assertNotIn('deadlock', result.stderr)
            self.assertEqual(marked('broadcasts_alone') - lines_in(result.stderr), set(), result.stderr)

    def test_several_messages(self):
        result = run('messages', '--check')
        self.assertEqual(result.stderr.count('usage error: '), 1, result.stderr)
        self.assertEqual(REFERENCE.findall(result.stderr), [('MPI_Waitall', '1', 'MPI_ERR_IN_STATUS')], result.stderr)
        self.assertEqual(result.returncode, CODES['MPI_ERR_IN_STATUS'])

    def test_error_handlers(self):
        """What a program asks for it gets."""
        for options in [], ['--check']:
            result = run('codes', *options)
            self.assertRegex(result.stdout, 'truncated: MPI_ERR_TRUNCATE: the message of 8 bytes .* is longer')
            self.assertNotIn('MPI error', result.stderr)
            self.assertEqual(result.returncode, len(options))

    def test_other_errors(self):
        """An error that is no mismatch is told as ever, also after one."""
        result = run('types_and_argument', '--check')
        self.assertRegex(result.stderr, '  reason +root is 7')
        self.assertIn('basic elements of other types', result.stderr)

    def check_both_lines(self, name, result):
        error = {**CLASSES, **NEIGHBORS}[name]
        self.assertEqual(result.returncode, CODES[error], result.stderr)
        self.assertRegex(result.stderr, rf'  reason .*\({error}\)\n')
        # That of a nonblocking call's end may be there, too.
        missing = marked(name) - lines_in(result.stderr)
        if name == 'short_message':
            # One that waits for its receive lies in the send buffer.
            self.assertLessEqual(len(missing), 1, result.stderr)
            self.assertRegex(result.stderr, r'the message of \d+ bytes (from rank 0 )?with tag 3(, sent .*,)? is longer')
        else:
            # A receive that was started before the call that fails is not known by its line.
            self.assertEqual(len(missing), name == 'imessage', result.stderr)
        if name in LONG_MESSAGES:
            self.assertRegex(result.stderr, r'with tag 3, sent by rank 0 in \w+\(\) at mismatches\.c:\d+, is longer')
        if name in AMOUNTS:
            self.assertRegex(result.stderr, r'gives (\d+ bytes|another amount of data)')

    def test_unchecked(self):
        """The error of the call has both lines alone, but for messages that travel without their sender's."""
        for name, result in in_parallel(run, CLASSES):
            with self.subTest(name):
                self.check_both_lines(name, result)
        for name in NEIGHBORS:
            for options in [], ['--check']:
                with self.subTest(name, options=options):
                    self.check_both_lines(name, run(name, *options))

    def test_unchecked_in_other_ways(self):
        ways = [(name, *options) for options in WAYS for name in CLASSES]
        for (name, *options), result in in_parallel(lambda way: run(way[0], *way[1:]), ways):
            with self.subTest(name, options=options):
                self.check_both_lines(name, result)

    def test_late_starts(self):
        """The line of a nonblocking call is known also when others follow it."""
        for ranks in 2, 3:
            result = run('many_pending', ranks=ranks)
            self.assertEqual(marked('many_pending') - lines_in(result.stderr), set(), result.stderr)


unittest.main()
