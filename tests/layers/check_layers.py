#!/usr/bin/env python3
"""Checks who includes whom, by src/layers.txt, that a few words stay in their folders, and that a file's name says which.

    check_layers.py TREE       print every violation; exit code 1 if there is one
    check_layers.py --self-test TREE   plant violations in a copy, and see that each is found
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

# Besides these, nobody in src sees a handle.
SEES_MPI_H = ("api", "fortran")

# Atomics with named orders live in src/memmodel. Exceptions, each with the reason why memmodel cannot serve.
MAY_NAME_MEMORY_ORDERS = {
    "src/fortran/pending.cpp": "part of a library that knows mpi.h only",
    "src/fortran/pending.hpp": "part of a library that knows mpi.h only",
    "src/base/ref.hpp": "reference counts; base is below memmodel",
    "src/libc/crash_report.cpp": "runs in signal handlers; libc does not see memmodel",
    "src/libc/ending_signals.cpp": "runs in signal handlers; libc does not see memmodel",
    "src/libc/descriptors.cpp": "libc does not see memmodel",
    "src/libc/descriptors.hpp": "libc does not see memmodel",
    "src/libc/input.cpp": "libc does not see memmodel",
    "src/libc/input.hpp": "libc does not see memmodel",
    "src/libc/signal_waiting.cpp": "libc does not see memmodel",
    "src/libc/signals.cpp": "runs in signal handlers; libc does not see memmodel",
    "src/libc/signals.hpp": "runs in signal handlers; libc does not see memmodel",
    "src/loader/module.cpp": "loader does not see memmodel",
    "src/loader/thread_blocks.cpp": "loader does not see memmodel",
}

# Settings are read in one place (base/config.cpp, by walking the environment). Exceptions are about that itself.
MAY_CALL_GETENV = {
    "src/libc/environment.cpp": "gives each rank an environment of its own",
    "src/process/thread_storage.cpp": "saves LD_LIBRARY_PATH over an exec and restores it",
    "src/loader/classify.cpp": "finds libraries as the dynamic linker does",
    "src/launch/interpreter_main.cpp": "is handed what to open, in a program without our library's core",
    "src/loader/module_set.cpp": "finds libraries as the dynamic linker does",
}

# Programs that must build with any MPI.
PORTABLE = ("tests/conformance/", "bench/mpi/")
STANDARD_HEADERS = set(
    # C
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg "
    "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype".split()
)
CXX_HEADERS = set(
    "algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono "
    "cinttypes climits clocale cmath compare complex concepts condition_variable coroutine csetjmp csignal cstdarg "
    "cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format "
    "forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator latch "
    "limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges "
    "ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept "
    "stop_token streambuf string string_view strstream syncstream system_error thread tuple type_traits typeindex "
    "typeinfo unordered_map unordered_set utility valarray variant vector version".split()
)
# For pinning, threads, mappings, membarrier(2), and files beside those of MPI.
POSIX_HEADERS = {"fcntl.h", "sched.h", "unistd.h", "pthread.h", "sys/mman.h", "sys/syscall.h"}

SOURCES = {".cpp", ".hpp", ".c", ".h", ".cc", ".in"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MEMORY_ORDER = re.compile(r"\bmemory_order|\b__ATOMIC_|\bstd::atomic_thread_fence")
GETENV = re.compile(r"(?<![\w\"])(?:secure_)?getenv\s*\(")


class Room:
    """One of src/layers.txt: the rooms that it sees, the headers that others may include."""

    def __init__(self):
        self.sees = set()
        self.exports = set()


def read_layers(tree):
    rooms = {}
    room = None
    for line in (tree / "src/layers.txt").read_text().split("\n"):
        words = line.split("#")[0].split()
        if not words:
            continue
        if not line.startswith(" "):
            room = rooms.setdefault(words[0], Room())
        elif words[0] == "sees":
            room.sees.update(words[1:])
        else:
            room.exports.update(words[1:])
    return rooms


def check_layers_themselves(tree, rooms):
    """Rooms come after those that they see; what is exported is there, and used elsewhere."""
    found = []
    above = set()
    for name, room in rooms.items():
        found += [f"src/layers.txt: {name} sees {below}, which does not come before it" for below in room.sees - above]
        above.add(name)
    includes = {}
    for file in (tree / "src").rglob("*"):
        if file.suffix in {".cpp", ".hpp", ".py"}:
            for folder, name in re.findall(r'#include \\?"([\w/]+)/([\w.]+)\\?"', file.read_text()):
                if file.parent != tree / "src" / folder:
                    includes.setdefault(folder, set()).add(name)
    for name, room in rooms.items():
        unused = room.exports - includes.get(name, set())
        found += [f"src/layers.txt: {name} exports {header}, which nobody includes" for header in unused]
    return found


def check_exceptions(tree):
    """A file that may do what others may not does it."""
    found = []
    for exceptions, pattern in ((MAY_NAME_MEMORY_ORDERS, MEMORY_ORDER), (MAY_CALL_GETENV, GETENV)):
        for path in exceptions:
            file = tree / path
            if not file.is_file() or not pattern.search(without_comments(file.read_text())):
                found.append(f"{path}:1: needs no exception in tests/layers")
    return found


def check_names(tree):
    """A file of src is known by its name; a source and its header share theirs but for the suffix."""
    found = []
    first = {}
    for file in sorted(file for file in (tree / "src").rglob("*") if file.is_file() and file.name != "meson.build"):
        name = file.stem if file.suffix in {".cpp", ".hpp"} else file.name
        folder = first.setdefault(name, file.parent)
        if file.parent != folder:
            other = folder.relative_to(tree).as_posix()
            found.append(f"{file.relative_to(tree).as_posix()}:1: its name is in {other}, too")
    return found


def without_comments(text):
    """The same lines with comments blanked; string literals stay."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)

    def blank(match):
        found = match.group()
        return found if found[0] == '"' else re.sub(r"[^\n]", " ", found)

    return pattern.sub(blank, text)


def check_include(tree, rooms, path, kind, header, problem):
    parts = path.split("/")
    folder, _, name = header.rpartition("/")
    folder = folder or None
    if path.startswith(PORTABLE):
        standard = header.removesuffix(".h") in STANDARD_HEADERS and header.endswith(".h") or header in CXX_HEADERS
        # What these programs share lies among them.
        beside = ((tree / path).parent / header).resolve()
        own = kind == '"' and any(beside.is_relative_to((tree / top).resolve()) for top in PORTABLE) and beside.is_file()
        if not (standard or own or header == "mpi.h" or header in POSIX_HEADERS):
            problem(f"includes {header}: this program must build with any MPI (mpi.h and standard headers only)")
        return
    # A test or benchmark may name a header that lies beside it.
    beside = parts[0] != "src" and ((tree / path).parent / header).is_file()
    if kind == '"' and folder is None and header != "mpi.h" and not beside:
        problem(f'includes "{header}" without its folder')
    if parts[0] != "src" or len(parts) < 3:
        return
    here = "/".join(parts[1:-1])
    if here not in rooms:
        problem(f"is in a folder that src/layers.txt does not know: {here}")
        return
    if header == "mpi.h" and parts[1] not in SEES_MPI_H:
        problem("includes mpi.h: below api nobody sees a handle")
    if folder in rooms and folder != here:
        if folder not in rooms[here].sees:
            problem(f"includes {header}: {here} may not see {folder}")
        elif name not in rooms[folder].exports:
            problem(f"includes {header}: {folder} does not export it")
    if folder == "ranklet" and parts[1] not in SEES_MPI_H:
        problem(f"includes {header}: the public headers are above the core")


def violations_in(tree, rooms, file):
    found = []
    path = file.relative_to(tree).as_posix()
    if file.suffix not in SOURCES or not file.is_file():
        return found
    # Programs of users, as users write them.
    user_program = path.startswith(("tests/programs/", "examples/"))
    text = without_comments(file.read_text(errors="replace"))
    for number, line in enumerate(text.split("\n"), 1):

        def problem(what):
            found.append(f"{path}:{number}: {what}")

        include = INCLUDE.match(line)
        if include and not user_program:
            check_include(tree, rooms, path, include[1], include[2], problem)
        if not path.startswith("src/"):
            continue
        if MEMORY_ORDER.search(line) and not path.startswith("src/memmodel/") and path not in MAY_NAME_MEMORY_ORDERS:
            problem("names a memory order: raw atomics live in src/memmodel")
        if GETENV.search(line) and path not in MAY_CALL_GETENV:
            problem("calls getenv: settings come from base/config.hpp")
    return found


def violations(tree):
    rooms = read_layers(tree)
    found = check_layers_themselves(tree, rooms) + check_exceptions(tree) + check_names(tree)
    for top in ("src", "include", "tests", "bench", "examples"):
        for file in sorted((tree / top).rglob("*")):
            found += violations_in(tree, rooms, file)
    return found


PLANTED = [
    ("src/base/planted_base.cpp", '#include "memmodel/memmodel.hpp"', "base may not see memmodel"),
    ("src/ranks/planted_ranks.hpp", '#include "p2p/engine.hpp"', "ranks may not see p2p"),
    ("src/coll/planted_coll.cpp", "#include <rma/window.hpp>", "coll may not see rma"),
    ("src/rma/planted_rma.cpp", '#include "comm/nursery.hpp"', "comm does not export it"),
    ("src/api/handles/planted_handles.cpp", '#include "api/entry/call.hpp"', "api/handles may not see api/entry"),
    ("src/p2p/planted_p2p.cpp", "  #  include <mpi.h>", "below api"),
    ("src/comm/planted_comm.cpp", '#include "comm.hpp"', "without its folder"),
    ("src/ranks/planted_ranks.cpp", "x.load(std::memory_order_relaxed);", "memory order"),
    ("src/comm/planted_comm.hpp", 'auto v = std::getenv("RANKLET_X");', "getenv"),
    ("src/misc/planted_misc.cpp", '#include "terms/error.hpp"', "does not know"),
    ("tests/conformance/planted.cpp", '#include "terms/error.hpp"', "any MPI"),
    ("bench/mpi/planted.c", "#include <hwloc.h>", "any MPI"),
    ("tests/conformance/planted.c", '#include "../../src/base/error.hpp"', "any MPI"),
    ("src/rma/communicator.cpp", "", "its name is in src/comm"),
    ("src/launch/interpreter_main.cpp", "int main() {}", "needs no exception"),
]
HARMLESS = [
    ("src/base/harmless_base.cpp", '// #include "memmodel/memmodel.hpp"\n/* getenv("X") */\n#include <vector>', None),
    ("src/p2p/harmless_p2p.cpp", '#include "ranks/ranks.hpp"\n#include "p2p/planted.hpp"', None),
    ("src/api/impl/harmless_impl.cpp", '#include "mpi.h"\n#include "coll/coll.hpp"', None),
    ("tests/conformance/harmless.c", "#include <mpi.h>\n#include <stdio.h>", None),
]


def self_test(tree):
    """Plants each file in a copy of the tree: the whole check must find it, and nothing else that is new."""
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "tree"
        for top in ("src", "include", "tests", "bench", "examples"):
            if (tree / top).is_dir():
                shutil.copytree(tree / top, copy / top)
        before = set(violations(copy))
        for path, text, _ in [*PLANTED, *HARMLESS]:
            file = copy / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text + "\n")
        new = set(violations(copy)) - before
        for path, text, expected in PLANTED:
            matching = {v for v in new if v.startswith(path + ":") and expected in v}
            if not matching:
                failures.append(f"misses {text!r} in {path}")
            new -= matching
        failures += [f"complains for no reason: {v}" for v in sorted(new)]
    return failures


def main(arguments):
    testing = arguments[:1] == ["--self-test"]
    tree = Path(arguments[1 if testing else 0])
    if not (tree / "src").is_dir():
        sys.exit(f"{tree} has no src/")
    problems = self_test(tree) if testing else violations(tree)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
