"""Writes the routines behind mpif.h, `use mpi` and `use mpi_f08`: each turns its arguments into C's, calls the C function,
and turns the results back. Every body is written twice: MPI_X calls MPI_X, and PMPI_X calls PMPI_X, so that a tool which
defines the C function sees each call once."""

import fortran

# Callbacks and what stands for them in the call of C; see src/fortran/callbacks.hpp.
CALLBACKS = {
    "Comm_copy_attr_function": "Keyval<MPI_Comm>::copy_function", "Comm_delete_attr_function": "Keyval<MPI_Comm>::delete_function",
    "Type_copy_attr_function": "Keyval<MPI_Datatype>::copy_function", "Type_delete_attr_function": "Keyval<MPI_Datatype>::delete_function",
    "Win_copy_attr_function": "Keyval<MPI_Win>::copy_function", "Win_delete_attr_function": "Keyval<MPI_Win>::delete_function",
    "Copy_function": "OldKeyval::copy_function", "Delete_function": "OldKeyval::delete_function",
    "Grequest_query_function": "Grequest::query", "Grequest_free_function": "Grequest::free", "Grequest_cancel_function": "Grequest::cancel",
    "Datarep_extent_function": "Datarep::extent",
}
STATES = {"Comm_create_keyval": "Keyval<MPI_Comm>", "Type_create_keyval": "Keyval<MPI_Datatype>", "Win_create_keyval": "Keyval<MPI_Win>",
          "Keyval_create": "OldKeyval", "Grequest_start": "Grequest", "Register_datarep": "Datarep"}
# Strings whose length is an argument, counted in C with the final zero.
LENGTH_ARGUMENT = {("Info_get_string", "value"): "buflen", ("Session_get_nth_pset", "pset_name"): "pset_len"}
# Where only trailing blanks go: "leading spaces in name are significant" (MPI 5.0 §7.8), "trailing blanks will be stripped" (§9.5).
LEADING_BLANKS = {"Comm_set_name", "Type_set_name", "Win_set_name", "Add_error_string"}
# Lengths of arrays that follow from something else.
LENGTHS = {
    "Cart_sub": "cartesian_dimensions(handle<MPI_Comm>(*comm))",
    "Alltoallw": "peers(handle<MPI_Comm>(*comm))",
}
# After which calls requests are complete: an expression of the result.
COMPLETING = {"Wait": "true", "Test": "flag_", "Waitall": "true", "Testall": "flag_", "Waitany": "index", "Testany": "index",
              "Waitsome": "indices", "Testsome": "indices", "Request_get_status": "flag_", "Request_get_status_all": "flag_",
              "Request_get_status_any": "index", "Request_get_status_some": "indices"}


def is_handle(p):
    return p.kind.sort == "handle"


class Routine:
    def __init__(self, function, large, descriptors):
        self.f = function
        self.large = large
        self.descriptors = descriptors
        self.dummies = fortran.dummies(function, large)
        self.signature = []
        self.lengths = []
        self.before = []
        self.arguments = {}
        self.after = []
        self.strided = {}  # buffer, count and type -> the object that has them
        self.copied = []
        if descriptors:
            self.find_buffers()
        self.call_order = [self.c_name(p) for p in function.visible(large)]
        for d in self.dummies:
            self.parameter(d)
        for p in function.visible(large):
            if p.kind.name in {"argcp", "argvp", "argv"} and self.c_name(p) not in self.arguments:
                self.arguments[p.name] = "nullptr"
            if p.name == "argc":
                self.arguments["argc"] = "0"
        if fortran.has_ierror(function):
            self.signature.append("int* ierror")

    def c_name(self, p):
        return p.name

    def find_buffers(self):
        """Buffers with a count and a type of their own get a datatype that follows the section; those that a collective call
        takes apart, and packed data, are copied."""
        visible = self.f.visible(self.large)
        whole = self.f.chapter.key == "coll" and self.f.name not in {"Bcast", "Ibcast", "Bcast_init"} or self.f.chapter.key in {"topo", "partitioned"}
        for i, p in enumerate(visible):
            if not fortran.choice(p) or p.kind.sort not in {"buf", "bytes"}:
                continue
            following = visible[i + 1: i + 3]
            scalar = len(following) == 2 and following[0].kind.sort == "wide" and following[1].kind.name in {"datatype"} \
                and not following[0].array and not following[1].array
            if scalar and p.kind.sort == "buf" and not whole:
                self.strided[p.name] = (following[0].name, following[1].name)
            elif whole or p.kind.sort == "bytes":
                self.copied.append(p)
            # Else the address alone counts: the second half of a split access, or one element.

    def parameter(self, d):
        p, name = d.parameter, d.parameter.name
        sort, kind = p.kind.sort, p.kind.name
        arg = name
        if d.type == "choice" and sort != "ptr":
            if self.descriptors:
                self.signature.append(f"CFI_cdesc_t* {name}")
                arg = self.section(p)
            else:
                self.signature.append(f"void* {name}")
                arg = f"choice({name})"
        elif sort == "ptr":
            self.signature.append(f"void* {name}")
            if name == "buffer_addr":
                self.before.append("void* buffer_ = nullptr;")
                arg = "&buffer_"
                if self.descriptors:
                    self.after.append(f"if (code == MPI_SUCCESS) *static_cast<void**>({name}) = detached(buffer_);")
                else:
                    self.after.append(f"static_cast<void>({name});")
        elif sort == "string":
            arg = self.string(p)
        elif sort == "plain":
            self.signature.append(f"char* {name}")
            self.lengths.append(f"std::size_t {name}_length")
            root = "is_root(*root, handle<MPI_Comm>(*comm))"
            if kind == "argv":
                self.before.append(f"const Arguments {name}_(choice({name}), {name}_length, {root});")
            elif kind == "strings":
                self.before.append(f"const Strings {name}_({name}, {name}_length, {root} ? *count : 0);")
            else:
                self.before.append(f"const ArgumentLists {name}_(choice({name}), {name}_length, {root} ? *count : 0);")
            arg = f"{name}_.data()"
        elif sort == "function":
            self.signature.append(f"Procedure* {name}")
            if p.function_type in {"Datarep_conversion_function"}:
                which = "read" if name.startswith("read") else "write"
                arg = f"Datarep::conversion{'_c' if self.large else ''}({name}, Datarep::{which}{'_c' if self.large else ''})"
            elif p.function_type in CALLBACKS:
                arg = f"{CALLBACKS[p.function_type]}({name})" if "Keyval" in CALLBACKS[p.function_type] else CALLBACKS[p.function_type]
            else:
                # Called with references to numbers and handles, of which Fortran reads the lower half (x86-64 is little-endian).
                suffix = "_c" if self.large else ""
                arg = f"reinterpret_cast<MPI_{p.function_type}{suffix}*>({name})"
        elif kind == "state":
            self.signature.append(f"const {'int' if self.f.name == 'Keyval_create' else 'MPI_Aint'}* {name}")
            functions = ", ".join(q.name for q in self.f.parameters if q.kind.sort == "function")
            self.before.append(f"auto* const state_ = new {STATES[self.f.name]}{{{functions}, *{name}}};")
            self.after.append("if (code != MPI_SUCCESS) delete state_;")
            arg = "state_"
        elif sort == "attr":
            type_ = "int" if self.f.name in fortran.NOT_IN_F08 else "MPI_Aint"
            self.signature.append(f"{'const ' if p.direction == 'in' else ''}{type_}* {name}")
            if p.direction == "in":
                arg = f"attribute_cell(*{name})"
            else:
                keyval = next(q.name for q in self.f.parameters if q.kind.name == "keyval")
                self.before.append("void* value_ = nullptr;")
                arg = "&value_"
                self.after.append(f"if (code == MPI_SUCCESS && flag_ > 0) *{name} = static_cast<{type_}>(attribute_value(*{keyval}, value_));")
        elif sort == "status" or kind in {"f08status", "fstatus"}:
            self.signature.append(f"{'const ' if p.direction == 'in' else ''}MPI_Status* {name}")
            arg = f"choice({name})" if p.direction == "out" else name
            if kind == "fstatus":
                arg = f"reinterpret_cast<{'const ' if p.direction == 'in' else ''}MPI_Fint*>({name})"
        elif is_handle(p):
            arg = self.handle(p)
        elif sort == "bool":
            arg = self.logical(p)
        elif kind == "index":
            arg = self.index(p)
        elif kind == "oldaint":
            arg = self.old_address(p)
        elif sort == "ranges":
            self.signature.append(f"int* {name}")
            arg = f"reinterpret_cast<int (*)[3]>({name})"
        else:
            c_type = p.kind.large if self.large else p.kind.small
            const = "const " if p.direction == "in" else ""
            self.signature.append(f"{const}{c_type}* {name}")
            if kind == "weight" or name == "array_of_errcodes":
                arg = f"choice({name})"
            elif p.direction == "in" and not p.array:
                arg = f"*{name}"
                for buffer, (count, _) in self.strided.items():
                    if count == name:
                        arg = f"{buffer}_.count<{c_type}>()"
            elif (self.f.name, name) in {(f, n) for (f, _), n in LENGTH_ARGUMENT.items()}:
                # C counts the final zero, and a length of 0 asks for the length alone.
                self.before.append(f"const int {name}_ = *{name} > 0 ? *{name} + 1 : 0;")
                self.before.append(f"int {name}_left = {name}_;")
                arg = f"&{name}_left"
                self.after.append(f"*{name} = {name}_left > 0 ? {name}_left - 1 : 0;")
            elif name == "outcount":  # how many indices there are: after an error none
                self.before.append("int outcount_ = unset;")
                self.after.append("if (outcount_ != unset) *outcount = outcount_;")
                arg = "&outcount_"
            elif kind == "length":
                string = next(q.name for q in self.f.parameters if q.kind.sort == "string" and q.direction == "out")
                self.after.append(f"if (code == MPI_SUCCESS) *{name} = {string}_.clamped(*{name});")
        self.arguments[name] = arg

    def section(self, p):
        name = p.name
        if name in self.strided:
            count, type_ = self.strided[name]
            self.before.append(f"const Strided {name}_({name}, *{count}, handle<MPI_Datatype>(*{type_}));")
            return f"{name}_.address()"
        if p in self.copied:
            out = "false" if p.direction == "in" else "true"
            self.before.append(f"Copied {name}_({name}, {out});")
            return f"{name}_.address()"
        return f"choice({name}->base_addr)"

    def string(self, p):
        name = p.name
        descriptor = self.descriptors and any(fortran.choice(q) and q.kind.sort in {"buf", "bytes"} for q in self.f.parameters)
        if descriptor:  # bind(C): a character string is a descriptor, too
            self.signature.append(f"CFI_cdesc_t* {name}")
            text, length = f"static_cast<char*>({name}->base_addr)", f"{name}->elem_len"
        else:
            self.signature.append(f"char* {name}")
            self.lengths.append(f"std::size_t {name}_length")
            text, length = name, f"{name}_length"
        if p.direction == "in":
            leading = ", String::Leading::blanks_stay" if self.f.name in LEADING_BLANKS else ""
            self.before.append(f"const String {name}_({text}, {length}{leading});")
            return f"{name}_.data()"
        if (self.f.name, name) in LENGTH_ARGUMENT:
            size = f"{LENGTH_ARGUMENT[self.f.name, name]}_"
        elif self.f.name == "Info_get":
            size = "*valuelen + 1"
        else:
            size = "MPI_" + p.function_type
        self.before.append(f"Text {name}_({text}, {length}, {size});")
        condition = "code == MPI_SUCCESS" + (" && flag_ > 0" if any(q.name == "flag" for q in self.f.parameters) else "")
        if (self.f.name, name) in LENGTH_ARGUMENT:
            condition += f" && {size} > 0"
        self.after.append(f"if ({condition}) {name}_.store();")
        return f"{name}_.data()"

    def array_length(self, p):
        if p.length != "?":
            return f"*{p.length}"
        if self.f.chapter.key == "topo" and "alltoallw" in self.f.name.lower():
            return f"neighbours(handle<MPI_Comm>(*comm), {'true' if p.name.startswith('recv') else 'false'})"
        if "alltoallw" in self.f.name.lower():
            in_place = "sendbuf->base_addr" if self.descriptors else "sendbuf"
            peers = LENGTHS["Alltoallw"]
            return f"(choice({in_place}) == MPI_IN_PLACE ? 0 : {peers})" if p.name.startswith("send") else peers
        return LENGTHS[self.f.name]

    def handle(self, p):
        name, type_ = p.name, p.kind.small
        self.signature.append(f"{'const ' if p.direction == 'in' else ''}int* {name}")
        if p.array:
            length = self.array_length(p)
            if any(q.name == "root" for q in self.f.parameters) and p.nullable:
                length = f"(is_root(*root, handle<MPI_Comm>(*comm)) ? {length} : 0)"
            self.before.append(f"Handles<{type_}> {name}_({name}, {length});")
            if p.direction != "in":
                self.after.append(f"{name}_.store({name});")
            return f"{name}_.data()"
        if p.direction == "in":
            for buffer, (_, datatype) in self.strided.items():
                if datatype == name:
                    return f"{buffer}_.type()"
            return f"handle<{type_}>(*{name})"
        if self.f.name == "Cancel":
            self.before.append(f"{type_} {name}_ = handle<{type_}>(*{name});")
            return f"&{name}_"
        self.before.append(f"{type_} {name}_ = handle<{type_}>(*{name});")
        self.after.append(f"*{name} = number({name}_);")
        return f"&{name}_"

    def logical(self, p):
        name = p.name
        self.signature.append(f"{'const ' if p.direction == 'in' else ''}int* {name}")
        if p.array:
            self.before.append(f"Logicals {name}_({name}, {self.array_length(p)}, {'true' if p.direction == 'in' else 'false'});")
            if p.direction != "in":
                self.after.append(f"{name}_.store({name});")
            return f"{name}_.data()"
        if p.direction == "in":
            return f"truth(*{name})"
        self.before.append(f"int {name}_ = unset;")
        self.after.append(f"if ({name}_ != unset) *{name} = logical({name}_);")
        return f"&{name}_"

    def old_address(self, p):
        name = p.name
        self.signature.append(f"{'const ' if p.direction == 'in' else ''}int* {name}")
        if p.array:
            self.before.append(f"const Displacements {name}_({name}, {self.array_length(p)});")
            return f"{name}_.data()"
        if p.direction == "in":
            return f"*{name}"
        self.before.append(f"MPI_Aint {name}_ = 0;")
        store = "lower_half" if name == "address" else "integer"
        self.after.append(f"if (code == MPI_SUCCESS) *{name} = {store}({name}_);")
        return f"&{name}_"

    def index(self, p):
        name = p.name
        self.signature.append(f"int* {name}")
        if p.array:
            self.after.append(f"from_one({name}, outcount_);")
            return name
        self.before.append(f"int {name}_ = unset;")
        self.after.append(f"if ({name}_ != unset) *{name} = {name}_ == MPI_UNDEFINED ? MPI_UNDEFINED : {name}_ + 1;")
        return f"&{name}_"

    def requests(self):
        """Statements that know of copies which live until a request is complete (src/fortran/pending.hpp)."""
        name, before, after = self.f.name, [], []
        if name in {"Start", "Startall"}:
            requests, count = ("&request_", "1") if name == "Start" else ("array_of_requests_.data()", "*count")
            before.append(f"if (Pending::any()) Pending::start({requests}, {count});")
        elif name == "Request_free":
            before.append("const Completions completions_(&request_, 1);")
            after.append("completions_.forget(&request_);")
        elif name in {"Pready", "Pready_range", "Pready_list"}:
            first = {"Pready": "*partition, *partition", "Pready_range": "*partition_low, *partition_high"}.get(name)
            if first:
                before.append(f"if (Pending::any()) Pending::ready(handle<MPI_Request>(*request), {first});")
            else:
                before.append("if (Pending::any())\n    for (int i = 0; i < *length; ++i)\n"
                              "      Pending::ready(handle<MPI_Request>(*request), array_of_partitions[i], array_of_partitions[i]);")
        elif name == "Parrived":
            after.append("if (Pending::any() && code == MPI_SUCCESS && flag_ > 0)\n"
                         "    Pending::arrived(handle<MPI_Request>(*request), *partition);")
        elif name in COMPLETING:
            many = any(p.array and p.kind.name == "request" for p in self.f.parameters)
            count = "*" + next((p.length for p in self.f.parameters if p.array and p.kind.name == "request"), "")
            how = COMPLETING[name]
            if name.startswith("Request_get_status"):  # what is complete is there to be read, but the requests stay
                request = "array_of_requests_.data()[{}]" if many else "handle<MPI_Request>(*request)"
                arrived = f"Pending::arrived({request}, -1);"
                each = {"flag_": f"for (int i = 0; flag_ > 0 && i < {count}; ++i) " if many else "if (flag_ > 0) ",
                        "index": "if (indx_ >= 0) ", "indices": "for (int i = 0; i < outcount_; ++i) "}[how]
                which = {"flag_": "i", "index": "indx_", "indices": "array_of_indices[i]"}[how]
                after.append(f"if (Pending::any() && code == MPI_SUCCESS) {{\n    {each}{arrived.format(which)}\n  }}")
                return before, after
            requests = "array_of_requests_.data()" if many else "&request_"
            before.append(f"const Completions completions_({requests}, {count if many else '1'});")
            if how == "index":
                after.append(f"if (indx_ >= 0) completions_.done(indx_, {requests});")
            elif how == "indices":
                after.append(f"for (int i = 0; i < outcount_; ++i) completions_.done(array_of_indices[i], {requests});")
            else:
                condition = "" if how == "true" else "if (flag_ > 0) "
                after.append(f"{condition}completions_.all({requests});")
        return before, after

    def body(self, prefix):
        arguments = ", ".join(self.arguments[name] for name in self.call_order if name in self.arguments)
        call = f"{prefix}MPI_{self.f.name}{'_c' if self.large else ''}({arguments})"
        lines = [*self.before]
        first, last = self.requests()
        lines += first
        if not self.f.code:
            return lines + [f"return {call};"]
        lines.append(f"const int code = {call};")
        lines += last
        lines += self.after
        if self.copied:
            names = ", ".join(f"{p.name}_" for p in self.copied)
            request = next((p for p in self.f.parameters if p.kind.name == "request" and p.direction == "out"), None)
            persistent = "true" if self.f.name.endswith("_init") else "false"
            if request:
                partition = "Partition(*count, handle<MPI_Datatype>(*datatype))" if self.f.chapter.key == "partitioned" else "Partition()"
                lines.append(f"if (code == MPI_SUCCESS) keep(request_, {persistent}, {partition}, {names});")
        if fortran.has_ierror(self.f):
            lines.append("if (ierror != nullptr) *ierror = code;")
        else:
            lines.append("static_cast<void>(code);")
        return lines

    def write(self, prefix, symbol, others, out):
        returns = self.f.returns if not self.f.code else "void"
        parameters = ", ".join(self.signature + self.lengths)
        out.write(f"{returns} {symbol}({parameters})\n{{\n")
        for line in self.body(prefix):
            out.write(f"  {line}\n")
        out.write("}\n")
        for other in others:
            out.write(f'__attribute__((alias("{symbol}"))) {returns} {other}({parameters});\n')
        out.write("\n")


def manglings(name):
    """What compilers make of a name; the first one is the default of gfortran and flang."""
    lower = name.lower()
    return [f"{lower}_", lower, f"{lower}__", name.upper()]


def write_routines(chapter, constants, out):
    out.write('// Made from the table of MPI functions.\n#include "fortran/glue.hpp"\n\n'
              'namespace ranklet::fortran {\nextern "C" {\n\n')
    for f in chapter.functions:
        if not fortran.in_fortran(f):
            continue
        forms = list(fortran.forms(f))
        separate = any(d.type == "choice" for d in fortran.dummies(f)) and not fortran.by_address(f)
        for prefix in ("", "P"):
            names = manglings(f"{prefix}MPI_{f.name}")
            if any(d.name == "baseptr" for d in fortran.dummies(f)):
                names += manglings(f"{prefix}MPI_{f.name}_CPTR")
            if not separate and f.name not in fortran.NOT_IN_F08:
                names += manglings(prefix + forms[0][1])
            Routine(f, False, False).write(prefix, names[0], names[1:], out)
            for large, specific in forms:
                if f.name in fortran.NOT_IN_F08 or not separate and not large:
                    continue
                names = manglings(prefix + specific)
                Routine(f, large, separate).write(prefix, names[0], names[1:], out)
    out.write("}  // extern \"C\"\n}  // namespace ranklet::fortran\n")


def write_aliases(symbol, others, out):
    for other in others:
        # By its name for the linker, as some are macros of mpi.h.
        out.write(f'__attribute__((alias("{symbol}"))) Procedure another_{other.lower()}{other == other.upper() and "_upper" or ""} __asm__("{other}");\n')
    out.write("\n")


def write_predefined(out):
    """The procedures that programs name as arguments (MPI 5.0 §7.7.2, §14.5.3, §16.1). For the library only their addresses
    count, but programs may call them."""
    out.write('// Made by the generator.\n#include "fortran/glue.hpp"\n\n'
              "// Aliases of another type: who calls them sees an interface in Fortran.\n"
              '#pragma GCC diagnostic ignored "-Wattribute-alias"\n\n'
              'namespace ranklet::fortran {\nextern "C" {\n\n')
    for object_, value in (("COMM_", "MPI_Aint"), ("TYPE_", "MPI_Aint"), ("WIN_", "MPI_Aint"), ("", "int")):
        copy = f"const int*, const int*, const {value}*, const {value}* in, {value}* out, int* flag, int* ierror"
        for name, body in (("NULL_COPY_FN", "static_cast<void>(in), static_cast<void>(out);\n  *flag = logical(0);"),
                           ("DUP_FN", "*out = *in;\n  *flag = logical(1);")):
            names = manglings(f"MPI_{object_}{name}")
            out.write(f"void {names[0]}({copy})\n{{\n  {body}\n  *ierror = MPI_SUCCESS;\n}}\n")
            write_aliases(names[0], names[1:], out)
        names = manglings(f"MPI_{object_}NULL_DELETE_FN")
        out.write(f"void {names[0]}(const int*, const int*, const {value}*, const {value}*, int* ierror)\n"
                  "{\n  *ierror = MPI_SUCCESS;\n}\n")
        write_aliases(names[0], names[1:], out)
    for name, count in (("MPI_CONVERSION_FN_NULL", "int"), ("MPI_CONVERSION_FN_NULL_C", "MPI_Count")):
        names = manglings(name)
        out.write(f"void {names[0]}(void*, const int*, const {count}*, void*, const MPI_Offset*, const MPI_Aint*, int* ierror)\n"
                  "{\n  *ierror = MPI_ERR_CONVERSION;\n}\n")
        write_aliases(names[0], names[1:], out)
    for prefix in ("", "p"):
        names = manglings(f"{prefix}MPI_Sizeof_f08ts") + []
        out.write(f"void {names[0]}(const CFI_cdesc_t* x, int* size, int* ierror)\n{{\n  *size = static_cast<int>(x->elem_len);\n"
                  "  if (ierror != nullptr) *ierror = MPI_SUCCESS;\n}\n")
        # The compiler must not know that nothing happens here.
        for name, type_ in ((f"{prefix}MPI_F_sync_reg", "void"), (f"{prefix}MPI_F_sync_reg_f08ts", "CFI_cdesc_t")):
            names = manglings(name)
            out.write(f"void {names[0]}({type_}*)\n{{}}\n")
            write_aliases(names[0], names[1:], out)
        for name in ("INIT", "INIT_THREAD"):
            names = manglings(f"{prefix}RANKLET_{name}_INTEGER8")
            out.write(f"void {names[0]}()\n{{\n  refuse_integer8();\n}}\n")
            write_aliases(names[0], names[1:], out)
    names = manglings("RANKLET_NO_ARGUMENTS")
    out.write(f"void {names[0]}()\n{{\n  refuse_no_arguments();\n}}\n")
    write_aliases(names[0], names[1:], out)
    out.write("}  // extern \"C\"\n}  // namespace ranklet::fortran\n")
