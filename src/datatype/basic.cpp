#include "datatype/basic.hpp"

#include <array>
#include <cstddef>
#include <cwchar>

namespace ranklet {

namespace {

using B = Basic;
using G = TypeGroup;
using R = Repr;

constexpr BasicInfo row(Basic basic, const char* name, Count size, TypeGroup group, Repr repr,
                        Count external = 0)
{
  return {basic, name, size, size, group, repr, external == 0 ? size : external, B::none, B::none};
}

constexpr BasicInfo complex_row(Basic basic, const char* name, Count size, Repr repr, Count external = 0)
{
  return {basic, name, size, size / 2, G::complex, repr, external == 0 ? size : external, B::none, B::none};
}

constexpr BasicInfo pair_row(Basic basic, const char* name, Count value_size, Count index_size, Repr repr,
                             Basic value, Basic index, Count external)
{
  const Count alignment = value_size > index_size ? value_size : index_size;
  return {basic, name, value_size + index_size, alignment, G::pair, repr, external, value, index};
}

// The external sizes are those of the table in §14.5.2, where they differ from this machine's.
constexpr std::array<BasicInfo, basic_count> basic_table = {{
    {},
    row(B::aint, "MPI_AINT", 8, G::multi_language, R::i64),
    row(B::count, "MPI_COUNT", 8, G::multi_language, R::i64),
    row(B::offset, "MPI_OFFSET", 8, G::multi_language, R::i64),
    row(B::packed, "MPI_PACKED", 1, G::none, R::raw),
    row(B::short_, "MPI_SHORT", 2, G::c_integer, R::i16),
    row(B::int_, "MPI_INT", 4, G::c_integer, R::i32),
    row(B::long_, "MPI_LONG", 8, G::c_integer, R::i64, 4),
    row(B::long_long, "MPI_LONG_LONG_INT", 8, G::c_integer, R::i64),
    row(B::unsigned_short, "MPI_UNSIGNED_SHORT", 2, G::c_integer, R::u16),
    row(B::unsigned_, "MPI_UNSIGNED", 4, G::c_integer, R::u32),
    row(B::unsigned_long, "MPI_UNSIGNED_LONG", 8, G::c_integer, R::u64, 4),
    row(B::unsigned_long_long, "MPI_UNSIGNED_LONG_LONG", 8, G::c_integer, R::u64),
    row(B::float_, "MPI_FLOAT", 4, G::floating, R::f32),
    complex_row(B::c_float_complex, "MPI_C_COMPLEX", 8, R::c32),
    complex_row(B::cxx_float_complex, "MPI_CXX_FLOAT_COMPLEX", 8, R::c32),
    row(B::double_, "MPI_DOUBLE", 8, G::floating, R::f64),
    complex_row(B::c_double_complex, "MPI_C_DOUBLE_COMPLEX", 16, R::c64),
    complex_row(B::cxx_double_complex, "MPI_CXX_DOUBLE_COMPLEX", 16, R::c64),
    row(B::logical, "MPI_LOGICAL", 4, G::logical, R::i32),
    row(B::integer, "MPI_INTEGER", 4, G::fortran_integer, R::i32),
    row(B::real, "MPI_REAL", 4, G::floating, R::f32),
    complex_row(B::complex, "MPI_COMPLEX", 8, R::c32),
    row(B::double_precision, "MPI_DOUBLE_PRECISION", 8, G::floating, R::f64),
    complex_row(B::double_complex, "MPI_DOUBLE_COMPLEX", 16, R::c64),
    row(B::character, "MPI_CHARACTER", 1, G::none, R::raw),
    row(B::long_double, "MPI_LONG_DOUBLE", 16, G::floating, R::f80),
    complex_row(B::c_long_double_complex, "MPI_C_LONG_DOUBLE_COMPLEX", 32, R::c80),
    complex_row(B::cxx_long_double_complex, "MPI_CXX_LONG_DOUBLE_COMPLEX", 32, R::c80),
    pair_row(B::float_int, "MPI_FLOAT_INT", 4, 4, R::f32_i32, B::float_, B::int_, 8),
    pair_row(B::double_int, "MPI_DOUBLE_INT", 8, 4, R::f64_i32, B::double_, B::int_, 12),
    pair_row(B::long_int, "MPI_LONG_INT", 8, 4, R::i64_i32, B::long_, B::int_, 8),
    pair_row(B::two_int, "MPI_2INT", 4, 4, R::i32_i32, B::int_, B::int_, 8),
    pair_row(B::short_int, "MPI_SHORT_INT", 2, 4, R::i16_i32, B::short_, B::int_, 6),
    pair_row(B::long_double_int, "MPI_LONG_DOUBLE_INT", 16, 4, R::f80_i32, B::long_double, B::int_, 20),
    pair_row(B::two_real, "MPI_2REAL", 4, 4, R::f32_f32, B::real, B::real, 8),
    pair_row(B::two_double_precision, "MPI_2DOUBLE_PRECISION", 8, 8, R::f64_f64, B::double_precision,
             B::double_precision, 16),
    pair_row(B::two_integer, "MPI_2INTEGER", 4, 4, R::i32_i32, B::integer, B::integer, 8),
    row(B::c_bool, "MPI_C_BOOL", 1, G::logical, R::u8),
    row(B::cxx_bool, "MPI_CXX_BOOL", 1, G::logical, R::u8),
    row(B::wchar, "MPI_WCHAR", sizeof(wchar_t), G::none, R::raw, 2),
    row(B::int8, "MPI_INT8_T", 1, G::c_integer, R::i8),
    row(B::uint8, "MPI_UINT8_T", 1, G::c_integer, R::u8),
    // The standard gives MPI_CHAR no operators; codes written for other MPIs, which do, rely on them.
    row(B::char_, "MPI_CHAR", 1, G::c_integer, R::i8),
    row(B::signed_char, "MPI_SIGNED_CHAR", 1, G::c_integer, R::i8),
    row(B::unsigned_char, "MPI_UNSIGNED_CHAR", 1, G::c_integer, R::u8),
    row(B::byte, "MPI_BYTE", 1, G::byte, R::u8),
    row(B::int16, "MPI_INT16_T", 2, G::c_integer, R::i16),
    row(B::uint16, "MPI_UINT16_T", 2, G::c_integer, R::u16),
    row(B::int32, "MPI_INT32_T", 4, G::c_integer, R::i32),
    row(B::uint32, "MPI_UINT32_T", 4, G::c_integer, R::u32),
    row(B::int64, "MPI_INT64_T", 8, G::c_integer, R::i64),
    row(B::uint64, "MPI_UINT64_T", 8, G::c_integer, R::u64),
    row(B::logical1, "MPI_LOGICAL1", 1, G::logical, R::i8),
    row(B::integer1, "MPI_INTEGER1", 1, G::fortran_integer, R::i8),
    row(B::logical2, "MPI_LOGICAL2", 2, G::logical, R::i16),
    row(B::integer2, "MPI_INTEGER2", 2, G::fortran_integer, R::i16),
    row(B::real2, "MPI_REAL2", 2, G::floating, R::f16),
    row(B::logical4, "MPI_LOGICAL4", 4, G::logical, R::i32),
    row(B::integer4, "MPI_INTEGER4", 4, G::fortran_integer, R::i32),
    row(B::real4, "MPI_REAL4", 4, G::floating, R::f32),
    complex_row(B::complex4, "MPI_COMPLEX4", 4, R::c16),
    row(B::logical8, "MPI_LOGICAL8", 8, G::logical, R::i64),
    row(B::integer8, "MPI_INTEGER8", 8, G::fortran_integer, R::i64),
    row(B::real8, "MPI_REAL8", 8, G::floating, R::f64),
    complex_row(B::complex8, "MPI_COMPLEX8", 8, R::c32),
    row(B::logical16, "MPI_LOGICAL16", 16, G::logical, R::i128),
    row(B::integer16, "MPI_INTEGER16", 16, G::fortran_integer, R::i128),
    row(B::real16, "MPI_REAL16", 16, G::floating, R::f128),
    complex_row(B::complex16, "MPI_COMPLEX16", 16, R::c64),
    complex_row(B::complex32, "MPI_COMPLEX32", 32, R::c128),
}};

constexpr bool in_order()
{
  for (int i = 0; i < basic_count; ++i)
    if (static_cast<int>(basic_table[static_cast<std::size_t>(i)].basic) != i) return false;
  return true;
}
static_assert(in_order(), "info() takes the enumerator as the row's index");
static_assert(sizeof(long) == 8 && sizeof(long double) == 16 && sizeof(void*) == 8);

}  // namespace

const BasicInfo& info(Basic basic)
{
  return basic_table[static_cast<std::size_t>(basic)];
}

std::span<const BasicInfo> all_predefined()
{
  return std::span<const BasicInfo>(basic_table).subspan(1);
}

}  // namespace ranklet
