#!/usr/bin/env python3
"""Makes the fuzzer's calls from the table of MPI functions: make_calls.py GENERATOR TABLE OUT

Every function that is built becomes one C++ function that draws its arguments (draw.hpp), by their kinds, and calls it.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]).parent))

import c_types
import table

# What ends the run's MPI, or the run itself, has tests of its own.
LEFT_OUT = {"Init", "Init_thread", "Finalize", "Abort"}
# What writes to any descriptor, and waits for an answer.
LEFT_OUT |= {"Comm_join"}
# Names drawn at random would make files anywhere; tests/io has a model test of its own.
CHAPTERS_LEFT_OUT = {"io"}

# Called by all ranks in step, besides what the chapter on collective operations has.
COLLECTIVE = {
    "Comm_dup", "Comm_dup_with_info", "Comm_idup", "Comm_idup_with_info", "Comm_create", "Comm_create_group", "Comm_split",
    "Comm_split_type", "Comm_create_from_group", "Comm_free", "Comm_disconnect", "Comm_set_info", "Intercomm_create",
    "Intercomm_create_from_groups", "Intercomm_merge", "Cart_create", "Graph_create", "Dist_graph_create_adjacent",
    "Dist_graph_create", "Cart_sub", "Cart_map", "Graph_map", "Start", "Startall", "Win_create", "Win_allocate",
    "Win_allocate_shared", "Win_create_dynamic", "Win_free", "Win_set_info", "Win_fence", "Session_finalize", "Comm_accept",
    "Comm_connect",
}
# May wait for what another rank, or nobody, does next, whatever the arguments.
BLOCKING = {
    "Send", "Ssend", "Rsend", "Bsend", "Recv", "Mrecv", "Probe", "Mprobe", "Sendrecv", "Sendrecv_replace", "Wait",
    "Waitall", "Waitany", "Waitsome", "Win_start", "Win_complete", "Win_wait", "Win_lock", "Win_lock_all", "Win_unlock",
    "Win_unlock_all", "Buffer_detach", "Buffer_flush", "Comm_detach_buffer", "Comm_flush_buffer",
    "Session_detach_buffer", "Session_flush_buffer", "Request_free", "Cancel", "Comm_attach_buffer", "Buffer_attach",
    "Session_attach_buffer",
}
# Of these, some may wait for the partners of calls that were made before, others for a leader who does not know. So do
# the collective operations on neighbours where one rank says that another is, and that one does not.
WAITING_COLLECTIVE = {"Comm_disconnect", "Session_finalize", "Win_free", "Win_fence", "Intercomm_create",
                      "Intercomm_create_from_groups"}
# The argument that says how long an output string may be; that of others the table knows.
LENGTHS = {"Info_get": "valuelen", "Info_get_string": "buflen", "Session_get_nth_pset": "pset_len"}
PLAIN = {"argc": "0", "argv": "nullptr"}


def is_collective(f):
    neighbours = f.name.removeprefix("I").startswith(("Neighbor_", "neighbor_"))
    comm = any(p.kind.name == "comm" and p.direction == "in" for p in f.parameters)
    return f.name in COLLECTIVE or (f.chapter.key == "coll" and comm) or neighbours


def nature(f):
    if is_collective(f):
        waits = f.name in WAITING_COLLECTIVE or "eighbor_" in f.name
        return "waiting_collective" if waits else "collective"
    return "blocking" if f.name in BLOCKING else "local"


def has_comm(f):
    return any(p.kind.name in {"comm", "win"} and p.direction == "in" for p in f.parameters)


def kind_of(p):
    """Its kind; a count that is large in all forms is a count."""
    return "count" if p.kind.name == "widecount" else p.kind.name


def must_be_right(p, f):
    """Whether a bad value of the parameter has to be an error, wherever and whatever the other arguments are."""
    sort, name = p.kind.sort, kind_of(p)
    if f.has("cast") or f.has("raw") or p.root_only or p.array:
        return False
    if p.nullable and sort != "handle":
        return False
    if sort == "handle":
        # The type of a buffer that may be MPI_IN_PLACE is not always looked at.
        return not (p.nullable and name == "datatype")
    if p.direction != "in":
        return sort in {"int", "bool", "wide", "ptr", "attr", "string"} and not f.has("raw")
    if name in {"count", "n", "size", "tag", "anytag", "root", "lock", "keyval", "string", "status"}:
        return not (name == "keyval" and f.name.endswith("_free_keyval"))
    return name in {"dest", "source", "target"} and has_comm(f)


def order(f, large):
    """Indices of the parameters in the order of drawing: communicators and windows first, lengths before arrays."""
    visible = [p for p in f.visible(large) if p.kind.sort != "variadic"]
    first = [i for i, p in enumerate(visible) if p.kind.table in {"comms", "wins"} and p.direction == "in"]
    return first + [i for i in range(len(visible)) if i not in first]


def c_type(p, large):
    return p.kind.large if large else p.kind.small


class Call:
    def __init__(self, f, large, constants):
        self.f, self.large, self.constants = f, large, constants
        self.lines, self.after = [], []
        self.visible = [p for p in f.visible(large) if p.kind.sort != "variadic"]
        self.lengths = {p.length for p in self.visible if p.array}
        self.names = {p.name for p in self.visible}
        for i in order(f, large):
            self.draw(i, self.visible[i])

    def put(self, i, p, value):
        self.lines.append(f"const auto a{i} = {value};")

    def length(self, p):
        """The number of elements of an array: what its length's parameter says, or enough for whatever the others say."""
        if p.length == "?":
            return "Draw::many"
        return f"a{next(i for i, q in enumerate(self.visible) if q.name == p.length)}"

    def draw(self, i, p):
        kind, sort, type_ = kind_of(p), p.kind.sort, c_type(p, self.large)
        if p.name in self.lengths and sort in {"int", "wide"} and kind != "n":
            self.put(i, p, f"d.length<{type_}>({i}, {'true' if kind == 'count' else 'false'})")
        elif p.name in LENGTHS.values() and self.f.name in LENGTHS:
            self.put(i, p, f"d.string_length{'_place' if p.direction == 'inout' else ''}({i})")
        elif p.name in PLAIN and (sort == "plain" or kind == "int"):
            self.lines.append(f"{'char**' if p.name == 'argv' else 'int'} const a{i} = {PLAIN[p.name]};")
        elif sort == "handle":
            self.handle(i, p, type_)
        elif sort in {"int", "bool", "wide"}:
            if kind in {"dest", "source", "target", "rank", "root"} and not has_comm(self.f):
                kind = "int"
            values = f"Kind::{kind}_" if kind in NUMBERS else "Kind::int_"
            if p.name in {"insize", "outsize"}:
                values = "Kind::room_"
            if p.array and p.direction == "in":
                self.put(i, p, f"d.numbers<{type_}>({values}, {self.length(p)}, {'true' if kind == 'weight' else 'false'})")
            elif p.array:
                self.put(i, p, f"d.places<{type_}>({self.length(p)})")
            elif p.direction == "in":
                self.put(i, p, f"d.number<{type_}>({i}, {values})")
            else:
                self.put(i, p, f"d.place<{type_}>({i}, {values})")
                if kind == "keyval":
                    self.after.append(f"d.new_keyval(a{i});")
        elif sort in {"buf", "bytes"}:
            self.put(i, p, f"d.buffer({'true' if p.direction != 'in' else 'false'}, {'true' if sort == 'buf' else 'false'})")
        elif sort == "status":
            self.status(i, p)
        elif sort == "string":
            if p.direction == "in":
                self.put(i, p, f"d.text({i})")
            elif self.f.name in LENGTHS:
                j = next(j for j, q in enumerate(self.visible) if q.name == LENGTHS[self.f.name])
                extra = " + 1" if self.f.name == "Info_get" else ""
                pointer = "*" if self.visible[j].direction == "inout" else ""
                value = f"(a{j} ? {pointer}a{j} : 0)" if pointer else f"a{j}"
                self.put(i, p, f"d.room({i}, {value}{extra})")
            else:
                self.put(i, p, f"d.room({i}, MPI_{p.function_type})")
        elif sort == "function":
            self.lines.append(f"{c_types.function_type(p, self.large, self.constants)}* const a{i} = d.function<{c_types.function_type(p, self.large, self.constants)}>();")
        elif sort == "ranges":
            self.lines.append(f"int(*const a{i})[3] = d.ranges({self.length(p)});")
        elif sort == "ptr":
            self.put(i, p, f"d.pointer_place({i})")
            self.after.append(f"d.allocated({'true' if self.f.name == 'Alloc_mem' else 'false'});")
        elif sort == "attr":
            self.put(i, p, "d.memory()" if p.direction == "in" else f"d.pointer_place({i})")
        elif sort == "raw":
            self.put(i, p, f"d.raw_status<{type_}>()")
        elif self.f.name == "Free_mem":
            self.put(i, p, "d.allocated_memory()")
        elif sort == "pointer":
            self.put(i, p, "d.memory()")
        elif sort == "plain":
            self.lines.append(f"{type_} const a{i} = nullptr;")
        else:
            raise SystemExit(f"MPI_{self.f.name}: no way to draw {p.name} of kind {kind}")

    def handle(self, i, p, type_):
        pool = f"d.{p.kind.table}"
        nullable = "true" if p.nullable or (p.kind.name == "request" and p.direction == "inout") else "false"
        if self.f.has("cast"):
            self.put(i, p, f"d.any({pool})")
        elif p.array and p.direction == "in":
            self.put(i, p, f"d.handles({pool}, {self.length(p)}, {'true' if p.kind.name == 'datatype' else 'false'})")
        elif p.array and p.direction == "inout":
            self.put(i, p, f"d.handles_inout({pool}, {self.length(p)})")
            self.after.append(f"d.returned({pool}, a{i});")
        elif p.array:
            self.put(i, p, f"d.places<{type_}>({self.length(p)})")
        elif p.direction == "in":
            committed = "true" if p.kind.name == "datatype" else "false"
            self.put(i, p, f"d.in({i}, {pool}, {nullable}, {committed})")
        elif p.direction == "out":
            self.put(i, p, f"d.out({i}, {pool})")
            self.after.append(f"d.made({pool}, a{i});")
        else:
            self.put(i, p, f"d.inout({i}, {pool}, {nullable})")
            self.after.append(f"d.returned({pool}, a{i});")

    def status(self, i, p):
        if p.array:
            self.put(i, p, f"d.statuses({self.length(p)})")
        elif p.direction == "out":
            self.put(i, p, "d.status_place()")
        elif self.f.has("raw"):
            self.put(i, p, "d.status()")
        else:
            self.put(i, p, f"d.status({i})")

    def write(self, name, out):
        f = self.f
        mask = sum(1 << i for i, p in enumerate(self.visible) if must_be_right(p, f))
        kept = any(p.kind.name == "request" and p.direction == "out" for p in f.parameters)
        out.write(f"\nvoid call_{name}(Draw& d)\n{{\n")
        out.write(f'  d.begin("{name}", Nature::{nature(f)}, {mask:#x}, {"true" if kept else "false"});\n')
        for line in self.lines:
            out.write(f"  {line}\n")
        arguments = ", ".join(f"a{i}" for i in range(len(self.visible)))
        if f.code:
            out.write("  if (!d.ready()) return;\n")
            sources = [i for i, p in enumerate(self.visible) if p.kind.name == "source" and p.direction == "in"]
            if sources and f.name not in {"Iprobe", "Improbe"} and "init" not in f.name:
                tag = next(i for i, p in enumerate(self.visible) if p.kind.name == "anytag")
                comm = next(i for i, p in enumerate(self.visible) if p.kind.name == "comm")
                out.write(f"  d.companion(a{sources[0]}, a{tag}, a{comm});\n")
            out.write(f"  d.end({name}({arguments}));\n")
            for line in self.after:
                out.write(f"  {line}\n")
        else:
            out.write(f"  static_cast<void>({name}({arguments}));\n  d.end(MPI_SUCCESS);\n")
        out.write("}\n")


NUMBERS = {
    "int", "n", "rank", "dest", "source", "target", "root", "tag", "anytag", "color", "partition", "keyval", "errorcode",
    "errorclass", "weight", "assert", "lock", "order", "distribution", "split", "typeclass", "bool", "count", "room",
    "stride", "disp", "extent", "aint", "size", "wide",
}


def main(folder, target):
    chapters = table.read_functions(folder)
    constants = table.read_constants(pathlib.Path(folder) / "constants.txt")
    names = []
    with open(target, "w") as out:
        out.write('// Made from src/api/table by make_calls.py.\n#include "api/fuzz/draw.hpp"\n\nnamespace fuzz {\nnamespace {\n')
        for chapter in chapters:
            for f in chapter.functions:
                if not f.has("impl") or f.name in LEFT_OUT or f.chapter.key in CHAPTERS_LEFT_OUT:
                    continue
                for name, large in f.widths():
                    Call(f, large, constants).write(name, out)
                    names.append(name)
        out.write("\nconstexpr CallOf built_calls[] = {\n")
        for name in names:
            out.write(f'    {{"{name}", &call_{name}}},\n')
        out.write("};\n\n}  // namespace\n\nstd::span<const CallOf> all_calls()\n{\n  return built_calls;\n}\n\n}  // namespace fuzz\n")


if __name__ == "__main__":
    main(sys.argv[2], sys.argv[3])
