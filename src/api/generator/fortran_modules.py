"""Writes what Fortran programs see: mpif.h and the modules mpi_f08_types, mpi and mpi_f08."""

import fortran

HANDLES = ["Comm", "Group", "Datatype", "Op", "Request", "Info", "Errhandler", "Message", "Session", "Win", "File"]
ADDRESS_KIND, OFFSET_KIND, COUNT_KIND = 8, 8, 8
STATUS_SIZE = 8
KINDS = [("MPI_ADDRESS_KIND", ADDRESS_KIND), ("MPI_OFFSET_KIND", OFFSET_KIND), ("MPI_COUNT_KIND", COUNT_KIND),
         ("MPI_INTEGER_KIND", 4), ("MPI_STATUS_SIZE", STATUS_SIZE)]
# In Fortran strings have no final zero (MPI 5.0 §A.1.1), and a status is an array from 1.
ONE_LESS = {"limit"}
FSTATUS = {"MPI_F_SOURCE": "MPI_SOURCE", "MPI_F_TAG": "MPI_TAG", "MPI_F_ERROR": "MPI_ERROR"}

# The objects that stand for C's special values: one COMMON block in the order of `Sentinels` in src/fortran/sentinels.hpp.
# Its linker name is the same whatever the compiler makes of names.
SENTINEL_BLOCK = "ranklet_fortran_sentinels"
SENTINELS = [
    ("MPI_BOTTOM", "INTEGER", ""), ("MPI_IN_PLACE", "INTEGER", ""), ("MPI_BUFFER_AUTOMATIC", "INTEGER", ""),
    ("MPI_STATUS_IGNORE", "STATUS", ""), ("MPI_STATUSES_IGNORE", "STATUS", "1"), ("MPI_ERRCODES_IGNORE", "INTEGER", "1"),
    ("MPI_UNWEIGHTED", "INTEGER", "1"), ("MPI_WEIGHTS_EMPTY", "INTEGER", "1"), ("MPI_ARGV_NULL", "CHARACTER", "1"),
    ("MPI_ARGVS_NULL", "CHARACTER", "1, 1"), ("MPI_SENTINELS_END", "CHARACTER", "2"),
]
OBJECTS_WITH_ATTRIBUTES = ["COMM", "TYPE", "WIN"]
PREDEFINED_COPY = [f"MPI_{o}_{f}" for o in OBJECTS_WITH_ATTRIBUTES for f in ("NULL_COPY_FN", "DUP_FN", "NULL_DELETE_FN")]
OLD_COPY = ["MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN"]


def numbers(constants):
    """(name, value) of the integer constants that Fortran has."""
    for group in constants.groups:
        if group.form not in {"numbers", "flags"}:
            continue
        for name, value in group.values:
            if name.startswith("MPI_T_") or name == "MPI_F_STATUS_SIZE":
                continue
            number = int(value, 0)
            if group.kind in ONE_LESS:
                number -= 1
            if name in FSTATUS:
                name, number = FSTATUS[name], number + 1
            yield name, number


def handles(constants):
    """(name, handle type, value)."""
    aliases = next(g for g in constants.groups if g.form == "alias")
    for group in constants.groups:
        if group.form == "handles":
            for name, value in group.values:
                yield name, group.type, int(value, 0)
                for other, target in aliases.values:
                    if "MPI_" + target == name:
                        yield other, group.type, int(value, 0)


class Writer:
    """Writes lines in a form that is both fixed and free, or in free form alone."""

    def __init__(self, out, fixed):
        self.out = out
        self.fixed = fixed

    def line(self, text, indent=0):
        if not self.fixed:
            limit = 120 - indent
            while len(text) > limit:
                at = text.rfind(",", 0, limit) + 1
                self.out.write(" " * indent + text[:at] + " &\n")
                text = text[at:].lstrip()
                indent += 4 if limit == 120 - indent else 0
            self.out.write(" " * indent + text + "\n")
            return
        lead = "      "
        while len(text) > 66:
            at = text.rfind(",", 0, 66) + 1 or 66
            self.out.write(lead + text[:at].ljust(66) + "&\n")
            text = text[at:].lstrip()
            lead = "     & "[:6]
        self.out.write(lead + text + "\n")

    def plain(self, text):
        self.out.write(text + "\n")


def c_pointer_twin(function):
    """Routines of the mpi module that take a TYPE(C_PTR) too (MPI 5.0 §9.2)."""
    return any(p.kind.sort == "ptr" and p.name == "baseptr" for p in function.parameters)


def result_type(function):
    return {"double": "DOUBLE PRECISION", "MPI_Aint": fortran.ADDRESS}.get(function.returns)


def signature(function, name):
    """The first and the last line of an interface body, and its dummy arguments."""
    dummies = fortran.dummies(function)
    names = [d.name for d in dummies] + (["ierror"] if fortran.has_ierror(function) else [])
    kind = "FUNCTION" if result_type(function) else "SUBROUTINE"
    return f"{kind} {name}({', '.join(names)})", f"END {kind}", dummies


def write_interface(w, function, name, c_pointer=False):
    """An interface body of the module mpi."""
    first, last, dummies = signature(function, name)
    w.line(first)
    w.line("IMPORT", 2)
    for d in dummies:
        if d.type == "choice":
            w.plain(f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {d.name}")
            w.line(f"TYPE(*), DIMENSION(*) :: {d.name}", 2)
        elif d.type == "EXTERNAL":
            w.line(f"EXTERNAL {d.name}", 2)
        elif c_pointer and d.name == "baseptr":
            w.line(f"TYPE(C_PTR) :: {d.name}", 2)
        else:
            w.line(f"{d.type} :: {d.name}{d.dimension}", 2)
    if fortran.has_ierror(function):
        w.line("INTEGER :: ierror", 2)
    if result_type(function):
        w.line(f"{result_type(function)} :: {name}", 2)
    w.line(last)


def write_unchecked_interface(w, function, name):
    """One of mpif.h: only so that gfortran does not compare calls with each other. As without it, as in other MPIs, programs
    pass a scalar for an array of one element, INTEGER(8) for INTEGER, integers for logicals."""
    first, last, dummies = signature(function, name)
    w.line(first)
    unchecked = [d.name for d in dummies if d.type != "EXTERNAL" and not d.type.startswith("CHARACTER")] + ["ierror"]
    for at in range(0, len(unchecked), 2):  # few enough for a line
        w.plain(f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {', '.join(unchecked[at:at + 2])}")
    # TYPE(*) would need a program of Fortran 2018.
    w.line(f"INTEGER, DIMENSION(*) :: {', '.join(unchecked)}")
    for d in dummies:
        if d.name not in unchecked:
            w.line(f"EXTERNAL {d.name}" if d.type == "EXTERNAL" else f"{d.type} :: {d.name}{'(*)' if d.dimension else ''}")
    w.line(last)


def write_sentinels(w, status):
    for name, type_, shape in SENTINELS:
        if type_ == "STATUS":
            dimension = "8" + (", " + shape if shape else "") if status == "INTEGER" else shape
            w.line(f"{status} {':: ' if status != 'INTEGER' else ''}{name}{'(' + dimension + ')' if dimension else ''}")
        elif type_ == "CHARACTER":
            w.line(f"CHARACTER(LEN=1) {name}({shape})")
        else:
            w.line(f"INTEGER {name}{'(' + shape + ')' if shape else ''}")
    w.line(f"COMMON /{SENTINEL_BLOCK}/ {', '.join(name for name, _, _ in SENTINELS)}")
    w.line(f'BIND(C, NAME="{SENTINEL_BLOCK}") :: /{SENTINEL_BLOCK}/')


def write_numbers(w, constants, extra):
    for name, value in [*KINDS, *extra, *numbers(constants)]:
        w.line(f"INTEGER {name}")
        w.line(f"PARAMETER ({name}={value})")
    w.line("INTEGER(8) MPI_DISPLACEMENT_CURRENT")
    w.line("PARAMETER (MPI_DISPLACEMENT_CURRENT=-1_8)")


def write_logicals(w, value):
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        w.line(f"LOGICAL {name}")
        w.line(f"PARAMETER ({name}={value})")


def needs_interface(function):
    """Whether programs of mpif.h call a routine with arguments that compilers would find to differ from call to call."""
    return any(d.type == "choice" or d.dimension or d.type == "EXTERNAL" for d in fortran.dummies(function))


def write_mpif_h(chapters, constants, out):
    w = Writer(out, fixed=True)
    w.plain("! Made from the table of MPI functions. Lines are valid in fixed and in free form.")
    write_numbers(w, constants, [])
    for name, _, value in handles(constants):
        w.line(f"INTEGER {name}")
        w.line(f"PARAMETER ({name}={value})")
    write_logicals(w, ".FALSE.")
    write_sentinels(w, "INTEGER")
    for name in PREDEFINED_COPY + OLD_COPY + ["MPI_CONVERSION_FN_NULL"]:
        w.line(f"EXTERNAL {name}")
    for function in fortran.routines(chapters):
        if result_type(function):
            for name in ("MPI_" + function.name, "PMPI_" + function.name):
                w.line(f"{result_type(function)} {name.upper()}")
                w.line(f"EXTERNAL {name.upper()}")
    w.line("INTERFACE")
    for function in fortran.routines(chapters):
        if needs_interface(function) and not any(d.type.startswith("TYPE(") for d in fortran.dummies(function)):
            write_unchecked_interface(w, function, "MPI_" + function.name.upper())
            # Fewer lines, as a program may read this file for each of its routines.
            if any(d.type == "choice" for d in fortran.dummies(function)):
                write_unchecked_interface(w, function, "PMPI_" + function.name.upper())
    w.line("END INTERFACE")
    # PETSc's configure finds the libraries of Fortran by this call without arguments.
    w.line("INTERFACE MPI_ALLREDUCE")
    w.line("SUBROUTINE RANKLET_NO_ARGUMENTS()")
    w.line("END SUBROUTINE")
    w.line("PROCEDURE MPI_ALLREDUCE")
    w.line("END INTERFACE")
    # A default INTEGER of 8 bytes is found by the type of ierror.
    for prefix in ("", "P"):
        for name, others in (("INIT", []), ("INIT_THREAD", ["required", "provided"])):
            w.line(f"INTERFACE {prefix}MPI_{name}")
            for specific, kind in ((f"{prefix}MPI_{name}", 4), (f"{prefix}RANKLET_{name}_INTEGER8", 8)):
                w.line(f"SUBROUTINE {specific}({', '.join(others + ['ierror'])})")
                w.line(f"INTEGER({kind}) :: {', '.join(others + ['ierror'])}")
                w.line("END SUBROUTINE")
            w.line("END INTERFACE")


def write_types(constants, out):
    w = Writer(out, fixed=False)
    w.line("module mpi_f08_types")
    w.line("implicit none")
    write_numbers(w, constants, [])
    for name in HANDLES:
        w.line(f"type, bind(C) :: MPI_{name}")
        w.line("integer :: MPI_VAL", 2)
        w.line("end type")
    w.line("type, bind(C) :: MPI_Status")
    w.line("integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR", 2)
    w.line("integer, private :: MPI_internal(5)", 2)
    w.line("end type")
    for operator, word in (("==", "same"), ("/=", "other")):
        w.line(f"interface operator({operator})")
        w.line("module procedure " + ", ".join(f"{word}_{name}" for name in HANDLES), 2)
        w.line("end interface")
    for word in ("same", "other"):
        w.line("private :: " + ", ".join(f"{word}_{name}" for name in HANDLES))
    w.line("contains")
    for operator, word in (("==", "same"), ("/=", "other")):
        for name in HANDLES:
            w.line(f"elemental logical function {word}_{name}(a, b)")
            w.line(f"type(MPI_{name}), intent(in) :: a, b", 2)
            w.line(f"{word}_{name} = a%MPI_VAL {operator} b%MPI_VAL", 2)
            w.line("end function")
    w.line("end module")


# The predefined functions for attributes, as both modules declare them.
def write_predefined(w, f08):
    for object_, type_ in (("COMM", "MPI_Comm"), ("TYPE", "MPI_Datatype"), ("WIN", "MPI_Win"), ("", "MPI_Comm")):
        if f08 and not object_:
            continue
        prefix = f"MPI_{object_}_" if object_ else "MPI_"
        value = fortran.ADDRESS if object_ else "INTEGER"
        handle = f"TYPE({type_})" if f08 else "INTEGER"
        state = "extra_state"
        for name in ("NULL_COPY_FN", "DUP_FN"):
            w.line(f"subroutine {prefix}{name}(old, keyval, {state}, value_in, value_out, flag, ierror)")
            w.line("import", 2)
            w.line(f"{handle} :: old", 2)
            w.line("integer :: keyval, ierror", 2)
            w.line(f"{value} :: {state}, value_in, value_out", 2)
            w.line("logical :: flag", 2)
            w.line("end subroutine")
        w.line(f"subroutine {prefix}NULL_DELETE_FN(object, keyval, attribute_val, {state}, ierror)")
        w.line("import", 2)
        w.line(f"{handle} :: object", 2)
        w.line("integer :: keyval, ierror", 2)
        w.line(f"{value} :: attribute_val, {state}", 2)
        w.line("end subroutine")
    count = [("MPI_CONVERSION_FN_NULL", "integer")] + ([("MPI_CONVERSION_FN_NULL_C", "integer(kind=MPI_COUNT_KIND)")] if f08 else [])
    for name, kind in count:
        w.line(f"subroutine {name}(userbuf, datatype, count, filebuf, position, extra_state, ierror)")
        if f08:
            w.line("use, intrinsic :: iso_c_binding, only: c_ptr", 2)
        w.line("import", 2)
        if f08:
            w.line("type(c_ptr), value :: userbuf, filebuf", 2)
        else:
            w.plain("!GCC$ ATTRIBUTES NO_ARG_CHECK :: userbuf, filebuf")
            w.line("type(*), dimension(*) :: userbuf, filebuf", 2)
        w.line(f"{'type(MPI_Datatype)' if f08 else 'integer'} :: datatype", 2)
        w.line(f"{kind} :: count", 2)
        w.line("integer(kind=MPI_OFFSET_KIND) :: position", 2)
        w.line("integer(kind=MPI_ADDRESS_KIND) :: extra_state", 2)
        w.line("integer :: ierror", 2)
        w.line("end subroutine")


def write_sizeof_and_sync(w, optional):
    for prefix in ("", "P"):
        w.line(f'subroutine {prefix}MPI_Sizeof(x, size, ierror) bind(C, name="{prefix.lower()}mpi_sizeof_f08ts_")')
        w.line("type(*), dimension(..) :: x", 2)
        w.line("integer, intent(out) :: size", 2)
        w.line(f"integer, {optional}intent(out) :: ierror", 2)
        w.line("end subroutine")


def write_mpi(chapters, constants, out):
    w = Writer(out, fixed=False)
    w.line("module mpi")
    w.line("use, intrinsic :: iso_c_binding, only: c_ptr")
    w.line("use mpi_f08_types")
    w.line("implicit none")
    w.line("private :: c_ptr")
    for name, _, value in handles(constants):
        w.line(f"integer, parameter :: {name} = {value}")
    write_logicals(w, ".FALSE.")
    write_sentinels(w, "INTEGER")
    w.line("interface")
    for function in fortran.routines(chapters):
        for name in ("MPI_" + function.name, "PMPI_" + function.name):
            if not c_pointer_twin(function):
                write_interface(w, function, name)
    write_predefined(w, False)
    write_sizeof_and_sync(w, "")
    for prefix in ("", "P"):
        w.line(f"subroutine {prefix}MPI_F_sync_reg(buf)")
        w.plain("!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf")
        w.line("type(*), dimension(*) :: buf", 2)
        w.line("end subroutine")
    w.line("end interface")
    for function in fortran.routines(chapters):
        if c_pointer_twin(function):
            for name in ("MPI_" + function.name, "PMPI_" + function.name):
                w.line(f"interface {name}")
                write_interface(w, function, name)
                write_interface(w, function, name + "_CPTR", True)
                w.line("end interface")
    w.line("end module")


def write_f08_interface(w, function, large, specific, prefix):
    dummies = fortran.dummies(function, large)
    names = [d.name for d in dummies] + (["ierror"] if fortran.has_ierror(function) else [])
    kind = "function" if result_type(function) else "subroutine"
    by_address = fortran.by_address(function)
    binding = f' bind(C, name="{(prefix + specific).lower()}_")' if specific.endswith("f08ts") and not by_address else ""
    w.line(f"{kind} {prefix}{specific}({', '.join(names)}){binding}")
    w.line("import", 2)
    for d in dummies:
        address = by_address and d.choice
        if address:
            w.plain(f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {d.name}")
        attributes = ["TYPE(*), DIMENSION(*)" if address else d.f08_type]
        if d.intent:
            attributes.append(f"INTENT({d.intent})")
        if d.asynchronous:
            attributes.append("ASYNCHRONOUS")
        w.line(f"{', '.join(attributes)} :: {d.name}{d.f08_dimension}", 2)
    if fortran.has_ierror(function):
        w.line("INTEGER, OPTIONAL, INTENT(OUT) :: ierror", 2)
    if kind == "function":
        w.line(f"{result_type(function)} :: {prefix}{specific}", 2)
    w.line(f"end {kind}")


def write_f08(chapters, constants, out):
    w = Writer(out, fixed=False)
    w.line("module mpi_f08")
    w.line("use, intrinsic :: iso_c_binding, only: c_ptr")
    w.line("use mpi_f08_types")
    w.line("use mpi_f08_callbacks")
    w.line("implicit none")
    w.line("private :: c_ptr")
    for name, type_, value in handles(constants):
        w.line(f"type({type_}), parameter :: {name} = {type_}({value})")
    write_logicals(w, ".TRUE.")
    write_sentinels(w, "TYPE(MPI_Status)")
    for function in fortran.routines(chapters):
        if function.name in fortran.NOT_IN_F08:
            continue
        for prefix in ("", "P"):
            groups = {}
            for large, specific in fortran.forms(function):
                if large and fortran.ambiguous(function):
                    continue
                named = large and function.name in fortran.NAMED_LARGE
                groups.setdefault(f"{prefix}MPI_{function.name}{'_c' if named else ''}", []).append((large, specific))
            for generic, specifics in groups.items():
                w.line(f"interface {generic}")
                for large, specific in specifics:
                    write_f08_interface(w, function, large, specific, prefix)
                w.line("end interface")
    w.line("interface")
    write_predefined(w, True)
    write_sizeof_and_sync(w, "optional, ")
    for prefix in ("", "P"):
        w.line(f'subroutine {prefix}MPI_F_sync_reg(buf) bind(C, name="{prefix.lower()}mpi_f_sync_reg_f08ts_")')
        w.line("type(*), dimension(..), asynchronous :: buf", 2)
        w.line("end subroutine")
    w.line("end interface")
    w.line("end module")
