"""Small pieces that ranks write to one file are stored into a mapping of it when they are written again, also where a store
faults."""
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = sys.argv.pop()
MPICC = sys.argv.pop()
MPIEXEC = sys.argv.pop()

# Says that all is in memory, and cuts the file off behind the byte that is written next: the stores fault.
CUTTER = '''#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
static atomic_int asked;
static atomic_int cuts;
int mincore(void* memory, size_t bytes, unsigned char* pages) {
  (void)memory;
  atomic_store(&asked, 1);
  memset(pages, 1, (bytes + 4095) / 4096);
  return 0;
}
static ssize_t write_and_cut(const char* name, int descriptor, const struct iovec* vectors, int count, off_t at) {
  ssize_t (*write)(int, const struct iovec*, int, off_t) =
    (ssize_t (*)(int, const struct iovec*, int, off_t))dlsym(RTLD_NEXT, name);
  const ssize_t written = write(descriptor, vectors, count, at);
  if (atomic_exchange(&asked, 0) && atomic_fetch_add(&cuts, 1) == 0) {
    if (written != 1 || ftruncate(descriptor, 0) != 0) return -1;
    dprintf(2, "the file is cut off\\n");
  }
  return written;
}
ssize_t pwritev(int descriptor, const struct iovec* vectors, int count, off_t at) {
  return write_and_cut("pwritev", descriptor, vectors, count, at);
}
ssize_t pwritev64(int descriptor, const struct iovec* vectors, int count, off_t at) {
  return write_and_cut("pwritev64", descriptor, vectors, count, at);
}
'''


class FilePieces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.dir = cls.holder.name
        cls.program = os.path.join(cls.dir, 'file_pieces')
        subprocess.run([MPICC, '-O1', SOURCE, '-o', cls.program], check=True)
        cls.cutter = os.path.join(cls.dir, 'cutter.so')
        with open(cls.cutter + '.c', 'w') as file:
            file.write(CUTTER)
        subprocess.run(['cc', '-shared', '-fPIC', cls.cutter + '.c', '-o', cls.cutter, '-ldl'], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def run_job(self, ranks, *arguments, **environment):
        seed = random.randrange(1 << 30)
        path = os.path.join(self.dir, 'file')
        done = subprocess.run([MPIEXEC, '--timeout', '60', '-n', str(ranks), self.program, path, str(seed), *arguments],
                              capture_output=True, text=True, env={**os.environ, **environment})
        os.unlink(path)
        self.assertEqual(done.returncode, 0, f'seed {seed}\n{done.stdout}{done.stderr}')
        found = re.search(r'of (\d+) bytes calls have written (-?\d+)', done.stdout)
        self.assertTrue(found, done.stdout)
        return int(found[1]), int(found[2]), done.stderr

    def file_system_is_known(self):
        kind = subprocess.run(['stat', '-f', '-c', '%T', self.dir], capture_output=True, text=True).stdout.strip()
        return kind in ('tmpfs', 'ext2/ext3', 'xfs', 'btrfs', 'overlayfs')

    def test_pieces_are_stored(self):
        for ranks in 4, 8:
            everything, by_calls, _ = self.run_job(ranks, 'handler')
            if by_calls >= 0 and self.file_system_is_known():
                self.assertLess(by_calls, everything / 3)

    def test_a_fault_in_a_store_is_no_crash(self):
        for arguments in (), ('handler',):
            said = self.run_job(1, *arguments, CUT='1', LD_PRELOAD=self.cutter)[2]
            if self.file_system_is_known():
                self.assertIn('the file is cut off', said)


if __name__ == '__main__':
    unittest.main()
