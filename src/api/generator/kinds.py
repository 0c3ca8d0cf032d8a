"""The kinds of parameters: their C types, what the hand-written part gets, and the words of the manual page."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    name: str
    small: str  # C type in MPI_X
    large: str  # C type in MPI_X_c
    sort: str  # how the generator treats it: see arguments.py
    text: str  # for the manual page
    check: str = ""  # name of the check in checks.hpp, for inputs
    table: str = ""  # handles: member of RankState
    error: str = ""  # handles: error class

    @property
    def is_handle(self):
        return self.sort == "handle"


KINDS = {}


def _add(sort, name, small, large, text, **more):
    KINDS[name] = Kind(name, small, large, sort, text, **more)


def _int(name, text, **more):
    _add("int", name, "int", "int", text, **more)


def _wide(name, small, large, text, **more):
    _add("wide", name, small, large, text, **more)


def _handle(name, type_, text, table, error):
    _add("handle", name, type_, type_, text, table=table, error=error)


# Integers of one width.
_int("int", "integer")
_int("n", "length of an array", check="count")
_int("rank", "rank", check="rank")
_int("dest", "rank of the destination, or MPI_PROC_NULL", check="dest")
_int("source", "rank of the source, MPI_ANY_SOURCE or MPI_PROC_NULL", check="source")
_int("target", "rank of the target, or MPI_PROC_NULL", check="dest")
_int("root", "rank of the root", check="root")
_int("tag", "tag", check="tag")
_int("anytag", "tag, or MPI_ANY_TAG", check="anytag")
_int("color", "colour, or MPI_UNDEFINED")
_int("partition", "partition")
_int("index", "position in an array, from 0 in C and from 1 in Fortran")
_int("keyval", "attribute key")
_int("errorcode", "error code")
_int("errorclass", "error class")
_int("weight", "weights of edges")
_int("length", "length of the string")
_int("assert", "assertions, combined by |")
_int("lock", "kind of lock")
_int("level", "level of thread support")
_int("order", "storage order")
_int("distribution", "distribution in each dimension")
_int("combiner", "constructor of the type")
_int("comparison", "result of the comparison")
_int("topology", "kind of topology")
_int("split", "kind of split")
_int("typeclass", "class of the type")
_int("amode", "access mode, combined by |")
_int("whence", "what the offset counts from")
_int("bind", "what the variable belongs to")
_int("scope", "where the variable must be set")
_int("pvarclass", "class of the variable")
_int("verbosity", "whom the variable is for")
_add("bool", "bool", "int", "int", "flag")
_add("ranges", "ranges", "int", "int", "ranges of ranks: first, last, stride")

# Integers whose width differs, or that are wide anyhow: the hand-written part gets a Count.
_wide("count", "int", "MPI_Count", "number of elements", check="count")
_wide("widecount", "MPI_Count", "MPI_Count", "number of elements", check="count")
_wide("room", "int", "MPI_Count", "size in bytes")
_wide("stride", "int", "MPI_Count", "displacement in elements")
_wide("disp", "int", "MPI_Aint", "displacement")
_wide("extent", "MPI_Aint", "MPI_Count", "size or displacement in bytes")
_wide("aint", "MPI_Aint", "MPI_Aint", "address or displacement in bytes")
_wide("oldaint", "MPI_Aint", "MPI_Aint", "address or displacement in bytes, in Fortran an INTEGER")
_wide("size", "MPI_Aint", "MPI_Aint", "size in bytes", check="size")
_wide("wide", "MPI_Count", "MPI_Count", "large number")
_wide("offset", "MPI_Offset", "MPI_Offset", "offset in a file")

# Handles: name, C type, words, member of RankState, error class.
_handle("comm", "MPI_Comm", "communicator", "comms", "comm")
_handle("group", "MPI_Group", "group", "groups", "group")
_handle("type", "MPI_Datatype", "datatype", "types", "type")
_handle("datatype", "MPI_Datatype", "datatype, committed", "types", "type")
_handle("op", "MPI_Op", "operator", "ops", "op")
_handle("request", "MPI_Request", "request", "requests", "request")
_handle("info", "MPI_Info", "info object", "infos", "info")
_handle("errhandler", "MPI_Errhandler", "error handler", "errhandlers", "errhandler")
_handle("message", "MPI_Message", "matched message", "messages", "arg")
_handle("session", "MPI_Session", "session", "sessions", "session")
_handle("win", "MPI_Win", "window", "wins", "win")
_handle("file", "MPI_File", "file", "files", "file")

# Memory.
_add("buf", "buf", "void", "void", "data")
_add("bytes", "bytes", "void", "void", "packed data")
_add("pointer", "mem", "void *", "void *", "memory")
_add("pointer", "state", "void *", "void *", "pointer that is handed to the callbacks")
_add("pointer", "object", "void *", "void *", "pointer to the handle that the variable belongs to")
_add("pointer", "address", "const void *", "const void *", "memory")
_add("ptr", "ptr", "void *", "void *", "address of the memory")
_add("attr", "attr", "void *", "void *", "value of the attribute")
_add("toolbuf", "toolbuf", "void", "void", "value of the variable")
_add("string", "string", "char", "char", "string")
_add("plain", "argv", "char **", "char **", "arguments, ended by a null pointer")
_add("plain", "strings", "char **", "char **", "strings")
_add("plain", "argvs", "char ***", "char ***", "arguments of each program")
_add("plain", "argcp", "int *", "int *", "number of arguments of main, or null")
_add("plain", "argvp", "char ***", "char ***", "arguments of main, or null")
_add("status", "status", "MPI_Status", "MPI_Status", "status")
_add("function", "fn", "", "", "function")
_add("variadic", "...", "", "", "further arguments")

# Only in functions with the flag raw.
_int("fint", "Fortran handle")
KINDS["fint"] = Kind("fint", "MPI_Fint", "MPI_Fint", "int", "Fortran handle")
_add("raw", "fstatus", "MPI_Fint", "MPI_Fint", "status as a Fortran array")
_add("raw", "f08status", "MPI_F08_status", "MPI_F08_status", "status as Fortran's TYPE(MPI_Status)")
for _name, _type, _text in [
    ("tenum", "MPI_T_enum", "enumeration"),
    ("cvar", "MPI_T_cvar_handle", "handle of a control variable"),
    ("pvar", "MPI_T_pvar_handle", "handle of a performance variable"),
    ("pvarsession", "MPI_T_pvar_session", "session of performance measurements"),
    ("registration", "MPI_T_event_registration", "event registration"),
    ("instance", "MPI_T_event_instance", "event"),
    ("safety", "MPI_T_cb_safety", "what the callback may do"),
    ("ordering", "MPI_T_source_order", "order of the source's events"),
]:
    _add("raw", _name, _type, _type, _text)
