"""mpiexec --check=all: each problem once, whichever way of running shows it, and what each way has covered."""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE = sys.argv[1:4]
del sys.argv[1:4]
DIRECTORY = tempfile.TemporaryDirectory()
subprocess.run([MPICC, '-g', SOURCE, '-o', DIRECTORY.name + '/every_way'], check=True)
AS_IT_IS = '--check'
WAITING = '--check --sends synchronise --collectives synchronise'
HASTY = '--check --sends buffer --collectives loose'
EXPLORED = '--check --explore'


def command(ranks, task, *options):
    return [MPIEXEC, '-n', str(ranks), '--check=all', *options, './every_way', task]


class Result:
    def __init__(self, ranks, task, *options, **streams):
        done = subprocess.run(command(ranks, task, *options), capture_output=True, text=True, timeout=200,
                              cwd=DIRECTORY.name, **(streams or {'stdin': subprocess.DEVNULL}))
        self.code, self.output, self.errors = done.returncode, done.stdout, done.stderr
        summary = self.errors.partition('mpiexec --check=all: ')[2]
        self.headline = summary.split('\n')[0]
        self.problems = re.split(r'(?m)^\d+\. ', summary.partition('\n')[2])[1:]
        lines = re.findall(r'(?m)^  (--check.*?)  +(\d+ runs?|-) +[\d.]+ s  (.*)$', summary)
        self.ways = {way: (runs, covered) for way, runs, covered in lines}


class CheckAll(unittest.TestCase):
    def test_nothing_is_found_in_a_right_program_and_all_runs_read_the_same(self):
        file = pathlib.Path(DIRECTORY.name, 'input')
        file.write_text('skipped\nseven\n')
        for streams in ({'input': 'seven\n'}, {'stdin': file.open()}):
            if 'stdin' in streams:
                streams['stdin'].buffer.seek(len('skipped\n'))
            result = Result(3, 'right', **streams)
            self.assertEqual((result.code, result.headline, result.output), (0, 'nothing was found', 'read seven\n'),
                             result.errors)
            self.assertEqual(list(result.ways), [AS_IT_IS, WAITING, HASTY, EXPLORED])
            self.assertEqual(result.ways[EXPLORED][1], '0 problems; every way in which messages can match')
            self.assertEqual(result.ways[EXPLORED][0], '2 runs')

    def test_a_failure_of_one_way_is_told_with_its_options(self):
        result = Result(2, 'exchange')
        self.assertEqual((result.code, result.headline), (1, '1 problem'), result.errors)
        self.assertRegex(result.problems[0], r'\Athe job fails: deadlock\n')
        self.assertRegex(result.problems[0], r'MPI_Send\(.*\n +at exchange\(\) at every_way\.c:\d+\n')
        self.assertIn('seen with     ' + WAITING + '\n', result.problems[0])
        self.assertEqual(result.ways[WAITING], ('1 run', '1 problem'))
        self.assertEqual(result.ways[AS_IT_IS], ('1 run', '0 problems'))

    def test_matches_are_tried(self):
        result = Result(3, 'first-come')
        self.assertEqual((result.code != 0, result.headline), (True, '1 problem'), result.errors)
        self.assertIn(EXPLORED, result.problems[0])
        token = re.search(r'again with    --replay (\S+)', result.problems[0])
        if token:  # the run as it is may have shown it
            again = subprocess.run([MPIEXEC, '-n', '3', '--check', '--replay', token[1], './every_way', 'first-come'],
                                   capture_output=True, text=True, timeout=60, cwd=DIRECTORY.name)
            self.assertIn('deadlock: every rank waits', again.stderr)

    def test_findings_are_told_once_for_all_ranks_and_ways(self):
        report = DIRECTORY.name + '/report.json'
        result = Result(3, 'leak', '--check-report=' + report)
        self.assertEqual((result.code, result.headline), (1, '1 problem'), result.errors)
        self.assertRegex(result.problems[0], r'\Aleak: a communicator was not freed\n')
        self.assertRegex(result.problems[0], r'also on ranks [01][-,][12]\n')
        self.assertIn('seen with     ' + ', '.join([AS_IT_IS, WAITING, HASTY, EXPLORED]) + '\n', result.problems[0])
        found = json.load(open(report))['findings']
        self.assertEqual(sorted((f['weight'], f['rank']) for f in found), [('leak', 0), ('leak', 1), ('leak', 2)])

    def test_advice_leaves_the_code_alone(self):
        result = Result(2, 'advised')
        self.assertEqual((result.code, result.headline), (0, '1 problem'), result.errors)
        self.assertRegex(result.problems[0], r'\Aadvice: ')

    def test_the_code_of_the_first_run_counts(self):
        result = Result(2, 'fails')
        self.assertEqual((result.code, result.headline), (3, '1 problem'), result.errors)
        self.assertRegex(result.problems[0], r'\Athe job fails: rank 0 exited with code 3.*, as above\n')

    def test_ranks_that_leave_end_the_runs(self):
        result = Result(2, 'deserts')
        self.assertNotEqual(result.code, 0)
        self.assertRegex(result.problems[0], r'\A(usage error|the job fails): ')
        self.assertNotIn('signal', result.errors)

    def test_a_program_that_starts_others_is_not_explored(self):
        result = Result(1, 'starts')
        self.assertEqual((result.code, result.headline), (0, 'nothing was found'), result.errors)
        self.assertEqual(result.ways[EXPLORED], ('-', '0 problems; not tried: the program starts others'))

    def test_a_signal_ends_it_all(self):
        with subprocess.Popen(command(2, 'stays'), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=DIRECTORY.name) as process:
            self.assertEqual(process.stdout.readline(), 'here\n')
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_jobs_that_cannot_be_repeated_are_refused(self):
        for options in (['--explore'], ['--record', 'file'], ['--universe', 'u']):
            result = Result(2, 'right', *options)
            self.assertEqual(result.code, 1)
            self.assertIn('--check=all', result.errors)


if __name__ == '__main__':
    unittest.main()
