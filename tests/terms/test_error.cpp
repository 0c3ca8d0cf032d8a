#include <doctest/doctest.h>

#include "terms/error.hpp"

using namespace ranklet;

TEST_CASE("fail throws one Error with the formatted message")
{
  try {
    fail(ErrorClass::tag, "tag %d is negative", -7);
  } catch (const Error& error) {
    CHECK(error.error_class() == ErrorClass::tag);
    CHECK(error.message() == "tag -7 is negative");
    return;
  }
  FAIL("fail() returned");
}

TEST_CASE("fail does not cut long messages")
{
  const std::string name(3000, 'x');
  try {
    fail(ErrorClass::arg, "%s", name.c_str());
  } catch (const Error& error) {
    CHECK(error.message() == name);
  }
}
