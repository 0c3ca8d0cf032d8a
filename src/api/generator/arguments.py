"""How arguments cross from C to the hand-written part: a class for each sort of kinds (kinds.py)."""

from c_types import function_type
from significance import (array_significance, buffer_check, counted_by, gives_counts, has_significance, no_stand_in, only_if,
                          peers, significance)

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
        elif self.function.has("straight"):
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
            if gives_counts(p, self.function):
                self.before.append(only_if(array_significance(p, self.function), f"check_out({p.name}, {self.quoted});"))
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
        elif self.function.has("hands") and p.kind.name == "request" and p.direction == "out":
            self.value = f"RequestOut(state, {p.name})"
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
