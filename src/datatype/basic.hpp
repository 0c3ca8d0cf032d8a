// The predefined datatypes of MPI 5.0 §3.2.2, §5.1 and §6.9.4 by what they are: name, size, alignment, group.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "terms/types.hpp"

namespace ranklet {

// One value per predefined datatype. `none` stands for a derived type.
enum class Basic : std::uint8_t {
  none,
  aint,
  count,
  offset,
  packed,
  short_,
  int_,
  long_,
  long_long,
  unsigned_short,
  unsigned_,
  unsigned_long,
  unsigned_long_long,
  float_,
  c_float_complex,
  cxx_float_complex,
  double_,
  c_double_complex,
  cxx_double_complex,
  logical,
  integer,
  real,
  complex,
  double_precision,
  double_complex,
  character,
  long_double,
  c_long_double_complex,
  cxx_long_double_complex,
  float_int,
  double_int,
  long_int,
  two_int,
  short_int,
  long_double_int,
  two_real,
  two_double_precision,
  two_integer,
  c_bool,
  cxx_bool,
  wchar,
  int8,
  uint8,
  char_,
  signed_char,
  unsigned_char,
  byte,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  logical1,
  integer1,
  logical2,
  integer2,
  real2,
  logical4,
  integer4,
  real4,
  complex4,
  logical8,
  integer8,
  real8,
  complex8,
  logical16,
  integer16,
  real16,
  complex16,
  complex32,
};
inline constexpr int basic_count = static_cast<int>(Basic::complex32) + 1;

// The groups of §6.9.2 that decide which predefined operators apply, and the types outside them.
enum class TypeGroup : std::uint8_t {
  none,  // characters that only move, MPI_PACKED
  c_integer,
  fortran_integer,
  floating,
  logical,
  complex,
  byte,
  multi_language,
  pair,  // §6.9.4, for MPI_MINLOC and MPI_MAXLOC
};

// How a value lies in memory. Several basics share one: MPI_INT, MPI_INTEGER and MPI_INT32_T are all i32.
enum class Repr : std::uint8_t {
  raw,  // no arithmetic
  i8,
  i16,
  i32,
  i64,
  i128,
  u8,
  u16,
  u32,
  u64,
  f16,
  f32,
  f64,
  f80,  // x87 extended in 16 bytes
  f128,
  c16,  // complex: two of f16, and so on
  c32,
  c64,
  c80,
  c128,
  f32_i32,  // pairs {value, index}
  f64_i32,
  i64_i32,
  i32_i32,
  i16_i32,
  f80_i32,
  f32_f32,
  f64_f64,
};
__extension__ typedef __float128 F128;
inline constexpr int repr_count = static_cast<int>(Repr::f64_f64) + 1;

struct BasicInfo {
  Basic basic = Basic::none;
  const char* name = "";  // as in mpi.h, "MPI_INT"
  Count size = 0;         // bytes of data; a pair has no gap in it
  Count alignment = 1;    // bytes
  TypeGroup group = TypeGroup::none;
  Repr repr = Repr::raw;
  Count external_size = 0;    // bytes in external32 (§14.5.2)
  Basic value = Basic::none;  // a pair's two parts
  Basic index = Basic::none;
};

// The row of `basic`; Basic::none has an empty one.
const BasicInfo& info(Basic basic);

// All predefined types, in the order of Basic and without `none`.
std::span<const BasicInfo> all_predefined();

}  // namespace ranklet
