"""Record and replay of matching, and exploration, under mpiexec."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE = sys.argv[1:4]
del sys.argv[1:4]
DIRECTORY = tempfile.TemporaryDirectory()
PROGRAM = DIRECTORY.name + '/matching'
RECORD = DIRECTORY.name + '/record'
subprocess.run([MPICC, '-g', SOURCE, '-o', PROGRAM], check=True)


def run(ranks, task, *options, **variables):
    return subprocess.run([MPIEXEC, '-n', str(ranks), *options, PROGRAM, task], capture_output=True, text=True,
                          timeout=90, stdin=subprocess.DEVNULL, env={**os.environ, **variables})


class RecordAndReplay(unittest.TestCase):
    def check(self, ranks, task, seen=lambda output: output):
        recorded = run(ranks, task, '--record', RECORD, '--delays', '1')
        self.assertEqual((recorded.returncode, recorded.stderr), (0, ''), task)
        for seed in range(2, 12):
            replayed = run(ranks, task, '--replay', RECORD, '--delays', str(seed))
            self.assertEqual((replayed.returncode, replayed.stderr, seen(replayed.stdout)),
                             (0, '', seen(recorded.stdout)), task)

    def test_order(self):
        self.check(4, 'order')
        with open(RECORD) as record:
            lines = record.read().splitlines()
        self.assertEqual(sum(' receive ' in line for line in lines), 9)
        self.assertIn('ranks 4', lines)
        self.assertIn('end 0 9', lines)

    def test_all_calls(self):
        self.check(4, 'all-calls')

    def test_looks(self):
        self.check(3, 'looks')

    def test_worlds_that_start_worlds(self):
        self.check(2, 'worlds', seen=lambda output: sorted(output.splitlines()))
        with open(RECORD) as record:
            lines = record.read().splitlines()
        self.assertEqual(sum(' accept ' in line for line in lines), 8)
        self.assertIn('end 0:0:1:0:1 0', lines)  # the second child of rank 0's child 1
        self.assertEqual(sum(line.startswith('1:1:0 ') for line in lines), 6)

    def test_a_rank_of_another_world_departs(self):
        run(1, 'worlds', '--record', RECORD)
        with open(RECORD) as record:
            lines = record.read().splitlines()
        with open(RECORD, 'w') as record:
            record.write('\n'.join(line for line in lines if not line.startswith(('0:1:1 ', 'end 0:1:1 ')))
                         + '\n0:1:1 0 probe 0 99\n')
        result = run(1, 'worlds', '--replay', RECORD)
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r'rank 1 of world \d departs from the record .* at its choice 0')

    def test_a_cancellation_is_enforced(self):
        run(2, 'all-calls', '--record', RECORD)
        with open(RECORD) as record:
            lines = record.read().splitlines()
        self.assertEqual(sum(' cancel ' in line for line in lines), 1)

    def test_a_record_in_the_making_hides_no_deadlock(self):
        for options in ((), ('--record', RECORD)):
            result = run(3, 'generalized', '--timeout', '30', *options)
            self.assertIn('deadlock: ranks 1 and 2 can only wait for each other', result.stderr)

    def test_options_that_exclude_each_other(self):
        for options in (('--record', RECORD, '--replay', RECORD), ('--explore', '--record', RECORD),
                        ('--explore', '--replay', RECORD)):
            result = run(2, 'order', *options)
            self.assertEqual(result.returncode, 1)
            self.assertIn('only one can be given', result.stderr)
        result = subprocess.run([MPIEXEC, '-n', '1', '--explore', 'true'], capture_output=True, text=True, timeout=30)
        self.assertEqual(result.returncode, 1)
        self.assertIn('does not use MPI', result.stderr)

    def test_sessions_one_after_another(self):
        self.check(4, 'two-sessions')
        with open(RECORD) as record:
            self.assertEqual([line for line in record.read().splitlines() if line.startswith('end 0')], ['end 0 6'])

    def test_a_rank_that_ends_too_early_departs(self):
        with open(RECORD, 'w') as record:
            record.write('ranks 2\n' + ''.join(f'0 {i} receive 1 {i}\n' for i in range(4)))
        result = run(2, 'order', '--replay', RECORD)
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r'rank 0 departs from the record .* at its choice 3\n  now       the end of the '
                                        r'program\n  recorded  receive: a message from 1 with tag 3\n')

    def test_another_order_is_enforced(self):
        with open(RECORD, 'w') as record:
            record.write('ranks 3\n' + ''.join(f'0 {i} receive {s} {t}\n' for i, (s, t) in
                                              enumerate([(2, 0), (2, 1), (1, 0), (2, 2), (1, 1), (1, 2)])))
        for seed in range(5):
            self.assertEqual(run(3, 'order', '--replay', RECORD, '--delays', str(seed)).stdout.split(),
                             ['200', '201', '100', '202', '101', '102'])

    def test_departure(self):
        run(3, 'variant', '--record', RECORD)
        result = run(3, 'variant', '--replay', RECORD, VARIANT='yes')
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r'(?s)rank 0 departs from the record .* at its choice 0\n  call      MPI_Recv\('
                         r'.*at receive\(\) at matching\.c:\d+\n  now       receive from any with tag 1\n'
                         r'  recorded  receive: a message from \d with tag 0\n')

    def test_a_record_that_cannot_come_true_is_a_deadlock(self):
        with open(RECORD, 'w') as record:
            record.write('ranks 2\n0 0 receive 1 0\n0 1 receive 1 7\n')
        result = run(2, 'order', '--replay', RECORD)
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r'(?s)deadlock.*choice 1 is to be as recorded, receive: a message from 1 with tag 7')

    def test_bad_records(self):
        for text, expected in (('end 2147483647 0\n', 'is of more than 2 ranks'), ('ranks 3\n', 'is of 3 ranks'), ('0 0 fetch 1 2\n', 'line 1'), ('0 0 receive 1\n', 'line 1')):
            with open(RECORD, 'w') as record:
                record.write(text)
            result = run(2, 'order', '--replay', RECORD)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(expected, result.stderr)
        self.assertIn('cannot be read', run(2, 'order', '--replay', DIRECTORY.name + '/none').stderr)


class Exploration(unittest.TestCase):
    def explore(self, ranks, task, *options):
        result = run(ranks, task, '--explore', *options)
        self.assertEqual(result.stderr, '')
        return result

    def check(self, ranks, task, runs, results):
        result = self.explore(ranks, task)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn(f'explored {runs} run{"s" * (runs > 1)}: none fails, {results} '
                      f'{"different results" if results > 1 else "result"}\n', result.stdout)
        self.assertIn('  complete: every way', result.stdout)
        self.assertNotIn('MPI_Waitsome', result.stdout)
        return result

    def test_the_standards_example_has_two_executions(self):
        result = self.check(3, 'three-ranks', 2, 2)
        self.assertIn('[1] first 2, second 0', result.stdout)
        self.assertIn('[1] first 0, second 2', result.stdout)

    def test_one_when_the_broadcast_synchronises(self):
        result = self.explore(3, 'three-ranks', '--collectives', 'synchronise')
        self.assertIn('explored 1 run: none fails, 1 result', result.stdout)

    def test_orders(self):
        self.check(3, 'order', 20, 20)  # of three and three messages, each in its order

    def test_independent(self):
        self.check(4, 'independent', 4, 4)

    def test_messages_that_come_late(self):
        self.check(4, 'late', 2, 2)

    def test_deterministic_programs_run_once(self):
        self.check(3, 'ping', 1, 1)

    def test_waitany(self):
        self.check(3, 'waitany', 2, 2)

    def test_test_loop(self):
        self.check(2, 'test-loop', 2, 2)

    def test_posted_first(self):
        result = self.check(3, 'posted-first', 2, 2)
        for lines in ('10 11', '20 10'):
            self.assertIn('[0] ' + lines, result.stdout)

    def test_failures_and_their_replay(self):
        result = self.explore(4, 'first-is-one')
        self.assertEqual(result.returncode, 1)
        self.assertIn('explored 6 runs: 4 fail, 1 result\n', result.stdout)
        token = re.search(r'replay: (explored:\S+)', result.stdout)[1]
        for _ in range(5):
            replayed = run(4, 'first-is-one', '--replay', token)
            self.assertEqual(replayed.returncode, 3)
            self.assertIn('MPI_Abort', replayed.stderr)

    def test_deadlocks(self):
        result = self.explore(3, 'sometimes-dead')
        self.assertEqual(result.returncode, 1)
        self.assertIn('explored 2 runs: 1 fails, 1 result\n', result.stdout)
        self.assertRegex(result.stdout, r'(?s)1 run: deadlock\n.*rank 0  MPI_Recv\(.*source=1.*matching\.c:\d+')
        token = re.search(r'replay: (explored:\S+)', result.stdout)[1]
        self.assertIn('deadlock: every rank', run(3, 'sometimes-dead', '--replay', token).stderr)

    def test_failures_hide_nothing(self):
        for ending, code in (('abort', 5), ('exit', 6)):
            result = run(4, 'hidden', '--explore', ENDING=ending)
            self.assertIn('explored 2 runs: 1 fails, 1 result\n', result.stdout)
            self.assertIn('  complete: every way', result.stdout)
            token = re.search(r'replay: (explored:\S+)', result.stdout)[1]
            self.assertEqual(run(4, 'hidden', '--replay', token, ENDING=ending).returncode, code)

    def test_crashes_leave_it_incomplete(self):
        result = run(4, 'hidden', '--explore', ENDING='crash')
        self.assertRegex(result.stdout, r'not complete: 1 run failed before')

    def test_ranks_that_poll_without_mpi_end_by_their_timeout(self):
        result = self.explore(3, 'polls-a-window', '--timeout', '2')
        self.assertRegex(result.stdout, r'explored 1 run: 1 fails.*\n  1 run: had not ended after 2 s')
        self.assertIn('  not complete: ', result.stdout)

    def test_tokens_that_do_not_fit(self):
        token = re.search(r'replay: (explored:\S+)', self.explore(3, 'order').stdout)[1]
        self.assertTrue(token.startswith('explored:3/'))
        self.assertEqual(run(3, 'order', '--replay', token).returncode, 0)
        for ranks, options, expected in ((4, (), 'a job of 3 ranks, this one has 4'),
                                         (3, ('--check',), 'with the options "", this one has "check"'),
                                         (3, ('--sends', 'buffer'), 'this one has "sends=buffer"')):
            result = run(ranks, 'order', '--replay', token, *options)
            self.assertEqual(result.returncode, 1)
            self.assertIn(expected, result.stderr)
        result = run(3, 'waitany', '--replay', token)
        self.assertIn('the token does not fit: decision 1 of 6 has not become possible', result.stderr)
        for task in ('ping', 'sometimes-dead'):
            result = run(3, task, '--replay', token)
            self.assertIn('the token does not fit: decision ', result.stderr)

    def test_tokens_make_different_orders(self):
        tokens = re.findall(r'replay: (explored:\S+)', self.explore(3, 'order').stdout)
        self.assertEqual(len({run(3, 'order', '--replay', token).stdout for token in tokens[:5]}), 5)

    def test_probe_then_any(self):
        result = self.explore(3, 'probe-then-any')
        self.assertIn('explored 4 runs: 2 fail, 1 result\n', result.stdout)

    def test_usage_checks_look_at_every_run(self):
        self.assertIn('explored 2 runs: none fails', self.explore(3, 'types-by-order').stdout)
        for sends in ('auto', 'synchronise', 'buffer'):
            result = self.explore(3, 'types-by-order', '--check', '--sends', sends)
            self.assertEqual(result.returncode, 1)
            self.assertIn('explored 2 runs: 1 fails, 1 result\n', result.stdout)
            self.assertRegex(result.stdout, r'(?s)1 run: the usage checks have found 2 errors.*'
                             r'usage error: the types of the data sent.*matching\.c:\d+')
            token = re.search(r'replay: (explored:\S+)', result.stdout)[1]
            replayed = run(3, 'types-by-order', '--check', '--sends', sends, '--replay', token)
            self.assertIn('usage error: the types of the data sent', replayed.stderr)
            self.assertEqual(replayed.returncode, 1)

    def test_checked_programs_match_as_others(self):
        for task, ranks, runs in (('three-ranks', 3, 2), ('order', 3, 20), ('independent', 4, 4), ('waitany', 3, 2),
                                  ('posted-first', 3, 2)):
            result = self.explore(ranks, task, '--check')
            self.assertIn(f'explored {runs} runs: none fails', result.stdout)

    def test_livelock(self):
        result = self.explore(2, 'livelock')
        self.assertIn('explored 1 run: 1 fails', result.stdout)
        self.assertIn('livelock: every rank waits or tests', result.stdout)

    def test_limits(self):
        result = self.explore(3, 'order', '--explore-runs', '7')
        self.assertIn('explored 7 runs', result.stdout)
        self.assertRegex(result.stdout, r'not complete: at least \d+ outcomes? w(as|ere) seen')

    def test_all_calls(self):
        result = self.explore(3, 'all-calls', '--explore-runs', '50')
        self.assertIn('explored 50 runs: none fails', result.stdout)
        self.assertIn('  MPI_Waitsome and MPI_Testsome: all complete requests together, and each alone', result.stdout)
        self.assertIn('  tests and probes that could find something: find nothing at most once', result.stdout)


unittest.main(verbosity=1)
