"""The MPIs of this machine, and how to run a program under each: Ranklet, MPICH and Open MPI."""
import os
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Mpi:
    name: str
    mpicc: str
    mpiexec: str
    options: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)


# Launchers are told not to bind: the two-rank programs pin themselves, the others leave placement to
# the operating system under every MPI, except that --bind leaves each launcher its own default.
def known_mpis(build=None, directory=None, bind=False):
    ours = find_ranklet(build, directory)
    mpis = {}
    if ours:
        mpis["ranklet"] = Mpi("ranklet", *ours)
    for name, options, environment in (
            ("mpich", [], {}),
            ("openmpi", ["--oversubscribe"] + ([] if bind else ["--bind-to", "none"]),
             {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})):
        mpicc, mpiexec = shutil.which("mpicc." + name), shutil.which("mpiexec." + name)
        if mpicc and mpiexec:
            mpis[name] = Mpi(name, mpicc, mpiexec, options, environment)
    return mpis


def find_ranklet(build, directory):
    """The wrapper and launcher in a directory, in a build tree, or of an installation in PATH."""
    if directory:
        places = [Path(directory)]
    elif build:
        places = sorted({p.parent for p in Path(build).rglob("mpiexec") if p.is_file()})
    else:
        info = shutil.which("ranklet-info")
        places = [Path(info).parent] if info else []
    for place in places:
        if os.access(place / "mpicc", os.X_OK) and os.access(place / "mpiexec", os.X_OK):
            return str(place / "mpicc"), str(place / "mpiexec")
    return None


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
