"""Programs that use MPI wrongly under mpiexec --check: each finding names what is wrong, the rule, and the lines of
both parties."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE, RIGHT_SOURCE, FILE_SOURCE, WINDOW_SOURCE = sys.argv[1:7]
del sys.argv[1:7]
DIRECTORY = tempfile.TemporaryDirectory()
PROGRAM = DIRECTORY.name + '/usage'
RIGHT_PROGRAM = DIRECTORY.name + '/right_usage'
FILE_PROGRAM = DIRECTORY.name + '/file_usage'
WINDOW_PROGRAM = DIRECTORY.name + '/window_usage'
for source, program in [(SOURCE, PROGRAM), (RIGHT_SOURCE, RIGHT_PROGRAM), (FILE_SOURCE, FILE_PROGRAM),
                        (WINDOW_SOURCE, WINDOW_PROGRAM)]:
    subprocess.run([MPICC, '-g', '-D_GNU_SOURCE', source, '-o', program, '-lpthread'], check=True)
LINES = [line for source in (SOURCE, FILE_SOURCE, WINDOW_SOURCE)
         for line in enumerate(pathlib.Path(source).read_text().split('\n'), 1)]


def run(ranks, task, *options, program=PROGRAM):
    # A second argument is the file of those that use one.
    return subprocess.run([MPIEXEC, '-n', str(ranks), *options, program, task, DIRECTORY.name + '/data'],
                          capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


def marked(task, mark):
    """The numbers of the lines with that mark; a mark that says "next line" stands for the one after it."""
    found = set()
    for number, line in LINES:
        comment = re.search(rf'/\* {task}\b(?!-)(.*)\*/', line)
        if comment and re.search(rf'\b({mark}|either)\b', comment[1]):
            found.add(number + ('next line' in comment[1]))
    return found


def findings(text):
    """Dictionaries of title to text, one for each block; its first line is under '' ."""
    blocks = []
    for line in text.split('\n'):
        if match := re.match(r'(usage error|leak|advice): (.*)', line):
            blocks.append({'': match[2], 'weight': match[1]})
        elif blocks and (match := re.match(r'  (rule|rank|call|place|other party) +(.*)', line)):
            blocks[-1].setdefault(match[1], match[2])  # an error's report may follow
    return blocks


class Usage(unittest.TestCase):
    def check(self, ranks, task, what, weight='usage error', there=None, code=1, rank=None, options=(), program=PROGRAM):
        result = run(ranks, task, '--check', *options, program=program)
        # After a mismatch of collectives the program may end with an error of MPI.
        self.assertEqual(result.returncode != 0, code != 0, task + '\n' + result.stderr)
        # What follows from a mismatch may be worth an advice of its own.
        found = [f for f in findings(result.stderr) if f['weight'] != 'advice' or weight == 'advice']
        self.assertTrue(found, task + '\n' + result.stderr)
        for finding in found:
            self.assertRegex(finding[''], what, result.stderr)
            self.assertEqual(finding['weight'], weight, result.stderr)
            self.assertRegex(finding['rule'], r'^MPI 5\.0 §\d', result.stderr)
            if rank is not None:
                self.assertEqual(finding['rank'], str(rank), result.stderr)
            here = marked(task, 'here')
            if here:
                line = re.search(r'usage\.c:(\d+)', finding['place'])
                self.assertIn(int(line[1]), here, result.stderr)
                self.assertRegex(finding['call'], r'^MPI_\w+\(')
            if marked(task, 'there'):
                line = re.search(r'usage\.c:(\d+)', finding['other party'])
                self.assertIn(int(line[1]), marked(task, 'there'), result.stderr)
        return found

    def test_leaks(self):
        for kind in ['comm', 'group', 'datatype', 'op', 'info', 'errhandler', 'keyval', 'window', 'session']:
            found = self.check(2, 'leak-' + kind, 'was not f', weight='leak')
            self.assertEqual(len(found), 2, kind)
        self.check(2, 'leak-message', 'matched message was never received', weight='leak', rank=1)

    def test_operations_left(self):
        self.check(2, 'never-completed', 'never completed', weight='leak', rank=0)
        self.check(2, 'never-started', 'never started', weight='leak')
        self.check(2, 'never-received', 'never received', weight='leak', rank=1)
        self.check(2, 'never-received-in-session', 'never received', weight='leak', rank=1)
        self.check(1, 'no-finalize', 'without MPI_Finalize')
        for _ in range(3):  # a race would not always show
            self.check(1, 'never-completed-beside-others', 'never completed', weight='leak')

    def test_freeing_an_active_request_is_unwise(self):
        self.check(2, 'free-active', 'active request was freed', weight='advice', code=0, rank=0)

    def test_arrays(self):
        found = self.check(2, 'array-changed', 'the array recvcounts was changed', weight='advice', code=0, rank=0)
        self.assertEqual(len(found), 1)
        self.assertEqual(len(self.check(2, 'array-unmapped', 'recvcounts was', weight='advice', code=0)), 2)

    def test_message_types(self):
        for task in ['types-differ', 'types-differ-late', 'types-differ-persistent']:
            self.check(2, task, 'types of the data sent', rank=1)
        self.check(2, 'types-differ-sendrecv', 'types of the data sent', rank=1)

    def test_message_types_under_portability_modes(self):
        for options in (['--sends', 'synchronise'], ['--sends', 'buffer', '--collectives', 'loose'],
                        ['--collectives', 'synchronise', '--delays', '3']):
            for task in ['types-differ', 'types-differ-late', 'types-differ-persistent']:
                self.check(2, task, 'types of the data sent', rank=1, options=options)
            self.check(3, 'bcast-types-differ', 'basic elements of other types', options=options)
            self.check(2, 'send-buffer-changed', 'changed before the operation was complete', rank=0, options=options)

    def test_truncation(self):
        self.check(2, 'truncation', 'of 20 bytes is longer than the receive buffer of 16', rank=1)

    def test_buffers(self):
        self.check(2, 'receives-overlap', 'overlaps one of an operation', rank=0)
        self.check(2, 'columns-overlap', 'overlaps one of an operation', rank=0)
        self.check(2, 'started-together', 'overlaps one of an operation', rank=0)
        self.check(2, 'send-of-pending-receive', 'lies in the receive buffer', rank=0)
        self.check(2, 'send-buffer-changed', 'changed before the operation was complete', rank=0)
        self.check(2, 'collective-buffer-changed', 'changed before', rank=0)
        self.check(2, 'collective-buffers-overlap', 'overlaps the data to send')
        self.check(2, 'part-changed', 'changed before', rank=0)
        self.check(2, 'part-overlaps', 'overlaps one of an operation', rank=0)
        self.check(2, 'neighbors-overlap', 'overlaps one of an operation')
        self.check(2, 'aliases', 'send buffer and the receive buffer overlap')
        self.assertEqual(len(self.check(2, 'persistent-buffer-changed', 'changed before', rank=0)), 1)

    def test_collectives(self):
        self.check(3, 'other-collective', 'MPI_Barrier.*MPI_Bcast|MPI_Bcast.*MPI_Barrier')
        self.check(3, 'roots-differ', 'roots of MPI_Reduce differ')
        self.check(3, 'operators-differ', 'operators of MPI_Allreduce differ: MPI_.* here, MPI_')
        self.check(3, 'forms-differ', 'MPI_I?[Bb]cast here, MPI_I?[Bb]cast')
        self.check(3, 'counts-differ', 'counts or types of the operands')
        self.check(2, 'nonblocking-counts-differ', 'counts or types of the operands')
        self.check(3, 'bcast-types-differ', 'basic elements of other types')
        self.check(3, 'gather-types-differ', 'basic elements of other types')
        self.check(2, 'alltoallv-types-differ', 'basic elements of other types')
        self.check(2, 'merge-or-dup', 'MPI_Intercomm_merge|MPI_Comm_dup')
        self.check(3, 'variants-differ', 'MPI_Allgatherv? here, MPI_Allgatherv? as')
        self.check(3, 'some-start-before-free', 'MPI_(Comm_free|Ibcast) here, MPI_(Comm_free|Ibcast) as')
        for task in ('some-start-it', 'some-start-it-and-linger'):
            found = self.check(3, task, 'MPI_(Finalize|Ibcast) here, MPI_(Finalize|Ibcast) as')
            self.assertTrue(all('MPI_Ibcast' in f['call'] + f['other party'] for f in found))
        self.check(1, 'entries-overlap', 'the receive buffer has a datatype whose entries overlap')

    def test_windows(self):
        def check(ranks, task, what, **expected):
            return self.check(ranks, task, what, program=WINDOW_PROGRAM, **expected)
        check(2, 'puts-conflict', 'a put and a put of the same data of target 0')
        check(2, 'put-and-get-conflict', 'a get and a put', rank=0)
        check(2, 'accumulates-conflict', 'different operators')
        check(3, 'exposure-conflict', 'a put and a put')
        check(2, 'accumulates-shifted', 'elements of different types, or as shifted ones, of target 0')
        check(2, 'accumulates-of-types', 'elements of different types')
        check(2, 'gets-into-one-place', 'the result buffer overlaps one of an operation', rank=0)
        check(2, 'result-used-early', 'the data to send lies in the result buffer of an operation', rank=0)
        for task in ('put-data-changed', 'put-data-changed-exposed', 'accumulate-data-changed'):
            check(2, task, 'the origin buffer was changed before the operation was complete', rank=0)
        for task in ('put-despite-no-put', 'accumulate-despite-no-put'):
            found = check(2, task, 'the memory of target 0 is updated in an epoch for which it has asserted MPI_MODE_NOPUT')
            self.assertEqual(len(found), 1)
        for task in ('store-despite-no-store', 'receive-despite-no-store', 'store-before-post'):
            found = check(2, task, 'MPI_MODE_NOSTORE was given, but', rank=0)
            self.assertEqual(len(found), 1)
        check(3, 'some-precede', 'assertions of MPI_Win_fence differ: (MPI_MODE_NOPRECEDE here, none|none here, MPI_MODE_NOPRECEDE) there')
        check(2, 'unchecked-lock', 'MPI_MODE_NOCHECK was given for a lock, but two ranks ask', rank=1)
        check(2, 'unchecked-start', 'MPI_MODE_NOCHECK was given, but target 0 has not called MPI_Win_post', rank=1)

    def test_nothing_is_said_of_right_uses_of_windows(self):
        for task in ['get-before-put', 'get-before-put-exposed', 'fence-before-lock', 'origin-buffers',
                     'origin-data-is-read', 'accumulates-meet', 'kept-by-fences', 'kept-by-posts', 'kept-by-locks',
                     'kept-by-stores']:
            # Ranks that leave a fence late see what others do after it.
            for delays in [], ['--delays', '1']:
                result = run(3, task, '--check', *delays, program=WINDOW_PROGRAM)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, '', ''), task)

    def test_files(self):
        def check(task, what, ranks=2, **expected):
            return self.check(ranks, task, what, program=FILE_PROGRAM, **expected)
        self.assertEqual(len(check('left-open', 'was not closed', weight='leak')), 2)
        check('unread-error', 'whose opening has failed')
        check('same-place', r'two ranks write the same data of the file, from byte 0 on, with no MPI_File_sync', ranks=3)
        check('pieces-meet', r'two ranks write the same data of the file, from byte 4 on', ranks=3)
        check('read-too-early', 'is read that another rank has written, from byte 16 on', weight='advice', code=0, rank=1)
        check('written-data-changed', 'the data to write was changed before')
        check('split-data-changed', 'the data to write was changed before')
        check('read-into-message', 'the buffer to read into overlaps the receive buffer|overlaps one of an operation')
        check('views-differ', "members' views of the file differ", ranks=3)
        check('other-split', r'MPI_File_write_(at_)?all_(begin|end) here')

    def test_nothing_is_said_of_right_uses_of_files(self):
        for task in ['apart', 'synced', 'atomic', 'opened-again', 'two-buffers', 'one-view', 'read-error']:
            result = run(3, task, '--check', program=FILE_PROGRAM)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, '', ''), task)

    def test_threads(self):
        self.check(1, 'funneled', 'level of thread support is MPI_THREAD_FUNNELED')
        self.check(2, 'serialized', 'two threads are in MPI at once', rank=0)
        self.check(2, 'finalized-elsewhere', 'a thread other than the one that has initialized MPI finalizes it')
        self.check(2, 'collectives-at-once', 'two threads are in collective calls on one communicator', rank=0)

    def test_nothing_is_said_of_right_programs(self):
        for task in ['unused-buffers', 'parts', 'missing-neighbors', 'questions', 'always-callable', 'session-after-finalize', 'huge-counts',
                     'threads-in-collectives']:
            result = run(3, task, '--check', program=RIGHT_PROGRAM)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, '', ''), task)

    def test_strict(self):
        self.check(2, 'free-active', 'active request was freed', weight='advice', code=1, options=['--check=strict'])

    def test_report_as_json(self):
        path = DIRECTORY.name + '/found.json'
        for task, ranks in [('types-differ', 2), ('leak-comm', 3), ('free-active', 2), ('types-differ-late', 2)]:
            result = run(ranks, task, '--check-report', path)
            shown = findings(result.stderr)
            with open(path) as file:
                report = json.load(file)
            self.assertEqual(report['tool'], 'Ranklet')
            told = {(f['weight'], f['what'], f['rule'], str(f['rank']), f['call'], f['place'],
                     f.get('other', {}).get('text')) for f in report['findings']}
            self.assertEqual(told, {(f['weight'], f[''], f['rule'], f['rank'], f.get('call', ''), f.get('place', ''),
                                     f.get('other party')) for f in shown})
            for finding in report['findings']:
                for place, part in [('here', finding), ('there', finding.get('other', {}))]:
                    if marked(task, place) and 'line' in part:
                        self.assertTrue(os.path.samefile(part['file'], SOURCE))
                        self.assertIn(part['line'], marked(task, place))
            self.assertTrue(any('line' in f for f in report['findings']), report)

    def test_report_as_sarif(self):
        path = DIRECTORY.name + '/found.sarif'
        result = run(2, 'types-differ', '--check-report', path)
        self.assertEqual(result.returncode, 1)
        with open(path) as file:
            report = json.load(file)
        self.assertEqual(report['version'], '2.1.0')
        [finding] = report['runs'][0]['results']
        self.assertEqual((finding['ruleId'], finding['level']), ('MPI 5.0 §3.3.1', 'error'))
        for name, mark in [('locations', 'here'), ('relatedLocations', 'there')]:
            [location] = finding[name]
            self.assertIn(location['physicalLocation']['region']['startLine'], marked('types-differ', mark))
            self.assertTrue(location['physicalLocation']['artifactLocation']['uri'].endswith('usage.c'))

    def test_reports_of_nothing_and_of_an_end_by_error(self):
        path = DIRECTORY.name + '/none.json'
        self.assertEqual(run(3, 'unused-buffers', '--check-report', path, program=RIGHT_PROGRAM).returncode, 0)
        with open(path) as file:
            self.assertEqual(json.load(file)['findings'], [])
        run(2, 'truncation', '--check-report', path)
        with open(path) as file:
            self.assertEqual(len(json.load(file)['findings']), 1)
        refused = run(2, 'leak-comm', '--check-report', '/no/such/directory/x')
        self.assertEqual((refused.returncode, refused.stdout), (127, ''))
        self.assertIn('the report /no/such/directory/x cannot be created: No such file or directory', refused.stderr)

    def test_nothing_is_said_where_nobody_asks(self):
        result = run(2, 'leak-comm')
        self.assertEqual((result.returncode, result.stderr), (0, ''))


if __name__ == '__main__':
    unittest.main()
