// external32 (§14.5.2): known bytes, and there and back again.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "datatype/copy.hpp"
#include "terms/error.hpp"

using namespace ranklet;

namespace {

template <typename T>
std::vector<unsigned char> external(const T& value, Basic basic)
{
  std::vector<unsigned char> bytes(static_cast<std::size_t>(external_size(1, predefined(basic))));
  CHECK(pack_external(&value, 1, predefined(basic), bytes.data(), static_cast<Count>(bytes.size())) ==
        static_cast<Count>(bytes.size()));
  return bytes;
}

template <typename T>
T internal(const std::vector<unsigned char>& bytes, Basic basic)
{
  T value{};
  unpack_external(&value, 1, predefined(basic), bytes.data(), static_cast<Count>(bytes.size()));
  return value;
}

using Bytes = std::vector<unsigned char>;

}  // namespace

TEST_CASE("numbers in external32")
{
  CHECK(external(0x01020304, Basic::int_) == Bytes{1, 2, 3, 4});
  CHECK(external(1.0, Basic::double_) == Bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0});
  CHECK(external(-2L, Basic::long_) == Bytes{0xff, 0xff, 0xff, 0xfe});
  CHECK(internal<long>({0xff, 0xff, 0xff, 0xfe}, Basic::long_) == -2);
  CHECK(internal<unsigned long>({0xff, 0xff, 0xff, 0xfe}, Basic::unsigned_long) == 0xfffffffeul);
  CHECK(external(0xfffffffeul, Basic::unsigned_long) == Bytes{0xff, 0xff, 0xff, 0xfe});
  CHECK(external(L'A', Basic::wchar) == Bytes{0, 'A'});
  CHECK(external(std::int64_t{1}, Basic::aint) == Bytes{0, 0, 0, 0, 0, 0, 0, 1});
  // 1.5 in binary128: exponent 0x3fff, fraction 0x8 followed by zeros.
  const Bytes extended = external(1.5L, Basic::long_double);
  CHECK(extended == Bytes{0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const float complex[2] = {1.0f, -1.0f};
  Bytes bytes(8);
  pack_external(complex, 1, predefined(Basic::c_float_complex), bytes.data(), 8);
  CHECK(bytes == Bytes{0x3f, 0x80, 0, 0, 0xbf, 0x80, 0, 0});
}

TEST_CASE("a long that external32 cannot hold is an error, not another number")
{
  const long big = 1L << 40;
  char bytes[8];
  try {
    pack_external(&big, 1, predefined(Basic::long_), bytes, 8);
    FAIL("packed");
  } catch (const Error& error) {
    CHECK(error.error_class() == ErrorClass::conversion);
  }
}

TEST_CASE("long doubles survive")
{
  for (const long double value :
       {0.0L, -0.0L, 3.14159265358979323846L, std::numeric_limits<long double>::max(),
        std::numeric_limits<long double>::denorm_min(), std::numeric_limits<long double>::infinity()}) {
    const auto back = internal<long double>(external(value, Basic::long_double), Basic::long_double);
    CHECK(back == value);
    CHECK(std::signbit(back) == std::signbit(value));
  }
}

TEST_CASE("derived types in external32")
{
  struct Record {
    char tag;
    double value[3];
    long count;
  };
  const Count lengths[] = {1, 3, 1};
  const Count places[] = {offsetof(Record, tag), offsetof(Record, value), offsetof(Record, count)};
  Datatype* const types[] = {&predefined(Basic::char_), &predefined(Basic::double_),
                             &predefined(Basic::long_)};
  const auto record = create_struct(lengths, places, types);
  REQUIRE(record->extent() == sizeof(Record));
  constexpr Count n = 500;
  std::vector<Record> records;
  for (Count i = 0; i < n; ++i) {
    const double d = static_cast<double>(i);
    records.push_back({static_cast<char>(i), {d, -d, d / 3}, -i});
  }
  const Count size = external_size(n, *record);
  CHECK(size == n * (1 + 24 + 4));
  Bytes bytes(static_cast<std::size_t>(size));
  CHECK(pack_external(records.data(), n, *record, bytes.data(), size) == size);
  std::vector<Record> back(static_cast<std::size_t>(n));
  CHECK(unpack_external(back.data(), n, *record, bytes.data(), size) == size);
  for (std::size_t i = 0; i < records.size(); ++i) {
    REQUIRE(back[i].tag == records[i].tag);
    REQUIRE(std::memcmp(back[i].value, records[i].value, sizeof back[i].value) == 0);
    REQUIRE(back[i].count == records[i].count);
  }
  CHECK_THROWS_AS(pack_external(records.data(), n, *record, bytes.data(), size - 1), Error);
  CHECK_THROWS_AS(unpack_external(back.data(), n, *record, bytes.data(), size - 1), Error);

  // What ends inside of an element: here in the third double.
  std::vector<Record> part(2, Record{'x', {7, 7, 7}, 7});
  CHECK(unpack_external_part(part.data(), 2, *record, bytes.data() + 29, 29 + 1 + 16 + 5) == 33 + 1 + 16);
  CHECK((part[0].count == -1 && part[1].tag == 2 && part[1].value[0] == 2 && part[1].value[1] == -2));
  CHECK((part[1].value[2] == 7 && part[1].count == 7));

  // Pairs go by their parts: 2 + 4 bytes.
  CHECK(external_size(3, predefined(Basic::short_int)) == 18);
  struct {
    short value;
    int index;
  } pair = {-2, 7};
  CHECK(external(pair, Basic::short_int) == Bytes{0xff, 0xfe, 0, 0, 0, 7});
}
