"""Writes the entry points (entries_<chapter>.cpp), impl.hpp and functions.cpp."""

from c_types import function_type, prototype

# Handles: what the hand-written part gets in, gives out, and finds in arrays.
IN = {
    "comms": "Communicator&", "groups": "const GroupPtr&", "types": "Datatype&", "ops": "Op&",
    "requests": "Request&", "infos": "Info&", "errhandlers": "const ErrhandlerPtr&", "messages": "const p2p::Message&",
    "sessions": "Session&", "wins": "Window&", "files": "File&",
}
OUT = {
    "comms": "CommRef", "groups": "GroupPtr", "types": "Ref<Datatype>", "ops": "Ref<Op>",
    "requests": "Request*", "infos": "InfoPtr", "errhandlers": "ErrhandlerPtr", "messages": "std::optional<p2p::Message>",
    "sessions": "SessionPtr", "wins": "Window*", "files": "File*",
}
VIEW = {"types": "HandleArray<TypeHandle>", "infos": "HandleArray<InfoHandle>", "requests": "RequestArray"}

# The hand-written shortest ways of a chapter's functions.
FAST = {"rma": '#include "api/entry/fast_rma.hpp"\n'}


class Unsupported(Exception):
    pass


class Argument:
    """How one parameter crosses from C to the hand-written part: a class for each sort of kinds (kinds.py)."""

    def __init__(self, p, function, constants):
        self.p = p
        self.function = function
        self.constants = constants
        self.type = ""  # in impl.hpp
        self.value = p.name  # in the call
        self.before = []  # statements before the call
        self.after = []  # statements after it succeeded
        self.local = p.name + "_"
        self.quoted = f'"{p.name}"'
        self.make()

    def make(self):
        raise NotImplementedError

    def check_out(self):
        self.before.append(f"check_out({self.p.name}, {self.quoted});")

    def check_array(self, guard=""):
        if self.p.length != "?":
            self.before.append(only_if(guard, f"check_array({self.p.name}, {self.p.length}, {self.quoted});"))

    def check(self):
        """What the kind says of a number that comes in."""
        p, check = self.p, self.p.kind.check
        if not check:
            return
        if check in {"rank", "dest", "source", "root", "anytag"}:
            where = peers(self.function, p)
            if where:
                keep = "const Role role = " if check == "root" and has_significance(self.function) else ""
                self.before.append(f'{keep}check_{check}({p.name}, {where}, "{p.name}");')
        elif not any(counted_by(self.function, q) is p for q in self.function.parameters):
            guard = significance(p, self.function)
            self.before.append(only_if(guard, f'check_{check}({p.name}, "{p.name}");'))


class Absent(Argument):
    """A parameter of the large-count twin, in the other form."""

    def make(self):
        if self.p.array:
            self.type, self.value = "Count*", "nullptr"
        elif self.p.direction == "in":
            self.type, self.value = "Count", "0"
        else:
            self.type, self.value = "Count&", self.local
            self.before.append(f"Count {self.local} = 0;")


class Number(Argument):
    """An int, the same in both widths."""

    scalar = "int"
    suffix = ""  # makes the scalar of the int

    def make(self):
        p = self.p
        if p.array:
            self.type = f"{'const ' if p.direction == 'in' else ''}int*"
            if not p.nullable and p.kind.name != "weight":
                self.check_array(significance(p, self.function))
        elif p.direction == "in":
            self.type = self.scalar
            self.value = p.name + self.suffix
            self.check()
        elif self.function.has("direct"):
            self.type = "int&"
            self.value = f"*{p.name}"
            self.check_out()
        else:
            self.type = self.scalar + "&"
            self.value = self.local
            start = f"*{p.name}{self.suffix}" if p.direction == "inout" else self.scalar + "{}"
            self.check_out()
            self.before.append(f"{self.scalar} {self.local} = {start};")
            self.after.append(f"*{p.name} = {self.local};")


class Truth(Number):
    scalar = "bool"
    suffix = " != 0"


class WideNumber(Argument):
    """A number that is an MPI_Count in the hand-written part."""

    def make(self):
        p = self.p
        if p.array and p.direction == "in":
            self.type = "CountArray"
            self.value = f"CountArray({p.name})"
            self.check_array()
        elif p.array:
            self.type = "Count*"
        elif p.direction == "in":
            self.type = "Count"
            self.check()
        else:
            self.type = "Count&"
            self.value = self.local
            start = f"*{p.name}" if p.direction == "inout" else "0"
            self.check_out()
            self.before.append(f"Count {self.local} = {start};")
            store = "store_position" if p.direction == "inout" else "store_count"
            self.after.append(f"{store}({p.name}, {self.local});")


class Buffer(Argument):
    def make(self):
        self.type = "const void*" if self.p.direction == "in" else "void*"
        self.before.append(buffer_check(self.p, self.function))


class Plain(Argument):
    """Passed as it is."""

    def make(self):
        p = self.p
        # Of one width, where it is no number.
        self.type = p.kind.small.replace(" *", "*")
        if p.kind.name == "mem":
            check = f'check_address({p.name}, {self.quoted}, "{no_stand_in}");'
            self.before.append(f"if ({p.name} != MPI_BUFFER_AUTOMATIC) {check}" if p.nullable else check)


class Address(Argument):
    """An address that comes out, where the caller keeps one: as a void*."""

    def make(self):
        p = self.p
        self.type = "void*&"
        self.value = self.local
        self.check_out()
        self.before.append(f"void* {self.local} = nullptr;")
        guard = "if (flag_) " if any(q.name == "flag" for q in self.function.parameters) else ""
        self.after.append(f"{guard}*static_cast<void**>({p.name}) = {self.local};")


class AttributeValue(Address):
    def make(self):
        if self.p.direction == "in":
            self.type = "void*"
        else:
            super().make()


class Text(Argument):
    def make(self):
        self.type = "const char*" if self.p.direction == "in" else "char*"
        if not self.p.nullable:
            self.check_out()


class StatusArgument(Argument):
    def make(self):
        name = self.p.name
        self.type, self.value = {
            "in": ("const Status&", f"status_in({name}, {self.quoted})"),
            "inout": ("Status&", f"status_inout({name}, {self.quoted})"),
            "out": ("Status*", f"status_out({name})"),
        }[self.p.direction]


class UserFunction(Argument):
    def make(self):
        p = self.p
        if function_type(p, True, self.constants) != function_type(p, False, self.constants):
            self.type = "Callback"
            self.value = f"Callback({p.name})"
        else:
            self.type = f"MPI_{p.function_type}*"


class Ranges(Argument):
    def make(self):
        self.type = "const int (*)[3]"
        self.before.append(f"check_array({self.p.name}, {self.p.length}, {self.quoted});")


class Variadic(Argument):
    def make(self):
        self.value = ""


class Handle(Argument):
    """A handle, or an array of them: the hand-written part sees objects."""

    def make(self):
        p = self.p
        self.table = p.kind.table
        if p.kind.name == "request" and p.direction in {"inout", "free"} and not p.array:
            self.type = "RequestRef"
            self.value = f"RequestRef(state, {p.name})"
            self.check_out()
        elif p.array and p.direction == "out":
            self.type = f"std::vector<{OUT[self.table]}>&"
            self.value = self.local
            self.before.append(f"std::vector<{OUT[self.table]}> {self.local};")
            self.after.append(f"put_all(state.{self.table}, {self.local}, {p.name});")
        elif p.array:
            view = VIEW[self.table]
            self.type = f"const {view}&" if view == "RequestArray" else view
            self.check_array(significance(p, self.function))
            self.value = f"{view}(state, {p.name}, {p.length if view == 'RequestArray' else self.quoted})"
        elif p.direction == "in":
            self.value = self.local
            self.comes_in()
        elif p.direction == "out":
            self.value = self.local
            self.comes_out()
        else:
            self.value = self.local
            self.stays_or_goes()

    def comes_in(self):
        p, local = self.p, self.local
        get = f"state.{self.table}.get({p.name}, {self.quoted})"
        committed = p.kind.name == "datatype"
        counted = counted_by(self.function, p)
        guard = significance(p, self.function)
        if guard and not committed:
            self.type = IN[self.table].replace("&", "*")
            found = f"state.{self.table}.find({p.name}, {self.quoted})" if p.nullable else f"&{get}"
            self.before.append(f"{self.type} const {local} = {guard} ? {found} : nullptr;")
        elif guard:
            self.type = IN[self.table].replace("&", "*")
            self.before.append(f"{self.type} const {local} = {guard} ? &{get} : nullptr;")
            checks = f"check_committed(*{local}, {self.quoted});"
            if counted:
                checks += f' check_count({counted.name}, *{local}, "{counted.name}");'
            self.before.append(f"if ({local}) {{ {checks} }}")
        elif p.nullable:
            self.type = IN[self.table].replace("&", "*")
            self.before.append(f"{self.type} const {local} = state.{self.table}.find({p.name}, {self.quoted});")
        else:
            self.type = IN[self.table]
            self.before.append(f"{self.type} {local} = {get};")
            if committed:
                self.before.append(f"check_committed({local}, {self.quoted});")
            if counted:
                self.before.append(f'check_count({counted.name}, {local}, "{counted.name}");')

    def comes_out(self):
        p, local = self.p, self.local
        self.type = OUT[self.table] + "&"
        self.check_out()
        self.before.append(f"{OUT[self.table]} {local}{{}};")
        if p.kind.name == "file":
            # As elsewhere, for the many who do not look at the error, which is returned.
            self.before.append(f"*{p.name} = MPI_FILE_NULL;")
        self.after.append(f"*{p.name} = state.{self.table}.put(std::move({local}));")

    def stays_or_goes(self):
        p, local = self.p, self.local
        self.type = IN[self.table]
        self.check_out()
        if p.kind.name == "message":
            # The message is received whatever comes of it: its handle is void before the receive starts.
            self.before.append(f"const p2p::Message {local} = state.messages.take({p.name}, {self.quoted});")
        elif p.direction == "inout":
            self.before.append(f"{self.type} {local} = state.{self.table}.get(*{p.name}, {self.quoted});")
        else:
            self.before.append(f"{self.type} {local} = state.{self.table}.get_freeable(*{p.name}, {self.quoted});")
            self.after.append(f"state.{self.table}.retire({p.name});")


# The sorts of kinds.py that cross; the others are for functions with the flag raw.
SORTS = {
    "attr": AttributeValue, "bool": Truth, "buf": Buffer, "bytes": Buffer, "function": UserFunction, "handle": Handle,
    "int": Number, "plain": Plain, "pointer": Plain, "ptr": Address, "ranges": Ranges, "status": StatusArgument,
    "string": Text, "variadic": Variadic, "wide": WideNumber,
}


def argument(p, function, large, constants):
    if p.large_only and not large:
        return Absent(p, function, constants)
    if p.kind.sort not in SORTS:
        raise Unsupported(f"kind '{p.kind.name}' only works in functions with the flag raw")
    return SORTS[p.kind.sort](p, function, constants)


def only_if(guard, statement):
    return f"if ({guard}) {statement}" if guard else statement


def peers(function, parameter):
    """The communicator or window that a rank parameter refers to: the one before or after it, or none."""
    before = [q for q in function.parameters if q.kind.table in {"comms", "wins"} and q.direction == "in"]
    return before[0].name + "_" if before else None


def has_significance(function):
    parameters = function.parameters
    return any(significance(p, function) or (p.kind.sort == "buf" and has_root(function)) for p in parameters)


def has_root(function):
    return any(q.kind.name == "root" for q in function.parameters)


def significance(p, function):
    """The condition under which a count, type or buffer of a collective call is looked at, or none: always."""
    if p.root_only:
        return "op != MPI_NO_OP" if function.chapter.key == "rma" else "role == Role::root"
    if not p.nullable or p.kind.name not in {"count", "datatype"}:
        return ""
    buffers = [q for q in function.parameters[: function.parameters.index(p)] if q.kind.sort == "buf"]
    guard = f"{buffers[-1].name} != MPI_IN_PLACE"
    if has_root(function):
        guard += " && gives_as_member(role, comm_)"
    return guard


def counted_by(function, type_):
    """The parameter that says how many elements of a committed type there are, or none; it is checked with the type."""
    if type_.kind.name != "datatype" or type_.array:
        return None
    before = function.parameters[: function.parameters.index(type_)]
    counts = [q for q in before if q.kind.name in {"count", "widecount", "datatype"}]
    last = counts[-1] if counts else type_
    return last if last.kind.name != "datatype" and last.direction == "in" and not last.array else None


def buffer_significance(p, function):
    """The same for a buffer. Rooted operations whose type counts everywhere (MPI_Bcast, MPI_Reduce) still only read the
    buffers of those who send and write those of who receives."""
    following = function.parameters[function.parameters.index(p) + 1 :]
    type_ = next((q for q in following if q.kind.name == "datatype"), None)
    if function.chapter.key == "rma":
        counted = any(q.kind.name == "count" for q in function.parameters)
        changes = any(q.kind.name == "op" for q in function.parameters) and p.direction == "in"
        return "op != MPI_NO_OP" if changes and (type_.root_only or not counted) else ""
    if "exscan" in function.name.lower() and p.direction == "out":
        return "comm_.rank() != 0 || sendbuf == MPI_IN_PLACE"
    if not has_root(function):
        return ""
    if type_.root_only:
        return "role == Role::root"
    if p.direction == "inout":
        return "role != Role::outside"
    return "role == Role::root" if p.direction == "out" and not p.nullable else "gives_as_member(role, comm_)"


no_stand_in = "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)"


def buffer_check(p, function):
    """A buffer is not null unless its type holds addresses, and no constant that stands for a buffer elsewhere."""
    section = "MPI 5.0 §" + function.section.split(" ")[0]
    in_place = [q.name for q in function.parameters if q.kind.sort == "buf" and q.nullable]
    rule = f"which only {in_place[0]} may be ({section})" if in_place else no_stand_in
    described = buffer_description(p, function) if p.kind.sort == "buf" else None
    if described:
        count, type_ = described
        check = f'check_buffer({p.name}, {count.name}, {type_.name}, "{p.name}", "{rule}");'
    else:
        check = f'check_address({p.name}, "{p.name}", "{rule}");'
    if p.nullable:
        where = "role, comm_" if has_root(function) else "comm_"
        check = f'if ({p.name} == MPI_IN_PLACE) check_in_place({where}, "{p.name}", "{section}"); else {check}'
    guard = buffer_significance(p, function)
    return f"if ({guard}) {{ {check} }}" if guard else check


def buffer_description(p, function):
    """The count and datatype that describe a buffer: the next ones, unless another buffer comes between them. The two of a
    reduction share theirs."""
    rest = function.parameters[function.parameters.index(p) + 1 :]
    reduction = function.chapter.key == "coll" and any(q.kind.name == "op" for q in function.parameters)
    count = None
    for q in rest:
        if q.kind.sort in {"buf", "bytes"}:
            if not reduction:
                return None
        elif count is None:
            if q.kind.name in {"count", "widecount"} and q.direction == "in":
                if q.array:
                    return None
                count = q
        elif q.kind.name == "datatype":
            return None if q.array else (count, q)
    return None


def words(function, large):
    names = [p.name for p in function.visible(large) if p.kind.sort != "variadic"]
    return ", ".join(f"word({n})" for n in names) or "Word{0}"


def arguments(function, large, constants):
    return [argument(p, function, large, constants) for p in function.parameters]


def impl_name(function):
    return function.same_as or function.name


def raw_type(p, constants):
    from c_types import declaration

    return declaration(p, False, constants)


def write_impl_header(chapters, constants, out):
    out.write(
        "// Made from src/api/table: what the hand-written part of the interface must define (src/api/impl).\n"
        "#pragma once\n\n#include \"api/entry/entry.hpp\"\n\nnamespace ranklet::api::impl {\n"
    )
    for chapter in chapters:
        wanted = [f for f in chapter.functions if f.has("impl") and not f.has("cast") and not f.same_as]
        if not wanted:
            continue
        out.write(f"\n// Chapter {chapter.number}: {chapter.title} (impl_{chapter.key}.cpp)\n")
        for f in wanted:
            if f.has("raw"):
                text = ", ".join(raw_type(p, constants) for p in f.parameters if p.kind.sort != "variadic")
                out.write(f"{f.returns} {f.name}({text});\n")
                continue
            parameters = ["Rank& self"]
            for p, a in zip(f.parameters, arguments(f, f.has("c"), constants)):
                # An array type needs its name inside.
                parameters.append(a.type.replace("(*)", f"(*{p.name})") if "(*)" in a.type else f"{a.type} {p.name}")
            if f.has("width"):
                parameters.append("bool large")
            if f.has("life"):
                parameters.append("bool persistent")
            out.write(f"void {f.name}({', '.join(parameters)});\n")
    out.write("\n}  // namespace ranklet::api::impl\n")


def body(function, name, large, constants):
    number = function.number
    flag = "true" if large else "false"
    if not function.has("impl"):
        if function.has("raw"):
            unused = " ".join(f"static_cast<void>({p.name});" for p in function.parameters if p.kind.sort != "variadic")
            # Whoever only counts the variables, and does not look at the code, finds that there are none.
            unused += "".join(f" if ({p.name}) *{p.name} = 0;" for p in function.parameters
                              if p.name.startswith("num") and p.direction == "out" and p.kind.name == "int")
            result = "MPI_T_ERR_NOT_SUPPORTED" if function.chapter.key == "tool" else f"{function.returns}()"
            return f"  {unused}\n  return {result};\n"
        raise Unsupported(f"{name} has neither impl nor raw")
    if function.has("cast"):
        return f"  return cast<{function.returns}>({function.parameters[0].name});\n"
    if function.has("raw"):
        given = ", ".join(p.name for p in function.parameters if p.kind.sort != "variadic")
        return f"  return impl::{impl_name(function)}({given});\n"
    passed = arguments(function, large, constants)
    # The communicator or window first, then the root: later checks refer to them.
    def priority(p):
        if p.kind.table in {"comms", "wins"} and p.direction == "in":
            return 0
        return 1 if p.kind.name == "root" else 2

    order = sorted(range(len(passed)), key=lambda i: priority(function.parameters[i]))
    unused_info = {p.name for p in function.parameters if function.has("life") and p.kind.table == "infos"}
    lines = [
        line.split(" = ", 1)[1] if function.parameters[i].name in unused_info else line
        for i in order
        for line in passed[i].before
    ]
    values = ["state.rank"] + [
        a.value
        for p, a in zip(function.parameters, passed)
        if a.value and p.name not in unused_info
    ]
    if function.has("width"):
        values.append(flag)
    if function.has("life"):
        values.append("true" if function.same_as else "false")
    lines.append(f"impl::{impl_name(function)}({', '.join(values)});")
    lines += [line for a in passed for line in a.after]
    enter = "call.enter_early()" if function.has("pre") else "call.enter()"
    site = "fast::call_site" if function.has("fast") else "__builtin_return_address(0)"
    text = [
        f"const Word words[] = {{{words(function, large)}}};",
        f"Call call(functions[{number}], {flag}, words, {site});",
        "try {",
        f"  RankState& state = {enter};",
        *("  " + line for line in lines),
        *(["  fast::remember(state, win);"] if function.has("fast") else []),
        "  return MPI_SUCCESS;",
        "} catch (...) {",
        "  return call.failed();",
        "}",
    ]
    return "".join(f"  {line}\n" for line in text)


def write_long_way(function, name, large, constants, text, out):
    """The usual body as a function of its own. It takes what the entry point takes, so that the compiler makes the call a
    jump, for which the entry point need not keep anything. Returns the entry point's body."""
    long_way = prototype(function, "long_" + name, large, constants)
    out.write(f"\n[[gnu::noinline]] static {long_way}\n{{\n{text}}}\n")
    names = [p.name for p in function.visible(large)]

    def go(arguments):
        return ("fast::call_site = __builtin_return_address(0);\n", f"return long_{name}({', '.join(arguments)});\n")

    def attempt(arguments):
        return f"if (fast::{function.name}({', '.join(arguments)})) [[likely]] return MPI_SUCCESS;\n"

    if "origin_count" not in names or "target_count" not in names:
        lines = [attempt(names), *go(names)]
    else:
        # One element, described alike on both sides. The long way gets what is known by then as constants: so few
        # registers must be kept that none is saved.
        known = {"origin_count": "1", "origin_datatype": "target_datatype", "target_count": "1"}
        fewer = [n for n in names if n not in known]
        lines = ["if (origin_count == 1 && target_count == 1 && origin_datatype == target_datatype) {\n",
                 "  " + attempt(fewer), *("  " + line for line in go([known.get(n, n) for n in names])), "}\n",
                 *go(names)]
    return "".join("  " + line for line in lines)


def write_entries(chapter, constants, out):
    out.write(
        f"// Made from src/api/table: the entry points of chapter {chapter.number}, {chapter.title}.\n"
        '#include "api/entry/entry.hpp"\n#include "api/impl/impl.hpp"\n'
        + FAST.get(chapter.key, "")
        + "\n"
        "using namespace ranklet;\nusing namespace ranklet::api;\n\nextern \"C\" {\n"
    )
    for function in chapter.functions:
        for name, large in function.widths():
            try:
                text = body(function, name, large, constants)
            except (Unsupported, KeyError) as error:
                raise SystemExit(f"{name}: {error}")
            if function.has("fast"):
                text = write_long_way(function, name, large, constants, text, out)
            inlined = "[[gnu::flatten]] " if function.has("fast") else ""
            # Where the table says it.
            out.write(f"\n// {function.source}\n")
            out.write(f"{inlined}{prototype(function, 'P' + name, large, constants)}\n{{\n{text}}}\n")
            weak = f'[[gnu::weak, gnu::alias("P{name}")]]'
            out.write(f"{weak} {prototype(function, name, large, constants)};\n")
    out.write("\n}  // extern \"C\"\n")


def write_functions(chapters, constants, out):
    """The table in the program: names and kinds of parameters, for error messages and ranklet-info."""
    kinds = sorted({p.kind.name for c in chapters for f in c.functions for p in f.parameters})
    number = {name: i for i, name in enumerate(kinds)}
    out.write("// Made from src/api/table.\n#include \"api/handles/functions.hpp\"\n\nnamespace ranklet::api {\nnamespace {\n\n")
    forms = {"handles": "handle", "numbers": "number", "flags": "flag"}
    by_kind = {}
    for group in constants.groups:
        if group.form in forms:
            by_kind.setdefault(group.kind, []).extend((n, v, forms[group.form]) for n, v in group.values)
    # Ranks and tags share their special values; a datatype's names serve both of its kinds.
    by_kind["dest"] = by_kind["target"] = by_kind["root"] = by_kind["rank"] = by_kind["source"]
    by_kind["datatype"] = by_kind["type"]
    by_kind["color"] = by_kind["undefined"]
    for kind in kinds:
        if kind in by_kind:
            out.write(f"constexpr NamedValue values_{kind}[] = {{\n")
            for name, value, _ in by_kind[kind]:
                out.write(f'    {{"{name}", {value}}},\n')
            out.write("};\n")
    out.write("\nconstexpr KindInfo kinds[] = {\n")
    for kind in kinds:
        handle = next((p.kind for c in chapters for f in c.functions for p in f.parameters if p.kind.name == kind))
        values = f"values_{kind}" if kind in by_kind else "{}"
        flags = "true" if by_kind.get(kind, [("", "", "")])[0][2] == "flag" else "false"
        out.write(f'    {{"{kind}", ArgumentSort::{argument_sort(handle)}, {values}, {flags}}},\n')
    out.write("};\n")
    for chapter in chapters:
        for f in chapter.functions:
            if not f.parameters:
                continue
            items = []
            for p in f.parameters:
                pointer = "true" if p.direction != "in" or p.array or p.kind.sort in POINTERS else "false"
                items.append(f'{{"{p.name}", &kinds[{number[p.kind.name]}], {pointer}, {"true" if p.direction == "inout" or p.direction == "free" else "false"}, '
                             f'{"true" if p.large_only else "false"}, {"true" if p.direction != "in" else "false"}}}')
            out.write(f"constexpr ParameterInfo parameters_{f.number}[] = {{\n    " + ",\n    ".join(items) + "};\n")
    out.write("\nconstexpr ChapterInfo chapter_list[] = {\n")
    for c in chapters:
        out.write(f'    {{{c.number}, "{c.key}", "{c.title}"}},\n')
    out.write("};\n\n}  // namespace\n\nconstexpr FunctionInfo functions[] = {\n")
    for index, chapter in enumerate(chapters):
        for f in chapter.functions:
            handle = next((i for i, p in enumerate(f.parameters)
                           if p.kind.table in {"comms", "wins", "files", "sessions"} and p.direction in {"in", "free"} and (i == 0 or not p.nullable)), -1)
            if chapter.key == "io" and all(p.kind.table != "files" or p.direction == "out" for p in f.parameters):
                handle = "file_defaults"
            frees = f.name == "Finalize" or any(p.direction == "free" for p in f.parameters)
            flags = [f.has("impl"), f.has("pre"), f.has("c"), f.has("extra"), f.code, frees]
            out.write(f'    {{"MPI_{f.name}", &chapter_list[{index}], "{f.purpose}", '
                      f'{"parameters_%d" % f.number if f.parameters else "{}"}, {handle}, '
                      + ", ".join("true" if x else "false" for x in flags) + "},\n")
    total = sum(len(c.functions) for c in chapters)
    out.write("};\n\nstd::span<const FunctionInfo> all_functions()\n{\n  return functions;\n}\n"
              "\nstd::span<const KindInfo> all_kinds()\n{\n  return kinds;\n}\n"
              "\nstd::span<const ChapterInfo> all_chapters()\n{\n  return chapter_list;\n}\n"
              f"\nstatic_assert(std::size(functions) == {total});\n\n}}  // namespace ranklet::api\n")


POINTERS = {"buf", "bytes", "pointer", "ptr", "attr", "toolbuf", "plain", "status", "function", "ranges", "raw"}


def argument_sort(kind):
    if kind.sort == "handle":
        return kind.table
    if kind.sort == "string":
        return "string"
    if kind.sort == "bool":
        return "boolean"
    if kind.sort in {"int", "wide"}:
        return "number"
    if kind.sort == "function":
        return "function"
    if kind.name == "buf":
        return "buffer"
    return "pointer"
