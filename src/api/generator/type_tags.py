"""What lets clang compare a buffer with the datatype beside it: types of datatypes, and pairs of parameters."""

# C types of the predefined datatypes that C programs use (MPI 5.0 §3.2.2, §6.9.4). Those without one, such as MPI_BYTE and
# Fortran's, go with any buffer.
C_TYPES = {
    "AINT": "MPI_Aint", "COUNT": "MPI_Count", "OFFSET": "MPI_Offset", "SHORT": "short", "INT": "int", "LONG": "long",
    "LONG_LONG_INT": "long long", "UNSIGNED_SHORT": "unsigned short", "UNSIGNED": "unsigned", "UNSIGNED_LONG": "unsigned long",
    "UNSIGNED_LONG_LONG": "unsigned long long", "FLOAT": "float", "DOUBLE": "double", "LONG_DOUBLE": "long double",
    "INT8_T": "int8_t", "UINT8_T": "uint8_t", "INT16_T": "int16_t", "UINT16_T": "uint16_t", "INT32_T": "int32_t",
    "UINT32_T": "uint32_t", "INT64_T": "int64_t", "UINT64_T": "uint64_t", "CHAR": "char", "SIGNED_CHAR": "signed char",
    "UNSIGNED_CHAR": "unsigned char", "FLOAT_INT": ("float", "int"), "DOUBLE_INT": ("double", "int"),
    "LONG_INT": ("long", "int"), "2INT": ("int", "int"), "SHORT_INT": ("short", "int"), "LONG_DOUBLE_INT": ("long double", "int"),
}  # fmt: skip

HEAD = """
/* With -DRANKLET_TYPE_TAGS clang compares the type of a buffer with the datatype beside it (-Wtype-safety). */
#if defined(RANKLET_TYPE_TAGS) && defined(__clang__)
#define RANKLET_BUFFER(buffer, datatype) __attribute__((pointer_with_type_tag(mpi, buffer, datatype)))
#define RANKLET_TYPE_TAG(name, ...) \\
  static const uint64_t ranklet_tag_##name __attribute__((type_tag_for_datatype(mpi, __VA_ARGS__), unused))
"""

TAIL = """\
#undef RANKLET_TYPE_TAG
#else
#define RANKLET_BUFFER(buffer, datatype)
#endif
"""


def write_tags(constants, out):
    out.write(HEAD)
    values = {name: value for g in constants.groups if g.type == "MPI_Datatype" for name, value in g.values}
    for name, c_type in C_TYPES.items():
        value = values.get("MPI_" + name)
        if value is None:
            continue
        if isinstance(c_type, tuple):
            out.write(f"struct ranklet_{name} {{\n  {c_type[0]} value;\n  {c_type[1]} index;\n}};\n")
            c_type = f"struct ranklet_{name}, layout_compatible"
        out.write(f"RANKLET_TYPE_TAG({name}, {c_type}) = {value};\n")
    out.write(TAIL)


def tags(function, large):
    """The attributes of a prototype: each buffer with the next datatype behind it."""
    visible = function.visible(large)
    found = []
    for i, p in enumerate(visible):
        if p.kind.name != "buf" or p.array:
            continue
        behind = next((j for j, q in enumerate(visible) if j > i and q.kind.name == "datatype"), None)
        if behind is not None and not visible[behind].array and visible[behind].direction == "in":
            found.append(f" RANKLET_BUFFER({i + 1}, {behind + 1})")
    return "".join(found)
