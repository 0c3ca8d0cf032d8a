"""The programs of the suite, their cases, and the lines that reports are to name."""
import pathlib
import re
import subprocess

# Those that need others than 2.
RANKS = {'over_time': 3}
# Files of right cases alone run all of them in one process, once on each of these numbers.
TOGETHER = (3, 4)


class Program:
    def __init__(self, source, directory, mpiexec, build):
        self.source = pathlib.Path(source)
        self.directory = directory
        self.mpiexec = mpiexec
        self.path = f'{directory}/{self.source.stem}'
        build(source, self.path)
        self.lines = self.source.read_text().split('\n')
        listed = subprocess.run([mpiexec, '-n', '1', self.path, '--list'], capture_output=True, text=True, check=True)
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

    def firsts(self, name):
        return (0, 1) if self.can_be_forced(name) else (None,)

    def only_right(self):
        return all(verdict == 'right' for _, verdict, _ in self.cases)

    def reported_together(self, ranks, options=()):
        """Of a file of right cases alone: those which fail or of which something is said, with what it is."""
        result = self.run('all', None, options, ranks)
        if (result.returncode, result.stderr) == (0, ''):
            return []
        alone = {name: self.run(name, None, options, ranks) for name, _, _ in self.cases}
        return [(name, each.returncode, each.stderr) for name, each in {'all': result, **alone}.items()
                if (each.returncode, each.stderr) != (0, '')]

    def run(self, name, first, options=(), ranks=None):
        turn = f'{self.directory}/turn-{self.source.stem}-{name}-{first}-{len(options)}'
        arguments = [name] if first is None else [name, str(first)]
        ranks = ranks or RANKS.get(self.source.stem, 2)
        return subprocess.run(['env', 'CASE_TURN=' + turn, self.mpiexec, '-n', str(ranks), '--timeout', '60', *options,
                               self.path, *arguments], capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL)

    def places(self, report):
        """Each report's lines of this source."""
        found = []
        for block in re.split(r'\n(?=usage error|=====)', report):
            if 'usage error' in block or 'WARNING: ThreadSanitizer' in block:
                found.append({int(number) for number in re.findall(rf'{self.source.name}:(\d+)', block)})
        return found

    def names_both(self, name, report):
        marked = self.marked(name)
        return any(len(lines & marked) == min(2, len(marked)) for lines in self.places(report))
