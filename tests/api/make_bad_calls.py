"""Writes a program that passes MPI_IN_PLACE and MPI_BUFFER_AUTOMATIC for every buffer of every function in the table where
they stand for nothing: the call says MPI_ERR_BUFFER, before anything is sent and before other ranks are needed. Where
MPI_IN_PLACE may be, it may not be in an intercommunicator, nor off the root. Then it passes every count so large that the
bytes do not fit 64 bits: MPI_ERR_COUNT. Arguments: generator, table, output."""

import pathlib
import sys

sys.dont_write_bytecode = True
generator, table_dir, target = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(generator).parent))

import table

START = """// Made by make_bad_calls.py.
#include <mpi.h>

#include <climits>
#include <cstdio>
#include <initializer_list>
#include <string>

#include <unistd.h>

static int failures = 0, calls = 0;

static void refused(int wanted, int code, const char* call)
{
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  ++calls;
  if (error_class == wanted) return;
  std::fprintf(stderr, "%s gave %d, which is of class %d\\n", call, code, error_class);
  ++failures;
}

int main(int argc, char** argv)
{
  int rank;
  MPI_Comm comm = MPI_COMM_WORLD, inter, cart;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  const int root = 0, nobody = 1, dims[] = {2}, periods[] = {1};
  MPI_Intercomm_create(MPI_COMM_SELF, 0, comm, 1 - rank, 0, &inter);
  MPI_Cart_create(comm, 1, dims, periods, 0, &cart);
  long memory[64] = {};
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &win);
  for (MPI_Comm one : {comm, inter, cart, MPI_COMM_SELF}) MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_File file;
  MPI_File_open(comm, ("bad_calls." + std::to_string(getpid())).c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  int buffer[64] = {}, position = 0, flag, narrow[] = {1, 1, 1, 1};
  MPI_Count wide[] = {1, 1, 1, 1}, wide_position = 0;
  MPI_Aint displacements[] = {0, 0, 0, 0}, aint_position = 0;
  MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  // Too many of what, in the two forms.
  MPI_Datatype huge, huges[4];
  MPI_Type_contiguous_c(MPI_Count{1} << 40, MPI_CHAR, &huge);
  MPI_Type_commit(&huge);
  for (MPI_Datatype& one : huges) one = huge;
  const MPI_Count most = MPI_Count{1} << 61, mosts[] = {most, most, most, most};
  const MPI_Datatype doubles[] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE};
  const int maxima[] = {INT_MAX, INT_MAX, INT_MAX, INT_MAX};
  MPI_Request request;
  MPI_Message message = MPI_MESSAGE_NO_PROC;
  static_cast<void>(flag), static_cast<void>(nobody);
"""

END = """
  MPI_Type_free(&huge);
  MPI_File_close(&file);
  MPI_Win_free(&win);
  MPI_Comm_free(&cart);
  MPI_Comm_free(&inter);
  MPI_Finalize();
  if (calls < 600) std::fprintf(stderr, "only %d calls\\n", calls), ++failures;
  return failures != 0;
}
"""


def argument(p, function, large, comm):
    """A value that is right."""
    kind = p.kind.name
    if kind == "win":
        return "win" if p.direction == "in" else "&win"
    if p.array:
        c_type = p.kind.large if large else p.kind.small
        return {"int": "narrow", "MPI_Count": "wide", "MPI_Aint": "displacements", "MPI_Datatype": "types"}[c_type]
    if p.direction != "in" and p.kind.sort == "wide":
        return {"int": "&position", "MPI_Count": "&wide_position", "MPI_Aint": "&aint_position"}[p.kind.large if large else p.kind.small]
    return {
        "buf": "buffer", "bytes": "buffer", "mem": "memory", "count": "1", "widecount": "1", "datatype": "MPI_INT", "dest": "root",
        "source": "root", "target": "root", "disp": "1", "tag": "0", "anytag": "0", "comm": comm, "status": "MPI_STATUS_IGNORE",
        "request": "&request", "message": "&message", "partition": "1", "info": "MPI_INFO_NULL", "op": "MPI_SUM",
        "root": "root", "aint": "0", "size": "8", "room": "64", "int": "1", "extent": "64",
        "string": '"external32"', "session": "MPI_SESSION_NULL", "file": "file", "offset": "0",
    }[kind]


def call(name, function, large, which, value, comm):
    given = [value if p is which else argument(p, function, large, comm) for p in function.visible(large)]
    return f'{name}({", ".join(given)})'


def write(out):
    out.write(START)
    for chapter in table.read_functions(table_dir):
        for function in chapter.functions:
            # A freed address and a session that is none are refused for other reasons.
            if not function.has("impl") or function.has("raw") or function.name == "Free_mem" or function.name.startswith("Session"):
                continue
            rooted = any(p.kind.name == "root" for p in function.parameters)
            comm = "cart" if chapter.key == "topo" else "comm"
            for p in function.parameters:
                if p.kind.name not in {"buf", "bytes", "mem"} or chapter.key == "abi":
                    continue
                for name, large in function.widths():
                    def line(value, comm, condition=""):
                        text = call(name, function, large, p, value, comm)
                        shown = text.replace('"', "'")
                        out.write(f'  {condition}refused(MPI_ERR_BUFFER, {text}, "{shown}");\n')

                    in_place = p.kind.name == "buf" and p.nullable
                    # Only the root's buffer counts in the root's part; only others are off the root.
                    at_root = rooted and (p.direction == "out" and not in_place or function.name.lstrip("I").lower().startswith("scatter") and p.name == "sendbuf")
                    # MPI_Exscan does not use the receive buffer of rank 0.
                    later = "exscan" in function.name.lower() and p.direction == "out"
                    where = "if (rank == root) " if at_root else "if (rank != root) " if later else ""
                    if not (p.kind.name == "mem" and p.nullable):
                        line("MPI_BUFFER_AUTOMATIC", comm, where)
                    if not in_place:
                        line("MPI_IN_PLACE", comm, where)
                    elif rooted:
                        line("MPI_IN_PLACE", comm, "if (rank != root) ")
                        line("MPI_IN_PLACE", "inter")
                    elif "scan" not in function.name.lower():
                        line("MPI_IN_PLACE", "inter")
    for chapter in table.read_functions(table_dir):
        for function in chapter.functions:
            if function.has("impl") and not function.has("raw"):
                write_counts(function, out)
    out.write(END)


def write_counts(function, out):
    """Calls with one count that is too large for its type, which is the next one."""
    rooted = any(p.kind.name == "root" for p in function.parameters)
    comm = "cart" if function.chapter.key == "topo" else "comm"
    for i, p in enumerate(function.parameters):
        if p.kind.name not in {"count", "widecount"} or p.direction != "in":
            continue
        of_types = [q for q in function.parameters[i + 1 :] if q.kind.name in {"count", "widecount", "datatype"}]
        if not of_types or of_types[0].kind.name != "datatype":
            continue
        for name, large in function.widths():
            large = large or p.kind.name == "widecount"
            given = []
            for q in function.visible(large):
                if q is p:
                    value = ("mosts" if p.array else "most") if large else "maxima" if p.array else "INT_MAX"
                elif q is of_types[0]:
                    value = ("doubles" if large else "huges") if q.array else "MPI_DOUBLE" if large else "huge"
                else:
                    value = argument(q, function, large, comm)
                given.append(value)
            text = f'{name}({", ".join(given)})'
            at_root = rooted and (of_types[0].root_only or p.array)
            condition = "if (rank == root) " if at_root else ""
            shown = text.replace('"', "'")
            out.write(f'  {condition}refused(MPI_ERR_COUNT, {text}, "{shown}");\n')


with open(target, "w") as out:
    write(out)
