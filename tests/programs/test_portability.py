"""The portability modes: each unsafe program fails in one of them, with a report, and is right in another."""
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE = sys.argv[1:4]
del sys.argv[1:4]
DIRECTORY = tempfile.TemporaryDirectory()
PROGRAM = DIRECTORY.name + '/unsafe'
subprocess.run([MPICC, '-g', SOURCE, '-o', PROGRAM], check=True)


def run(ranks, task, *options):
    return subprocess.run([MPIEXEC, '-n', str(ranks), *options, PROGRAM, task], capture_output=True, text=True,
                          timeout=60, stdin=subprocess.DEVNULL)


class Portability(unittest.TestCase):
    def right(self, ranks, task, *options):
        result = run(ranks, task, *options)
        self.assertEqual((result.returncode, result.stderr), (0, ''), (task, options))

    def dead(self, ranks, task, *options, call, more=()):
        result = run(ranks, task, *options, *more)
        self.assertNotEqual(result.returncode, 0, (task, options))
        self.assertIn('deadlock: every rank waits', result.stderr, (task, options))
        self.assertRegex(result.stderr, rf'(?m)^  rank \d  {call}\(.*\n +at \w+\(\) at unsafe\.c:\d+$')
        if options:
            self.assertIn('under ' + ' '.join(options), result.stderr)

    def test_sends(self):
        self.right(2, 'exchange')
        self.dead(2, 'exchange', '--sends', 'synchronise', call='MPI_Send')
        self.dead(2, 'wait-for-send', '--sends', 'synchronise', call='MPI_Wait')
        self.dead(2, 'exchange-large', call='MPI_Send')
        self.right(2, 'exchange-large', '--sends', 'buffer')

    def test_collectives_that_synchronise(self):
        self.right(2, 'bcast-then-send')
        self.right(2, 'bcast-then-send', '--collectives', 'loose')
        self.dead(2, 'bcast-then-send', '--collectives', 'synchronise', call='MPI_Bcast')

    def test_collectives_that_are_left_early(self):
        for call in ('Bcast', 'Scatter', 'Gather', 'Reduce', 'Scan'):
            task = 'leave-' + call.lower()
            self.right(3, task, '--collectives', 'loose')
            self.dead(3, task, '--collectives', 'synchronise', call='MPI_' + call)

    def test_delays_leave_right_programs_right(self):
        for seed in range(3):
            self.right(4, 'safe', '--delays', str(seed))
        self.right(4, 'safe', '--sends', 'synchronise', '--collectives', 'synchronise', '--delays', '9')
        self.right(4, 'safe', '--sends', 'buffer', '--collectives', 'loose', '--delays', '9')

    def test_usage_checks_change_nothing(self):
        self.right(2, 'exchange', '--check')
        self.right(2, 'exchange-large', '--check', '--sends', 'buffer')
        self.dead(2, 'exchange', '--sends', 'synchronise', more=['--check'], call='MPI_Send')
        self.right(4, 'safe', '--check', '--sends', 'synchronise', '--collectives', 'loose', '--delays', '5')

    def test_the_report_names_the_seed(self):
        self.dead(2, 'exchange', '--sends', 'synchronise', '--delays', '42', call='MPI_Send')

    def test_values_are_checked(self):
        result = run(2, 'safe', '--sends', 'sometimes')
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('auto|synchronise|buffer', result.stderr)


unittest.main(verbosity=1)
