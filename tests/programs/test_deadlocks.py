"""Programs that deadlock under mpiexec: each ends with a report that names every rank's call and its place."""
import re
import signal
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE = sys.argv[1:4]
del sys.argv[1:4]
DIRECTORY = tempfile.TemporaryDirectory()
PROGRAM = DIRECTORY.name + '/deadlock'
subprocess.run([MPICC, '-g', '-D_GNU_SOURCE', SOURCE, '-o', PROGRAM, '-fopenmp'], check=True)


def run(ranks, task, *options):
    return subprocess.run([MPIEXEC, '-n', str(ranks), *options, PROGRAM, task], capture_output=True, text=True,
                          timeout=60, stdin=subprocess.DEVNULL)


class Deadlocks(unittest.TestCase):
    def check(self, ranks, task, *calls):
        """calls: for each rank what its line holds."""
        result = run(ranks, task)
        self.assertNotEqual(result.returncode, 0, task)
        self.assertIn('deadlock: every rank waits for another one', result.stderr, task)
        for rank, call in enumerate(calls):
            self.assertRegex(result.stderr, rf'(?m)^  rank {rank}  {call}.*\n +at \w+\(\) at (deadlock\.c|tasks\.h):\d+$', task)

    def test_receive_first(self):
        self.check(3, 'receive-first', *(rf'MPI_Recv\(.*source={(i + 1) % 3}, tag=7, comm=MPI_COMM_WORLD' for i in range(3)))

    def test_send_large(self):
        self.check(2, 'send-large', r'MPI_Send\(.*dest=1, tag=7', r'MPI_Send\(.*dest=0, tag=7')

    def test_wrong_tag(self):
        self.check(2, 'wrong-tag', r'MPI_Finalize', r'MPI_Recv\(.*source=0, tag=4')

    def test_a_message_that_nobody_receives_is_named(self):
        self.assertRegex(run(2, 'wrong-tag').stderr,
                         r'(?m)^ +unmatched: a message from rank 0 with tag 3 on MPI_COMM_WORLD, 4 bytes$')

    def test_a_receiver_that_keeps_no_more_messages(self):
        self.assertEqual(run(2, 'last-first').returncode, 0)
        few = ('--unexpected-limit', '100000')
        result = run(2, 'last-first', *few)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('deadlock: every rank waits for another one', result.stderr)
        self.assertRegex(result.stderr, r'(?m)^  rank 0  MPI_Send\(.*dest=1, tag=\d+')
        self.assertRegex(result.stderr, r'(?m)^  rank 1  MPI_Recv\(.*source=0, tag=1999')
        self.assertRegex(result.stderr, r'(?m)^ +full: what is sent to it waits, as it keeps more than 100000 bytes of '
                                        r'messages without a receive \(--unexpected-limit\)$')
        self.assertEqual(run(2, 'last-first', *few, '--sends', 'buffer').returncode, 0)

    def check_state(self, text):
        """Of the three ranks of test-loop."""
        self.assertRegex(text, r'(?m)^  rank 0  asks again and again whether something is done, at test_loop\(\) at '
                               r'deadlock\.c:\d+$')
        self.assertRegex(text, r'(?m)^  rank 1  MPI_Recv\(.*source=0.*\n +at test_loop\(\) at deadlock\.c:\d+$')
        self.assertRegex(text, r'(?m)^  rank 2  computes')

    def test_a_timeout_tells_what_the_ranks_do(self):
        result = run(3, 'test-loop', '--timeout', '1')
        self.assertEqual(result.returncode, 124)
        self.check_state(result.stderr)

    def test_sigusr1_tells_what_the_ranks_do(self):
        self.check_sigusr1('test-loop')

    def test_sigusr1_in_a_job_whose_ranks_have_closed_all_descriptors(self):
        self.check_sigusr1('close-all')

    def check_sigusr1(self, task):
        with subprocess.Popen([MPIEXEC, '-n', '3', PROGRAM, task], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as job:
            for _ in range(3):
                job.stdout.readline()
            text = ''
            # Rank 1 counts as waiting when it has waited for some milliseconds.
            while 'rank 1  MPI_Recv' not in text or 'rank 0  asks' not in text:
                job.send_signal(signal.SIGUSR1)
                text = ''
                while '  rank 2' not in text:
                    line = job.stderr.readline()
                    self.assertTrue(line, text)  # the job has ended
                    text += line
            self.check_state(text)
            self.assertIsNone(job.poll())
            job.terminate()

    def test_wait_any(self):
        self.check(2, 'wait-any', 'MPI_Waitany', 'MPI_Waitany')

    def test_probe(self):
        self.check(2, 'probe', r'MPI_Probe\(source=MPI_ANY_SOURCE, tag=5', 'MPI_Probe')

    def test_comms_reversed(self):
        self.check(2, 'comms-reversed', 'MPI_Barrier', 'MPI_Barrier')
        self.assertRegex(run(2, 'comms-reversed', '--check').stderr,
                         r'\n  the same collective on different communicators:\n'
                         r'    rank 0 on 0x\w+ of ranks 0 and 1 of MPI_COMM_WORLD, made by MPI_Comm_dup\(.*\) in \w+\(\) at .*:\d+\n'
                         r'    rank 1 on 0x\w+ of ranks 0 and 1 of MPI_COMM_WORLD, made by MPI_Comm_dup')

    def test_cycle(self):
        self.check(3, 'cycle', *['MPI_Allreduce'] * 3)

    def test_bcast_and_send(self):
        self.check(2, 'bcast-and-send', 'MPI_Bcast', 'MPI_Recv')

    def test_missing_barrier(self):
        result = run(3, 'missing-barrier')
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"member \d calls MPI_(Barrier|Finalize) in \w+\(\) at .*, this one MPI_(Finalize|Barrier)")

    def test_nonblocking(self):
        self.check(2, 'nonblocking', r'MPI_Recv', r'MPI_Wait\(')

    def test_who_has_not_come_to_a_collective_is_named(self):
        absent = {'absent-in-bcast': 'rank 1 has not', 'absent-in-alltoall': 'ranks 1 and 4-6 have not',
                  'absent-in-ibarrier': 'waits for MPI_Barrier in its nonblocking form in .*; ranks 1 and 4-6 have not',
                  'absent-in-iallgather': 'waits for MPI_Allgather or .*; ranks 1 and 4-6 have not'}
        for task, text in absent.items():
            for options in [], ['--check']:
                with self.subTest(task, options=options):
                    report = run(7, task, *options).stderr
                    if options:
                        text = re.sub('waits for MPI_(.).*?(;|$)', r'waits for MPI_I.*;', text)
                    lines = re.findall(r'^ +.* come to it$', report, re.M)
                    self.assertEqual(len(lines), 3, report)
                    for line in lines:
                        self.assertRegex(line, f'^ +{text} come to it$')

    def test_start_before_post(self):
        self.check(2, 'start-before-post', 'MPI_Win_start', 'MPI_Win_start')

    def test_locks_crossed(self):
        self.check(2, 'locks-crossed', r'MPI_Win_lock\(lock_type=MPI_LOCK_EXCLUSIVE, rank=1', r'MPI_Win_lock\(.*rank=0')

    def check_pair(self, task, *calls):
        """Ranks 0 and 1 wait for each other, rank 2 computes."""
        result = run(3, task)
        self.assertNotEqual(result.returncode, 0, task)
        self.assertIn('deadlock: ranks 0 and 1 can only wait for each other', result.stderr, task)
        self.assertIn('  rank 2  can go on', result.stderr, task)
        for rank, call in enumerate(calls):
            self.assertRegex(result.stderr, rf'(?m)^  rank {rank}  {call}.*\n +at \w+\(\) at deadlock\.c:\d+$', task)
        return result.stderr

    def test_pair_receives_while_a_rank_computes(self):
        report = self.check_pair('pair-receives', r'MPI_Recv\(.*source=1', r'MPI_Recv\(.*source=0')
        self.assertIn('each waits for the next one: 0 -> 1 -> 0', report)

    def test_pair_waits_while_a_rank_computes(self):
        report = self.check_pair('pair-waits', 'MPI_Waitall', 'MPI_Waitall')
        for line in ('waits for a receive from rank 1 with tag 1 on MPI_COMM_WORLD',
                     'waits for a send to rank 0 with tag 2 on MPI_COMM_WORLD'):
            self.assertIn(f'\n          {line}\n', report)

    def test_requests_are_named_by_the_calls_that_made_them(self):
        report = run(3, 'pair-waits', '--check').stderr
        self.assertRegex(report, r'\n          waits for MPI_Irecv\(.*source=1, tag=1.*\) in pair_waits\(\) at deadlock\.c:\d+\n')

    def test_a_request_that_nobody_has_started(self):
        report = run(2, 'not-started').stderr
        self.assertIn('\n          not started: a send to rank 1 with tag 4 on MPI_COMM_WORLD\n', report)
        for call in r'MPI_Barrier in its persistent form', r'MPI_Allreduce in its persistent form with MPI_SUM':
            self.assertRegex(report, rf'\n          not started: {call} in \w+\(\) at deadlock\.c:\d+ on MPI_COMM_WORLD\n')
        self.assertRegex(run(2, 'not-started', '--check').stderr,
                         r'\n          not started: MPI_Send_init\(.*\) in not_started\(\) at deadlock\.c:\d+\n')

    def test_pair_reduces_while_a_rank_computes(self):
        self.check_pair('pair-reduces', 'MPI_Allreduce', 'MPI_Allreduce')

    def test_a_chain_that_ends_at_a_computing_rank_is_no_deadlock(self):
        result = run(3, 'chain')
        self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_threads(self):
        result = run(1, 'threads')
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r'(?s)deadlock.*rank 0  MPI_Recv.*tag=[12].*rank 0  MPI_Recv.*tag=[12]')

    def check_idle_threads(self, task, number, line):
        result = subprocess.run(['env', 'OMP_WAIT_POLICY=passive', MPIEXEC, '-n', '2', PROGRAM, task], text=True,
                                capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('suspected deadlock: every rank waits for another one', result.stderr)
        self.assertIn('each waits for the next one: 0 -> 1 -> 0', result.stderr)
        for rank in 0, 1:
            self.assertRegex(result.stderr, rf'  rank {rank}  MPI_Recv\(.*\n +at {line}.*\n +{number} further threads have '
                                            'slept for seconds until another thread of the rank wakes them\n')

    def test_idle_threads(self):
        self.check_idle_threads('idle-threads', 2, 'receive_first_from')
        self.check_idle_threads('idle-threads-openmp', 2, 'openmp_workers')

    def test_a_thread_that_sleeps_and_will_wake_another_is_no_deadlock(self):
        result = run(1, 'late-work-in-thread')
        self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_bcasts_in_reverse_order_are_reported_as_mismatch_or_deadlock(self):
        result = run(2, 'bcast-reversed')
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r'MPI_Bcast')

    def test_a_thread_that_comes_late_is_no_deadlock(self):
        result = run(1, 'late-thread')
        self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_a_rank_between_two_sessions_is_no_deadlock(self):
        result = run(3, 'between-sessions')
        self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_the_report_can_be_switched_off(self):
        result = run(2, 'receive-first', '--deadlock-report', 'no', '--timeout', '1')
        self.assertNotEqual(result.returncode, 0)
        self.assertNotIn('deadlock: every rank', result.stderr)


unittest.main(verbosity=1)
