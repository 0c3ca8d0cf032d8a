// Types chosen by what they must hold (§19.1.5) or by class and size, and the pair types by their parts
// (§6.9.4).
#include "datatype/builder.hpp"
#include "datatype/datatype.hpp"
#include "terms/error.hpp"

namespace ranklet {

namespace {

// Decimal precision and exponent range of gfortran's kinds, from small to large.
struct RealKind {
  int precision;
  int range;
  Basic real;
  Basic complex;
};
constexpr RealKind real_kinds[] = {
    {6, 37, Basic::real4, Basic::complex8},
    {15, 307, Basic::real8, Basic::complex16},
    {18, 4931, Basic::long_double, Basic::c_long_double_complex},
    {33, 4931, Basic::real16, Basic::complex32},
};

struct IntegerKind {
  int range;
  Basic integer;
};
constexpr IntegerKind integer_kinds[] = {
    {2, Basic::integer1},  {4, Basic::integer2},   {9, Basic::integer4},
    {18, Basic::integer8}, {38, Basic::integer16},
};

const RealKind& real_kind(int precision, int range)
{
  if (precision == undefined && range == undefined)
    fail(ErrorClass::arg, "neither precision nor range is given");
  for (const RealKind& kind : real_kinds)
    if ((precision == undefined || precision <= kind.precision) &&
        (range == undefined || range <= kind.range))
      return kind;
  fail(ErrorClass::arg, "no real kind has precision %d and range %d", precision, range);
}

Ref<Datatype> unnamed(Combiner combiner, const std::vector<int>& integers, Basic basic)
{
  TypeBuilder builder(combiner);
  builder.record_integers(integers);
  return builder.finish_as(predefined(basic), true);
}

}  // namespace

Ref<Datatype> create_f90_real(int precision, int range)
{
  return unnamed(Combiner::f90_real, {precision, range}, real_kind(precision, range).real);
}

Ref<Datatype> create_f90_complex(int precision, int range)
{
  return unnamed(Combiner::f90_complex, {precision, range}, real_kind(precision, range).complex);
}

Ref<Datatype> create_f90_integer(int range)
{
  for (const IntegerKind& kind : integer_kinds)
    if (range <= kind.range) return unnamed(Combiner::f90_integer, {range}, kind.integer);
  fail(ErrorClass::arg, "no integer kind has range %d", range);
}

Datatype& match_size(TypeClass type_class, int size)
{
  constexpr Basic logicals[] = {Basic::logical1, Basic::logical2, Basic::logical4, Basic::logical8,
                                Basic::logical16};
  constexpr Basic integers[] = {Basic::integer1, Basic::integer2, Basic::integer4, Basic::integer8,
                                Basic::integer16};
  constexpr Basic reals[] = {Basic::real2, Basic::real4, Basic::real8, Basic::real16};
  constexpr Basic complexes[] = {Basic::complex4, Basic::complex8, Basic::complex16, Basic::complex32};
  std::span<const Basic> candidates;
  switch (type_class) {
    case TypeClass::logical:
      candidates = logicals;
      break;
    case TypeClass::integer:
      candidates = integers;
      break;
    case TypeClass::real:
      candidates = reals;
      break;
    case TypeClass::complex:
      candidates = complexes;
      break;
    default:
      fail(ErrorClass::arg, "type class %d is not one of MPI_TYPECLASS_*", static_cast<int>(type_class));
  }
  for (const Basic basic : candidates)
    if (info(basic).size == size) return predefined(basic);
  fail(ErrorClass::arg, "no type of that class has %d bytes", size);
}

Datatype* value_index(const Datatype& value, const Datatype& index)
{
  if (value.basic() == Basic::none || index.basic() == Basic::none) return nullptr;
  for (const BasicInfo& row : all_predefined())
    if (row.group == TypeGroup::pair && row.value == value.basic() && row.index == index.basic())
      return &predefined(row.basic);
  return nullptr;
}

}  // namespace ranklet
