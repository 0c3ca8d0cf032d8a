"""Compiles Fortran modules: compile_modules.py OUTDIR COMPILER... -- SOURCES, in their order; .mod and .o go to OUTDIR."""

import pathlib
import subprocess
import sys


def main(folder, *words):
    compiler, sources = words[: words.index("--")], words[words.index("--") + 1 :]
    for source in map(pathlib.Path, sources):
        target = pathlib.Path(folder) / (source.stem + ".o")
        subprocess.run([*compiler, "-O1", "-fPIC", "-J", folder, "-c", source, "-o", target], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
