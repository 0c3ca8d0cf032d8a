// Counting received data: the example of §5.1.11 and its corners.
#include <doctest/doctest.h>

#include "datatype/datatype.hpp"
#include "terms/error.hpp"

using namespace ranklet;

TEST_CASE("counts and elements of a partial message (Example 5.12)")
{
  const auto type = create_contiguous(2, predefined(Basic::float_));
  CHECK(get_count(8, *type) == 1);
  CHECK(get_elements(8, *type) == 2);
  CHECK(get_count(12, *type) == undefined);
  CHECK(get_elements(12, *type) == 3);
  CHECK(get_elements(13, *type) == undefined);
}

TEST_CASE("pairs are two elements")
{
  Datatype& pair = predefined(Basic::double_int);
  CHECK(get_elements(12, pair) == 2);
  CHECK(get_elements(8, pair) == 1);
  CHECK(get_elements(20, pair) == 3);
  CHECK(get_count(12, pair) == 1);
  CHECK(elements_to_bytes(3, pair) == 20);
}

TEST_CASE("types without data")
{
  const auto nothing = create_contiguous(0, predefined(Basic::int_));
  CHECK(get_count(0, *nothing) == 0);
  CHECK(get_elements(0, *nothing) == 0);
  CHECK(get_count(4, *nothing) == undefined);
  CHECK(get_elements(4, *nothing) == undefined);
  CHECK(elements_to_bytes(0, *nothing) == 0);
  CHECK_THROWS_AS(elements_to_bytes(1, *nothing), Error);
}
