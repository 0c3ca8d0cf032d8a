// Operators on every group of types, against arithmetic written out here.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "datatype/half.hpp"
#include "datatype/op.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

constexpr std::size_t n = 67;  // odd, so that vectorised loops have a tail

// The part of check_op that is the same for every type. same(x, y, i): whether element i of both is equal.
void check_results(OpKind kind, Basic basic, const void* a, const void* b, const void* wanted,
                   std::size_t size, std::size_t count, bool (*same)(const void*, const void*, std::size_t))
{
  CAPTURE(predefined(kind).name());
  CAPTURE(info(basic).name);
  REQUIRE(static_cast<Count>(size) == predefined(basic).extent());
  std::vector<std::max_align_t> inout(count), out(count);  // room for any type
  REQUIRE(size <= sizeof inout[0]);
  std::memcpy(inout.data(), b, count * size);
  apply(predefined(kind), a, inout.data(), static_cast<Count>(count), predefined(basic));
  apply3(predefined(kind), a, b, out.data(), static_cast<Count>(count), predefined(basic));
  for (std::size_t i = 0; i < count; ++i) {
    REQUIRE(same(inout.data(), wanted, i));
    REQUIRE(same(out.data(), wanted, i));
  }
}

template <typename T>
void check_op(OpKind kind, Basic basic, std::type_identity_t<std::span<const T>> a,
              std::type_identity_t<std::span<const T>> b, T (*expected)(T, T))
{
  T wanted[n];
  for (std::size_t i = 0; i < a.size(); ++i) wanted[i] = expected(a[i], b[i]);
  check_results(kind, basic, a.data(), b.data(), wanted, sizeof(T), a.size(),
                [](const void* x, const void* y, std::size_t i) {
                  return static_cast<const T*>(x)[i] == static_cast<const T*>(y)[i];
                });
}

// Small, so that sums and products of all types are exact; the sign is lost in unsigned ones.
std::vector<int> whole_numbers(std::uint64_t seed)
{
  std::mt19937_64 engine(seed);
  std::vector<int> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<int>(engine() % 41) - 20);
  return values;
}

template <typename T>
std::array<T, n> numbers(std::uint64_t seed)
{
  std::array<T, n> values;
  std::size_t i = 0;
  for (const int number : whole_numbers(seed))
    values[i++] = std::is_floating_point_v<T> ? static_cast<T>(number) / 2 : static_cast<T>(number);
  return values;
}

template <typename T>
void check_ordered(Basic basic)
{
  const auto a = numbers<T>(1);
  const auto b = numbers<T>(2);
  check_op<T>(OpKind::sum, basic, a, b, [](T x, T y) { return static_cast<T>(x + y); });
  check_op<T>(OpKind::prod, basic, a, b, [](T x, T y) {
    // std::uint16_t would be multiplied as int, which 65535 * 65535 exceeds.
    if constexpr (std::is_unsigned_v<T>)
      return static_cast<T>(std::uint64_t{x} * y);
    else
      return static_cast<T>(x * y);
  });
  check_op<T>(OpKind::max, basic, a, b, [](T x, T y) { return x > y ? x : y; });
  check_op<T>(OpKind::min, basic, a, b, [](T x, T y) { return x < y ? x : y; });
}

template <typename T>
void check_bits(Basic basic)
{
  const auto a = numbers<T>(3);
  const auto b = numbers<T>(4);
  check_op<T>(OpKind::band, basic, a, b, [](T x, T y) { return static_cast<T>(x & y); });
  check_op<T>(OpKind::bor, basic, a, b, [](T x, T y) { return static_cast<T>(x | y); });
  check_op<T>(OpKind::bxor, basic, a, b, [](T x, T y) { return static_cast<T>(x ^ y); });
}

template <typename T>
void check_truth(Basic basic)
{
  const T a[] = {0, 0, 1, 1, 5, 0};
  const T b[] = {0, 1, 0, 1, 3, 4};
  check_op<T>(OpKind::land, basic, a, b, [](T x, T y) { return static_cast<T>(x != 0 && y != 0); });
  check_op<T>(OpKind::lor, basic, a, b, [](T x, T y) { return static_cast<T>(x != 0 || y != 0); });
  check_op<T>(OpKind::lxor, basic, a, b, [](T x, T y) { return static_cast<T>((x != 0) != (y != 0)); });
}

// Of Fortran: odd is .TRUE., as there are compilers with 1 and with -1.
template <typename T>
void check_odd(Basic basic)
{
  const T a[] = {0, 0, 1, -1, -1, -2, -2};
  const T b[] = {0, -1, 0, 1, -1, -1, -2};
  check_op<T>(OpKind::land, basic, a, b, [](T x, T y) { return static_cast<T>(x & y & 1); });
  check_op<T>(OpKind::lor, basic, a, b, [](T x, T y) { return static_cast<T>((x | y) & 1); });
  check_op<T>(OpKind::lxor, basic, a, b, [](T x, T y) { return static_cast<T>((x ^ y) & 1); });
}

template <typename T>
struct Complex {
  T re;
  T im;
  bool operator==(const Complex&) const = default;
};

template <typename T>
void check_complex(Basic basic)
{
  const auto re = numbers<T>(5);
  const auto im = numbers<T>(6);
  using C = Complex<T>;
  C a[n], b[n];
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = {re[i], im[i]};
    b[i] = {im[n - 1 - i], re[i]};
  }
  check_op<C>(OpKind::sum, basic, a, b, [](C x, C y) { return C{x.re + y.re, x.im + y.im}; });
  check_op<C>(OpKind::prod, basic, a, b, [](C x, C y) {
    return C{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  });
}

template <typename V, typename I>
struct Pair {
  V value;
  I index;
  bool operator==(const Pair&) const = default;
};

template <typename V, typename I>
void check_pairs(Basic basic)
{
  using P = Pair<V, I>;
  const P a[] = {{1, 5}, {2, 1}, {3, 0}, {3, 9}, {-1, 2}};
  const P b[] = {{2, 1}, {1, 5}, {3, 4}, {3, 2}, {-1, 2}};
  check_op<P>(OpKind::minloc, basic, a, b, [](P x, P y) {
    if (x.value != y.value) return x.value < y.value ? x : y;
    return P{x.value, std::min(x.index, y.index)};
  });
  check_op<P>(OpKind::maxloc, basic, a, b, [](P x, P y) {
    if (x.value != y.value) return x.value > y.value ? x : y;
    return P{x.value, std::min(x.index, y.index)};
  });
}

void check_half()
{
  std::vector<float> values;
  for (const float value : numbers<float>(7)) values.push_back(value);
  std::vector<Half> a, b, inout;
  for (std::size_t i = 0; i < values.size(); ++i) {
    a.push_back(to_half(values[i]));
    b.push_back(to_half(values[values.size() - 1 - i]));
  }
  inout = b;
  apply(predefined(OpKind::sum), a.data(), inout.data(), n, predefined(Basic::real2));
  for (std::size_t i = 0; i < values.size(); ++i)
    REQUIRE(to_float(inout[i]) == to_float(a[i]) + to_float(b[i]));
  inout = b;
  apply(predefined(OpKind::max), a.data(), inout.data(), n, predefined(Basic::real2));
  for (std::size_t i = 0; i < values.size(); ++i)
    REQUIRE(to_float(inout[i]) == std::max(to_float(a[i]), to_float(b[i])));
  const Half x[2] = {to_half(1), to_half(2)};
  Half y[2] = {to_half(3), to_half(-1)};
  apply(predefined(OpKind::prod), x, y, 1, predefined(Basic::complex4));
  CHECK(to_float(y[0]) == 5);
  CHECK(to_float(y[1]) == 5);
}

__extension__ typedef __int128 I128;
__extension__ typedef __float128 F128;

}  // namespace

TEST_CASE("integers")
{
  for (const BasicInfo& row : all_predefined()) {
    const bool integer = row.group == TypeGroup::c_integer || row.group == TypeGroup::fortran_integer ||
                         row.group == TypeGroup::multi_language;
    if (!integer) continue;
    const auto check = [&]<typename T>(T) {
      check_ordered<T>(row.basic);
      check_bits<T>(row.basic);
      if (row.group == TypeGroup::c_integer) check_truth<T>(row.basic);
    };
    switch (row.repr) {
      case Repr::i8:
        check(std::int8_t{});
        break;
      case Repr::i16:
        check(std::int16_t{});
        break;
      case Repr::i32:
        check(std::int32_t{});
        break;
      case Repr::i64:
        check(std::int64_t{});
        break;
      case Repr::u8:
        check(std::uint8_t{});
        break;
      case Repr::u16:
        check(std::uint16_t{});
        break;
      case Repr::u32:
        check(std::uint32_t{});
        break;
      case Repr::u64:
        check(std::uint64_t{});
        break;
      case Repr::i128: {
        const I128 a = I128{1} << 100;
        I128 b = 5;
        apply(predefined(OpKind::sum), &a, &b, 1, predefined(row.basic));
        CHECK((b == a + 5));
        break;
      }
      default:
        FAIL("an integer type without an integer representation: ", row.name);
    }
  }
}

TEST_CASE("signed overflow wraps around, as it does in the programs this replaces")
{
  const int a = std::numeric_limits<int>::max();
  int b = 1;
  apply(predefined(OpKind::sum), &a, &b, 1, predefined(Basic::int_));
  CHECK(b == std::numeric_limits<int>::min());
  const std::uint16_t c = 0xffff;
  std::uint16_t d = 0xffff;
  apply(predefined(OpKind::prod), &c, &d, 1, predefined(Basic::uint16));
  CHECK(d == 1);
}

TEST_CASE("floating point")
{
  check_ordered<float>(Basic::float_);
  check_ordered<float>(Basic::real);
  check_ordered<double>(Basic::double_);
  check_ordered<double>(Basic::double_precision);
  check_ordered<double>(Basic::real8);
  check_ordered<long double>(Basic::long_double);
  check_half();
  const F128 a = 1.5;
  F128 b = 2.25;
  apply(predefined(OpKind::prod), &a, &b, 1, predefined(Basic::real16));
  CHECK((b == F128(3.375)));
}

TEST_CASE("special values")
{
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const double a[] = {nan, infinity, -infinity, -0.0, infinity};
  double b[] = {1.0, 1.0, 1.0, -0.0, -infinity};
  apply(predefined(OpKind::sum), a, b, 5, predefined(Basic::double_));
  CHECK(std::isnan(b[0]));
  CHECK(b[1] == infinity);
  CHECK(b[2] == -infinity);
  CHECK(std::signbit(b[3]));  // -0 + -0
  CHECK(std::isnan(b[4]));
  double c[] = {1.0, 1.0, 1.0, 2.0, 0.0};
  apply(predefined(OpKind::max), a, c, 5, predefined(Basic::double_));
  CHECK((c[0] == 1.0 || std::isnan(c[0])));  // one of the two operands, never something else
  CHECK(c[1] == infinity);
  CHECK(c[2] == 1.0);
  CHECK(c[4] == infinity);
}

TEST_CASE("half precision conversion agrees with exact values")
{
  CHECK(to_half(1.0f).bits == 0x3c00);
  CHECK(to_half(-2.0f).bits == 0xc000);
  CHECK(to_half(65504.0f).bits == 0x7bff);
  CHECK(to_half(65519.0f).bits == 0x7bff);
  CHECK(to_half(65520.0f).bits == 0x7c00);
  CHECK(to_half(0x1p-24f).bits == 1);
  CHECK(to_half(0x1p-25f).bits == 0);    // a tie goes to even
  CHECK(to_half(0x1.8p-24f).bits == 2);  // as does this one
  CHECK(to_half(1.0f + 0x1p-11f).bits == 0x3c00);
  CHECK(to_half(1.0f + 0x3p-11f).bits == 0x3c02);
  CHECK(to_half(-0.0f).bits == 0x8000);
  CHECK(std::isnan(to_float(to_half(std::numeric_limits<float>::quiet_NaN()))));
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const float value = to_float(half);
    if (std::isnan(value)) continue;
    REQUIRE(to_half(value).bits == bits);
  }
}

TEST_CASE("complex numbers")
{
  check_complex<float>(Basic::c_float_complex);
  check_complex<float>(Basic::complex8);
  check_complex<double>(Basic::c_double_complex);
  check_complex<double>(Basic::double_complex);
  check_complex<double>(Basic::cxx_double_complex);
  check_complex<long double>(Basic::c_long_double_complex);
  const Complex<F128> a{1, 2};
  Complex<F128> b{3, -1};
  apply(predefined(OpKind::prod), &a, &b, 1, predefined(Basic::complex32));
  CHECK((b.re == F128(5)));
  CHECK((b.im == F128(5)));
}

TEST_CASE("logicals, booleans and bytes")
{
  check_truth<std::uint8_t>(Basic::c_bool);
  check_truth<std::uint8_t>(Basic::cxx_bool);
  check_odd<std::int32_t>(Basic::logical);
  check_odd<std::int8_t>(Basic::logical1);
  check_odd<std::int16_t>(Basic::logical2);
  check_odd<std::int64_t>(Basic::logical8);
  check_bits<std::uint8_t>(Basic::byte);
}

TEST_CASE("MINLOC and MAXLOC take the smaller index of equal values")
{
  check_pairs<float, int>(Basic::float_int);
  check_pairs<double, int>(Basic::double_int);
  check_pairs<long, int>(Basic::long_int);
  check_pairs<int, int>(Basic::two_int);
  check_pairs<short, int>(Basic::short_int);
  check_pairs<long double, int>(Basic::long_double_int);
  check_pairs<float, float>(Basic::two_real);
  check_pairs<double, double>(Basic::two_double_precision);
  check_pairs<int, int>(Basic::two_integer);
}

TEST_CASE("nothing is written into the gap of a pair, nor read after the last one")
{
  for (const Basic basic : {Basic::double_int, Basic::long_int, Basic::long_double_int}) {
    const Datatype& type = predefined(basic);
    CAPTURE(info(basic).name);
    REQUIRE(type.true_extent() < type.extent());
    const auto extent = static_cast<std::size_t>(type.extent());
    const auto bytes = extent * (n - 1) + static_cast<std::size_t>(type.true_extent());
    // Their ends are the buffers' ends: AddressSanitizer sees what goes further.
    const auto filled = [&](unsigned char with) { return std::vector<unsigned char>(bytes, with); };
    auto in = filled(0), other = in, out = filled(0x5A), inout = out;
    const auto data = static_cast<std::size_t>(type.true_extent());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < data; ++j) inout[i * extent + j] = 0x33;
    for (const OpKind kind : {OpKind::minloc, OpKind::maxloc}) {
      apply3(predefined(kind), in.data(), other.data(), out.data(), n, type);
      apply(predefined(kind), in.data(), inout.data(), n, type);
      bool untouched = true;
      for (std::size_t i = 0; i + 1 < n; ++i)
        for (std::size_t j = data; j < extent; ++j)
          untouched = untouched && out[i * extent + j] == 0x5A && inout[i * extent + j] == 0x5A;
      CHECK(untouched);
    }
  }
}

TEST_CASE("replace and no_op")
{
  const auto pairs = create_vector(2, 1, 2, predefined(Basic::int_));
  const int in[] = {1, 2, 3};
  int inout[] = {7, 8, 9};
  apply(predefined(OpKind::no_op), in, inout, 1, *pairs);
  CHECK(inout[0] == 7);
  apply(predefined(OpKind::replace), in, inout, 1, *pairs);
  CHECK(inout[0] == 1);
  CHECK(inout[1] == 8);
  CHECK(inout[2] == 3);
}

TEST_CASE("which operators are defined where (§6.9.2)")
{
  struct Row {
    OpKind op;
    std::vector<Basic> yes;
    std::vector<Basic> no;
  };
  using B = Basic;
  const std::vector<Row> rows = {
      {OpKind::sum,
       {B::int_, B::integer, B::double_, B::c_double_complex, B::aint, B::real2, B::integer16},
       {B::c_bool, B::logical, B::byte, B::packed, B::double_int, B::wchar, B::character}},
      {OpKind::max, {B::int_, B::integer, B::double_, B::offset}, {B::c_double_complex, B::logical, B::byte}},
      {OpKind::land,
       {B::int_, B::logical, B::cxx_bool, B::integer, B::aint},
       {B::double_, B::byte, B::character}},
      {OpKind::bxor, {B::int_, B::integer, B::byte, B::count}, {B::double_, B::logical, B::c_float_complex}},
      {OpKind::minloc, {B::two_int, B::double_int, B::two_real}, {B::int_, B::double_}},
  };
  for (const Row& row : rows) {
    CAPTURE(predefined(row.op).name());
    for (const Basic basic : row.yes) {
      CAPTURE(info(basic).name);
      CHECK(valid_for(predefined(row.op), predefined(basic)));
    }
    for (const Basic basic : row.no) {
      CAPTURE(info(basic).name);
      CHECK_FALSE(valid_for(predefined(row.op), predefined(basic)));
      char a[32] = {};
      char b[32] = {};
      CHECK_THROWS_AS(apply(predefined(row.op), a, b, 1, predefined(basic)), Error);
    }
  }
  // For accumulates only (§12.3.4).
  for (const OpKind op : {OpKind::replace, OpKind::no_op})
    for (const Basic basic : {B::int_, B::wchar, B::double_int}) {
      CHECK_FALSE(valid_for(predefined(op), predefined(basic)));
      CHECK_THROWS_AS(check_valid_for(predefined(op), predefined(basic)), Error);
    }
  CHECK_FALSE(valid_for(predefined(OpKind::sum), *create_contiguous(2, predefined(B::int_))));
  CHECK(valid_for(predefined(OpKind::sum), *create_dup(predefined(B::int_))));
  CHECK(valid_for(predefined(OpKind::sum), *create_f90_real(15, 307)));
}

TEST_CASE("every type a predefined operator is defined for has a kernel")
{
  for (int op = 0; op < predefined_op_count; ++op)
    for (const BasicInfo& row : all_predefined()) {
      const Op& operation = predefined(static_cast<OpKind>(op));
      if (!valid_for(operation, predefined(row.basic))) continue;
      CAPTURE(operation.name());
      CAPTURE(row.name);
      alignas(16) char a[32] = {};
      alignas(16) char b[32] = {};
      alignas(16) char c[32] = {};
      CHECK_NOTHROW(apply(operation, a, b, 1, predefined(row.basic)));
      CHECK_NOTHROW(apply3(operation, a, b, c, 1, predefined(row.basic)));
    }
}

TEST_CASE("elements need not be aligned")
{
  // Several, so that vectorised loops run; UBSan reports what is taken for aligned, and 16 bytes fault.
  constexpr Count count = 9;
  for (int op = 0; op < predefined_op_count; ++op)
    for (const BasicInfo& row : all_predefined()) {
      const Op& operation = predefined(static_cast<OpKind>(op));
      const Datatype& type = predefined(row.basic);
      if (!valid_for(operation, type)) continue;
      CAPTURE(operation.name());
      CAPTURE(row.name);
      const auto bytes = static_cast<std::size_t>(count * type.extent());
      std::vector<std::max_align_t> a(count * 2), b(a), wanted(a), in(a), inout(a), out(a);
      for (std::size_t i = 0; i < bytes; i += 4) {
        reinterpret_cast<unsigned char*>(a.data())[i] = static_cast<unsigned char>(i % 5);
        reinterpret_cast<unsigned char*>(b.data())[i] = static_cast<unsigned char>(i % 7);
      }
      apply3(operation, a.data(), b.data(), wanted.data(), count, type);
      const auto odd = [](auto& room) { return reinterpret_cast<char*>(room.data()) + 1; };
      std::memcpy(odd(in), a.data(), bytes);
      std::memcpy(odd(inout), b.data(), bytes);
      apply3(operation, odd(in), odd(inout), odd(out), count, type);
      apply(operation, odd(in), odd(inout), count, type);
      // By the packed data: gaps of pairs, and of long double, are nobody's.
      const auto same = [&](const char* x) {
        const auto* const y = reinterpret_cast<const char*>(wanted.data());
        for (Count i = 0; i < count; ++i) {
          const auto place = static_cast<std::size_t>(i * type.extent());
          const auto first = static_cast<std::size_t>(std::min<Count>(row.size, 10));
          if (std::memcmp(x + place, y + place, row.value == Basic::none ? first : 2) != 0) return false;
        }
        return true;
      };
      CHECK(same(odd(out)));
      CHECK(same(odd(inout)));
    }
}

TEST_CASE("user-defined operators")
{
  struct Context {
    int calls = 0;
    int destroyed = 0;
  } context;
  {
    // Not commutative: a - b, so that the order of the operands shows.
    const auto op = Op::create(
        [](void* state, const void* in, void* inout, Count count, const Datatype& type) {
          ++static_cast<Context*>(state)->calls;
          CHECK(type.size() == 4);
          for (Count i = 0; i < count; ++i)
            static_cast<int*>(inout)[i] = static_cast<const int*>(in)[i] - static_cast<int*>(inout)[i];
        },
        &context, false, [](void* state) { ++static_cast<Context*>(state)->destroyed; });
    CHECK_FALSE(op->is_predefined());
    CHECK_FALSE(op->is_commutative());
    const int a[] = {10, 20};
    int b[] = {1, 2};
    apply(*op, a, b, 2, predefined(Basic::int_));
    CHECK(b[0] == 9);
    CHECK(b[1] == 18);
    const int c[] = {1, 1};
    int out[2];
    apply3(*op, a, c, out, 2, predefined(Basic::int_));
    CHECK(out[1] == 19);
    CHECK(c[1] == 1);
    const Ref<Op> other = op;
    CHECK(context.destroyed == 0);
  }
  CHECK(context.calls == 2);
  CHECK(context.destroyed == 1);
  CHECK(predefined(OpKind::sum).is_commutative());
}

TEST_CASE("accumulate between typed buffers")
{
  constexpr Count count = 3000;
  const auto strided = create_vector(count, 1, 2, predefined(Basic::double_));
  std::vector<double> source(count);
  std::vector<double> target(2 * count, 1.0);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<double>(i);
  accumulate(predefined(OpKind::sum), source.data(), count, predefined(Basic::double_), target.data(), 1,
             *strided);
  for (std::size_t i = 0; i < source.size(); ++i) {
    REQUIRE(target[2 * i] == static_cast<double>(i) + 1);
    REQUIRE(target[2 * i + 1] == 1.0);
  }
  // Pairs with a gap inside, spread out.
  struct ShortInt {
    short value;
    int index;
  };
  const auto spread = create_hvector(4, 1, 24, predefined(Basic::short_int));
  ShortInt in[4] = {{1, 1}, {5, 2}, {2, 3}, {9, 0}};
  std::vector<char> memory(96, '\x11');
  for (int i = 0; i < 4; ++i) {
    const ShortInt initial{3, 7};
    std::memcpy(memory.data() + 24 * i, &initial.value, 2);
    std::memcpy(memory.data() + 24 * i + 4, &initial.index, 4);
  }
  accumulate(predefined(OpKind::maxloc), in, 4, predefined(Basic::short_int), memory.data(), 1, *spread);
  const short values[] = {3, 5, 3, 9};
  const int indices[] = {7, 2, 7, 0};
  for (int i = 0; i < 4; ++i) {
    short value;
    int index;
    std::memcpy(&value, memory.data() + 24 * i, 2);
    std::memcpy(&index, memory.data() + 24 * i + 4, 4);
    CHECK(value == values[i]);
    CHECK(index == indices[i]);
    CHECK(memory[static_cast<std::size_t>(24 * i + 8)] == '\x11');
  }
  CHECK_THROWS_AS(accumulate(predefined(OpKind::sum), in, 1, predefined(Basic::float_), memory.data(), 1,
                             predefined(Basic::double_)),
                  Error);
  accumulate(predefined(OpKind::replace), source.data(), 2, predefined(Basic::double_), target.data(), 1,
             *strided);
  CHECK(target[2] == 1.0);
}
