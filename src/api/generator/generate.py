#!/usr/bin/env python3
"""Makes files from the table of MPI functions.

    generate.py header TABLE OUT            mpi.h
    generate.py sources TABLE OUTDIR        impl.hpp, functions.cpp, entries_<chapter>.cpp
    generate.py fortran TABLE OUTDIR        mpif.h, the Fortran modules, fortran_<chapter>.cpp
    generate.py manual TABLE OUTDIR         MPI_X.3 for every function
    generate.py list-sources TABLE          the names that `sources` writes
    generate.py list-fortran TABLE          the names that `fortran` writes
    generate.py list-manual TABLE           the names that `manual` writes
"""

import io
import pathlib
import sys

sys.dont_write_bytecode = True

import entries
import functions
import fortran_glue
import fortran_modules
import header
import manual
import table


def write(path, producer):
    """Writes a file unless it has the same text already, so that what depends on it is not built again."""
    text = io.StringIO()
    producer(text)
    path = pathlib.Path(path)
    if not path.exists() or path.read_text() != text.getvalue():
        path.write_text(text.getvalue())


def main(what, folder, target=None):
    folder = pathlib.Path(folder)
    chapters = table.read_functions(folder)
    constants = table.read_constants(folder / "constants.txt")
    if what == "header":
        write(target, lambda out: header.write_header(chapters, constants, out))
    elif what == "sources":
        target = pathlib.Path(target)
        write(target / "impl.hpp", lambda out: entries.write_impl_header(chapters, constants, out))
        write(target / "functions.cpp", lambda out: functions.write_functions(chapters, constants, out))
        for chapter in chapters:
            write(target / f"entries_{chapter.key}.cpp", lambda out: entries.write_entries(chapter, constants, out))
    elif what == "fortran":
        target = pathlib.Path(target)
        write(target / "mpif.h", lambda out: fortran_modules.write_mpif_h(chapters, constants, out))
        write(target / "mpi_f08_types.f90", lambda out: fortran_modules.write_types(constants, out))
        write(target / "mpi.f90", lambda out: fortran_modules.write_mpi(chapters, constants, out))
        write(target / "mpi_f08.f90", lambda out: fortran_modules.write_f08(chapters, constants, out))
        write(target / "fortran_predefined.cpp", fortran_glue.write_predefined)
        for chapter in chapters:
            write(target / f"fortran_{chapter.key}.cpp", lambda out: fortran_glue.write_routines(chapter, constants, out))
    elif what == "manual":
        for page in manual.pages(chapters):
            write(pathlib.Path(target) / page.name, lambda out: manual.write_page(page, constants, out))
    elif what == "list-sources":
        print("\n".join(["impl.hpp", "functions.cpp"] + [f"entries_{c.key}.cpp" for c in chapters]))
    elif what == "list-fortran":
        modules = ["mpif.h", "mpi_f08_types.f90", "mpi.f90", "mpi_f08.f90", "fortran_predefined.cpp"]
        print("\n".join(modules + [f"fortran_{c.key}.cpp" for c in chapters]))
    elif what == "list-manual":
        print("\n".join(page.name for page in manual.pages(chapters)))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
