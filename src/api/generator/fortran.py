"""What the table says about a routine in Fortran: its dummy arguments as MPI 5.0 annex A prints them.

The rules that turn C parameters into dummy arguments are here; fortran_modules.py writes declarations from them and
fortran_glue.py the routines."""

from dataclasses import dataclass

# Chapters and functions without a Fortran form: they are about C, or have none in the standard.
C_ONLY = {"Status_c2f", "Status_f2c", "Status_c2f08", "Status_f082c"}
# Deprecated and removed routines, which mpi_f08 does not have (MPI 5.0 §16.1, §17.1).
NOT_IN_F08 = {
    "Keyval_create", "Keyval_free", "Attr_put", "Attr_get", "Attr_delete", "Address", "Errhandler_create",
    "Errhandler_get", "Errhandler_set", "Type_extent", "Type_hindexed", "Type_hvector", "Type_lb", "Type_struct", "Type_ub",
}
# Those whose large-count twin has a name of its own in mpi_f08, as their other arguments are the same (§19.1.5).
NAMED_LARGE = {"Op_create", "Register_datarep"}

INTEGER_OF = {
    "int": "INTEGER", "MPI_Fint": "INTEGER", "MPI_Count": "INTEGER(KIND=MPI_COUNT_KIND)",
    "MPI_Aint": "INTEGER(KIND=MPI_ADDRESS_KIND)", "MPI_Offset": "INTEGER(KIND=MPI_OFFSET_KIND)",
}
ADDRESS = INTEGER_OF["MPI_Aint"]

# Dummy arguments whose intent the standard leaves out, as constants such as MPI_UNWEIGHTED may stand for them.
NO_INTENT = {"array_of_errcodes", "sourceweights", "destweights"}
# Buffers that stay in use after the call returns, besides those of calls that return a request.
LASTING_CHAPTERS = {"rma"}
LASTING = {"Get_address", "Free_mem", "Buffer_attach", "Comm_attach_buffer", "Session_attach_buffer"}


@dataclass
class Dummy:
    """A dummy argument; `parameter` is None for ierror."""

    name: str
    parameter: object
    type: str  # of the mpi module
    f08_type: str
    dimension: str  # of the mpi module, with parentheses
    f08_dimension: str
    intent: str
    asynchronous: bool = False

    @property
    def choice(self):
        return self.type == "choice"


def in_fortran(function):
    if function.chapter.key == "tool" and function.name != "Pcontrol":
        return False
    if function.has("cast") or function.name in C_ONLY:
        return False
    return not (function.has("extra") and function.name.endswith("_c"))


def lasting(function):
    return (
        any(p.kind.name == "request" and p.direction == "out" for p in function.parameters)
        or function.chapter.key in LASTING_CHAPTERS
        or function.name in LASTING
        or function.name.endswith(("_begin", "_end"))
    )


def choice(parameter):
    return parameter.kind.sort in {"buf", "bytes"} or parameter.kind.name in {"mem", "address"}


def _type(p, function, large):
    """The types in the mpi module and in mpi_f08."""
    sort, kind = p.kind.sort, p.kind.name
    if choice(p):
        return "choice", "TYPE(*), DIMENSION(..)"
    if sort == "bool":
        return "LOGICAL", "LOGICAL"
    if sort == "handle":
        return "INTEGER", f"TYPE({p.kind.small})"
    if sort == "status" or kind == "f08status":
        mpi = "TYPE(MPI_Status)" if kind == "f08status" else "INTEGER"
        return mpi, "TYPE(MPI_Status)"
    if kind == "fstatus":
        return "INTEGER", "INTEGER"
    if sort == "ptr":
        return ("choice" if p.name == "buffer_addr" else ADDRESS), "TYPE(C_PTR)"
    if kind == "state" or sort == "attr":
        old = function.name in NOT_IN_F08
        return ("INTEGER" if old else ADDRESS), ADDRESS
    if sort == "string":
        length = "*"
        if p.direction == "out" and p.function_type and p.function_type not in {"MAX_INFO_KEY", "MAX_DATAREP_STRING"}:
            length = "MPI_" + p.function_type
        if function.name == "Info_get" and p.name == "value":
            length = "valuelen"
        return "CHARACTER(LEN=*)", f"CHARACTER(LEN={length})"
    if sort == "plain":
        return "CHARACTER(LEN=*)", "CHARACTER(LEN=*)"
    if sort == "function":
        name = "MPI_" + p.function_type
        if large and not name.endswith("extent_function"):
            name += "_c"
        return "EXTERNAL", f"PROCEDURE({name})"
    if kind == "oldaint":
        return "INTEGER", ADDRESS
    c_type = p.kind.large if large else p.kind.small
    return INTEGER_OF[c_type], INTEGER_OF[c_type]


def _dimensions(p, function):
    kind = p.kind.name
    if choice(p) or p.name == "buffer_addr":
        return "(*)", ""
    if kind == "ranges":
        return "(3, *)", f"(3, {p.length})"
    if p.kind.sort == "status":
        return ("(MPI_STATUS_SIZE, *)", "(*)") if p.array else ("(MPI_STATUS_SIZE)", "")
    if kind == "fstatus":
        return "(MPI_STATUS_SIZE)", "(MPI_STATUS_SIZE)"
    if kind == "argvs":
        return "(count, *)", "(count, *)"
    if kind in {"argv", "strings"}:
        return "(*)", "(*)"
    if not p.array:
        return "", ""
    special = kind == "weight" or p.name == "array_of_errcodes" or p.name in UNKNOWN_LENGTH
    return "(*)", "(*)" if p.length == "?" or special else f"({p.length})"


# Arrays that the standard prints with (*) though an argument gives their length.
UNKNOWN_LENGTH = {"array_of_indices", "array_of_maxprocs", "array_of_info"}


def _intent(p, function):
    if p.kind.sort == "function" or p.kind.name == "weight" and p.direction == "out" or p.name in NO_INTENT and p.direction != "in":
        return ""
    if choice(p):
        return "IN" if p.direction == "in" and p.kind.sort in {"buf", "bytes"} or function.name == "Free_mem" else ""
    if p.kind.sort == "status" and p.direction == "out":
        return ""
    if function.name == "Cancel":
        return "IN"
    return {"in": "IN", "out": "OUT", "inout": "INOUT", "free": "INOUT"}[p.direction]


def fortran_name(p):
    return "index" if p.name == "indx" else p.name


def dummies(function, large=False):
    """All dummy arguments, without ierror."""
    result = []
    for p in function.visible(large):
        if p.kind.sort == "variadic" or p.kind.name in {"argcp", "argvp"}:
            continue
        if function.name == "Info_create_env" and p.name in {"argc", "argv"}:
            continue
        mpi, f08 = _type(p, function, large)
        dimension, f08_dimension = _dimensions(p, function)
        d = Dummy(fortran_name(p), p, mpi, f08, dimension, f08_dimension, _intent(p, function))
        if lasting(function):
            request = function.name.startswith("Grequest")
            d.asynchronous = choice(p) or not request and p.array and p.length == "?" and p.kind.sort != "function"
            if function.name.startswith("Comm_idup") and p.name == "newcomm":
                d.asynchronous = True
        result.append(d)
    return result


def has_ierror(function):
    return function.code and not function.variadic


def by_address(function):
    """Whether mpi_f08 hands buffers over without descriptors. These need BIND(C), where the Fortran standard has no default
    LOGICAL: a compiler that is told to keep to it would not take the module."""
    types = [d.f08_type for d in dummies(function)]
    return any(choice(d.parameter) for d in dummies(function)) and "LOGICAL" in types


def forms(function):
    """(large, specific name in mpi_f08 without a final underscore) of the forms in mpi_f08."""
    token = "f08ts" if any(choice(d.parameter) for d in dummies(function)) else "f08"
    yield False, f"MPI_{function.name}_{token}"
    if function.has("c"):
        yield True, f"MPI_{function.name}_c_{token}"


def ambiguous(function):
    """Whether the large-count form cannot share a generic name, as addresses and counts are integers of one kind."""

    def types(large):
        return [d.f08_type.replace("COUNT_KIND", "ADDRESS_KIND") for d in dummies(function, large)]

    return types(True) == types(False) and function.name not in NAMED_LARGE


def routines(chapters):
    return [f for chapter in chapters for f in chapter.functions if in_fortran(f)]
