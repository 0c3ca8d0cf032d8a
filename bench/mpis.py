"""The MPIs of this machine, and how to run a program under each: Ranklet, MPICH and Open MPI."""
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path


FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-w"]


@dataclass
class Mpi:
    name: str
    mpicc: str
    mpiexec: str
    options: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)


def known_mpis(build=None, directory=None, bind=False):
    ours = find_ranklet(build, directory)
    mpis = {}
    if ours:
        mpis["ranklet"] = Mpi("ranklet", *ours)
    for name in ("mpich", "openmpi"):
        mpicc, mpiexec = shutil.which("mpicc." + name), shutil.which("mpiexec." + name)
        if mpicc and mpiexec:
            mpis[name] = Mpi(name, mpicc, mpiexec, *manner_of(name == "openmpi", bind))
    return mpis


# Launchers are told not to bind: the two-rank programs pin themselves, the others leave placement to
# the operating system under every MPI, except that --bind leaves each launcher its own default.
def manner_of(is_open_mpi, bind):
    """The options and the environment with which the launcher starts more ranks than cores, also for root."""
    if not is_open_mpi:
        return [], {}
    return (["--oversubscribe"] + ([] if bind else ["--bind-to", "none"]),
            {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})


def mpi_at(name, prefix, bind=False):
    """The MPI whose mpicc and mpiexec are in PREFIX/bin or in PREFIX itself; None if they are not."""
    for place in (Path(prefix) / "bin", Path(prefix)):
        mpicc, mpiexec = place / "mpicc", place / "mpiexec"
        if os.access(mpicc, os.X_OK) and os.access(mpiexec, os.X_OK):
            said = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, timeout=60).stdout.lower()
            is_open_mpi = any(word in said for word in ("open mpi", "openrte", "prrte", "open-mpi"))
            return Mpi(name, str(mpicc), str(mpiexec), *manner_of(is_open_mpi, bind))
    return None


def find_ranklet(build, directory):
    """The wrapper and launcher in a directory, in a build tree, or of an installation."""
    for place in places_of("mpiexec", build, directory):
        if os.access(place / "mpicc", os.X_OK) and os.access(place / "mpiexec", os.X_OK):
            return str(place / "mpicc"), str(place / "mpiexec")
    return None


def find_program(name, build=None, directory=None):
    """One of Ranklet's own programs, or None."""
    for place in places_of(name, build, directory):
        if os.access(place / name, os.X_OK):
            return str(place / name)
    return None


def places_of(name, build, directory):
    if directory:
        return [Path(directory)]
    if build:
        return in_build(Path(build), name)
    # An installed front is a link beside the other programs; in a source tree the build that was made last; else
    # the programs in PATH.
    info = shutil.which("ranklet-info")
    return [Path(sys.argv[0]).absolute().parent, *in_newest_build(name)] + ([Path(info).parent] if info else [])


def in_build(build, name):
    return sorted({p.parent for p in build.rglob(name) if p.is_file()})


def in_newest_build(name):
    tree = Path(__file__).resolve().parent.parent
    if not (tree / "meson.build").exists():
        return []
    builds = [b.parent for b in tree.glob("*/build.ninja") if (b.parent / "src" / "launch" / "mpiexec").exists()]
    return in_build(max(builds, key=lambda b: (b / "src" / "launch" / "mpiexec").stat().st_mtime), name) if builds else []


def compile_with(mpi, source, directory):
    """Builds one of the programs in bench/mpi and returns its path."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / Path(source).stem
    run([mpi.mpicc, *FLAGS, str(source), "-o", str(program)], mpi.environment)
    return str(program)


def result_lines(out):
    """Yields (first word, {key: value}) of each result line of a program in bench/mpi."""
    for line in out.splitlines():
        word, *pairs = line.split() or [""]
        if pairs and all("=" in p for p in pairs):
            yield word, dict(p.split("=", 1) for p in pairs)


def core_pairs(build=None, directory=None):
    """[(nearness, first, second)] of this machine, as hwloc sees it."""
    info = find_program("ranklet-info", build, directory)
    if not info:
        raise Failed("no ranklet-info found (give --build or --ranklet)")
    pairs = []
    for line in run([info, "--core-pairs"])[0].splitlines():
        cpus, nearness = line.split(" ", 1)
        pairs.append((nearness, *map(int, cpus.split(","))))
    return pairs


def choose(arguments, program, default=None):
    """{name: Mpi} that arguments.mpi, .build, .ranklet and .bind ask for; ends the program if one is not there."""
    found = known_mpis(arguments.build, arguments.ranklet, arguments.bind)
    asked = arguments.mpi.split(",") if arguments.mpi else []
    plain = [text for text in asked if "=" not in text]
    wanted = plain or default or list(found)
    for text in asked:
        name, equals, prefix = text.partition("=")
        if not equals:
            continue
        found[name] = mpi_at(name, prefix, arguments.bind)
        if not found[name]:
            sys.exit(f"{program}: no mpicc and mpiexec in {prefix}/bin, nor in {prefix}")
        if name not in wanted:
            wanted = [*wanted, name]
    for name in wanted:
        if name not in found:
            sys.exit(f"{program}: no {name} found" +
                     (" (give --build or --ranklet)" if name == "ranklet" else ""))
    if not wanted:
        sys.exit(f"{program}: no MPI found")
    return {name: found[name] for name in wanted}


def machine():
    return dict(cpu=cpu_name(), cores=len(os.sched_getaffinity(0)), system=platform.platform(),
                load=os.getloadavg()[0], time=time.strftime("%Y-%m-%dT%H:%M:%S%z"))


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


class Failed(Exception):
    """A command that did not end well; `timeout` tells whether it did not end at all."""

    def __init__(self, text, timeout=False):
        super().__init__(text)
        self.timeout = timeout


def run(command, environment=None, limit=120):
    started = time.monotonic()
    # A session of its own: at the time limit the whole job goes, not only its launcher.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        raise Failed(f"{' '.join(command)}: no end within {limit} s", timeout=True) from None
    if process.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit code {process.returncode}\n{(err or out).strip()[-2000:]}")
    return out, (time.monotonic() - started) * 1e9
