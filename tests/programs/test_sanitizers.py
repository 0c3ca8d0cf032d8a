"""Programs built with a sanitizer by gcc or clang run as they are, and reports say which rank and which line; right
programs are quiet."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MPICC, SOURCE = sys.argv[1:4]
del sys.argv[1:4]
LINES = pathlib.Path(SOURCE).read_text().split('\n')
NAME = pathlib.Path(SOURCE).name
DIRECTORY = tempfile.TemporaryDirectory()


def line_of(fault):
    return next(number for number, line in enumerate(LINES, 1) if f'/* {fault} */' in line)


def build(compiler, sanitizer, *more):
    program = f'{DIRECTORY.name}/{compiler}-{sanitizer}'
    done = subprocess.run([MPICC, '-cc=' + compiler, '-g', '-O1', '-fsanitize=' + sanitizer, SOURCE, '-o', program,
                           '-lpthread', *more], capture_output=True, text=True)
    return program, done


def has(compiler, sanitizer):
    """Can this compiler build for it, without MPI? Distributions leave runtimes out."""
    if not shutil.which(compiler):
        return False
    source = DIRECTORY.name + '/empty.c'
    pathlib.Path(source).write_text('int main(void) { return 0; }\n')
    shared = ['-shared-libsan'] if compiler == 'clang' else []
    if subprocess.run([compiler, '-fsanitize=' + sanitizer, *shared, source, '-o', source + '.out'],
                      capture_output=True).returncode != 0:
        return False
    # The shared ThreadSanitizer of clang 14 crashes in any program.
    runtime = subprocess.run([compiler, '-print-file-name=libclang_rt.asan-x86_64.so'], capture_output=True, text=True)
    return subprocess.run(['setarch', os.uname().machine, '-R', source + '.out'], capture_output=True,
                          env={'LD_LIBRARY_PATH': os.path.dirname(runtime.stdout.strip())}).returncode == 0


class Sanitizers(unittest.TestCase):
    def run_program(self, program, *arguments, ranks=2, **environment):
        done = subprocess.run([MPIEXEC, '-n', str(ranks), program, *arguments], capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, env={**os.environ, **environment})
        return done.returncode, done.stdout, done.stderr

    def check_all(self, sanitizer, faults, compilers=('gcc', 'clang')):
        tried = False
        for compiler in compilers:
            if not has(compiler, sanitizer):
                continue
            tried = True
            program, done = build(compiler, sanitizer)
            self.assertEqual(done.returncode, 0, done.stderr)
            with self.subTest(compiler=compiler, fault='none'):
                code, out, err = self.run_program(program)
                self.assertEqual((code, err), (0, ''), out + err)
            for fault, texts in faults.items():
                with self.subTest(compiler=compiler, fault=fault):
                    code, out, err = self.run_program(program, fault)
                    if fault != 'overflow':  # whose report lets the program go on
                        self.assertNotEqual(code, 0)
                    for text in texts:
                        self.assertRegex(err, text)
                    self.assertIn(f'{NAME}:{line_of(fault)}', err)
                    # What ranks have printed before is not lost.
                    self.assertEqual(sorted(out.split('\n')), ['', 'hello from 0', 'hello from 1'])
        if not tried:
            self.skipTest('no compiler has its runtime')

    def test_address(self):
        rank = ['AddressSanitizer has found an error of rank 1', r'\.1\)']
        self.check_all('address', {
            'heap': ['heap-buffer-overflow', *rank],
            'stack': ['stack-buffer-overflow', *rank],
            'global': ["global variable 'global'", *rank],
            'free': ['heap-use-after-free', *rank],
            'message': ['heap-buffer-overflow', 'MPI_Sendrecv', *rank],
            'leak': ['4321 byte', 'LeakSanitizer has found memory that no rank can reach'],
        })

    def test_leak(self):
        self.check_all('leak', {'leak': ['4321 byte', 'LeakSanitizer has found memory that no rank can reach']}, ['gcc'])

    def test_undefined(self):
        self.check_all('undefined', {
            'overflow': ['signed integer overflow', 'UndefinedBehaviorSanitizer has found an error of rank 1']})

    def test_thread(self):
        self.check_all('thread', {'race': ['data race', r"'(gcc|clang)-threa?d?\.1'"]})

    def test_together(self):
        if not has('gcc', 'address,undefined'):
            self.skipTest('no runtime')
        program, done = build('gcc', 'address,undefined')
        self.assertEqual(done.returncode, 0, done.stderr)
        code, _, err = self.run_program(program, 'overflow')
        self.assertEqual(code, 0, err)
        self.assertIn('has found an error of rank 1', err)
        self.assertNotEqual(self.run_program(program, 'heap')[0], 0)

    @unittest.skipUnless(has('clang', 'address'), 'no clang with shared runtimes')
    def test_static_runtimes(self):
        program, done = build('clang', 'address', '-static-libsan')
        self.assertEqual(done.returncode, 0, done.stderr)
        code, _, err = self.run_program(program)
        self.assertEqual(code, 1)
        self.assertRegex(err, 'contains the runtime of AddressSanitizer.*-shared-libsan')
        _, done = build('clang', 'leak')
        self.assertEqual(done.returncode, 1)
        self.assertIn('use -fsanitize=address', done.stderr)

    @unittest.skipUnless(shutil.which('clang') and not has('clang', 'thread'), "clang's runtime works")
    def test_runtime_that_crashes(self):
        program, done = build('clang', 'thread')
        if done.returncode == 0:
            code, _, err = self.run_program(program)
            self.assertEqual(code, 1)
            self.assertIn('crashes in any program', err)
        else:
            self.assertIn('which ranks can share', done.stderr)


if __name__ == '__main__':
    unittest.main(verbosity=2)
