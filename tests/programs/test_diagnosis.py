"""The gallery of docs/diagnosis.md: each wrong program shown there gets the report shown there.

The first C block of the document is the frame of the programs. Each later one, with the console block after it, is a
program: what stands in place of the frame's comment, or all of it where it has a main. The console block holds the command
and the report, in which `…` stands for anything within a line and a line `...` for any lines. A block `console either`
shows one of several reports: where ranks disagree, each of them may be the one that reports.
`test_diagnosis.py MPIEXEC MPICC DOCUMENT --write` puts the reports that do not fit any more into the document, and
`--write NAME...` those of these programs, also if they fit."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, DOCUMENT = map(os.path.abspath, sys.argv[1:4])
del sys.argv[1:4]
TEXT = pathlib.Path(DOCUMENT).read_text()
BLOCKS = re.compile(r'```c\n(?P<code>[^`]*)```\n\s*```console(?P<either> either)?\n'
                    r'\$ mpiexec (?P<command>.*)\n(?P<report>[^`]*)```')
FRAME = re.search(r'```c\n(.*?)```', TEXT, re.S)[1]
PLACE = '  /* the lines shown */\n'
DIRECTORY = tempfile.TemporaryDirectory()


def name_of(block):
    return re.search(r'\./(\w+)', block['command'])[1]


def source_of(block):
    name = name_of(block)
    own = f'#line 1 "{name}.c"\n{block["code"]}'
    before, after = FRAME.split(PLACE)
    if 'main(' in block['code']:
        headers = ''.join(line for line in before.splitlines(True) if line.startswith('#'))
        return headers + own
    line_after = before.count('\n') + 2
    return f'#line 1 "frame.c"\n{before}{own}#line {line_after} "frame.c"\n{after}'


def compile_program(block):
    name = name_of(block)
    program = pathlib.Path(DIRECTORY.name, name)
    program.with_suffix('.c').write_text(source_of(block))
    subprocess.run([MPICC, '-g', '-O0', program.with_suffix('.c'), '-o', program, '-lpthread'], check=True)


def run(block, attempt):
    """What the program prints, with what differs from run to run replaced by `…`."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith('RANKLET_')}
    # Other ranks come later with each seed, so that each report is seen sooner or later.
    delays = ['--delays', str(attempt)] if block['either'] else []
    result = subprocess.run([MPIEXEC, *delays, *block['command'].split()], capture_output=True, text=True, timeout=60,
                            cwd=DIRECTORY.name, stdin=subprocess.DEVNULL, env=environment)
    text = re.sub(r'0x(?!0\b)[0-9a-f]+', '0x…', result.stdout + result.stderr)
    if delays:
        text = text.replace(f'under --delays {attempt}\n', '')
    return text.replace(DIRECTORY.name + '/', '')


def report_of(block):
    compile_program(block)
    for attempt in range(40 if block['either'] else 1):
        report = run(block, attempt)
        if fits(block['report'], report):
            break
    return report


def fits(shown, report):
    pattern = ''
    for line in shown.splitlines(True):
        pattern += '(?:.*\n)*?' if line == '...\n' else '.*'.join(map(re.escape, line.split('…')))
    return re.fullmatch(pattern, report) is not None


class Gallery(unittest.TestCase):
    def test_reports(self):
        blocks = list(BLOCKS.finditer(TEXT))
        self.assertEqual(len(blocks), TEXT.count('```c\n') - 1, 'each program has a command and a report')
        self.assertGreaterEqual(len(blocks), 25)
        self.assertEqual(len({name_of(block) for block in blocks}), len(blocks), 'each program has its own name')
        with concurrent.futures.ThreadPoolExecutor(2) as runs:
            reports = runs.map(report_of, blocks)
            for block, report in zip(blocks, reports):
                with self.subTest(name_of(block)):
                    self.assertTrue(fits(block['report'], report),
                                    f'{name_of(block)}: the document shows\n{block["report"]}and the report is\n{report}')


def write(names):
    def renewed(block):
        if names and name_of(block) not in names:
            return block[0]
        report = report_of(block)
        if not names and fits(block['report'], report):
            return block[0]
        start, end = (offset - block.start() for offset in block.span('report'))
        return block[0][:start] + report + block[0][end:]

    pathlib.Path(DOCUMENT).write_text(BLOCKS.sub(renewed, TEXT))


if '--write' in sys.argv:
    write(sys.argv[sys.argv.index('--write') + 1:])
else:
    unittest.main(verbosity=1)
