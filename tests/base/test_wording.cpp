#include <doctest/doctest.h>

#include <cstddef>

#include "base/wording.hpp"

using namespace ranklet;

TEST_CASE("numbers have their nouns")
{
  CHECK(counted(1, "rank") == "1 rank");
  CHECK(counted(0, "rank") == "0 ranks");
  CHECK(counted(std::size_t{12}, "rank") == "12 ranks");
  CHECK(counted(1, "fails", "fail") == "1 fails");
  CHECK(counted(-1, "fails", "fail") == "-1 fail");
}

TEST_CASE("each line has the margin, and the last one its end")
{
  CHECK(indented("", "  ").empty());
  CHECK(indented("a", "  ") == "  a\n");
  CHECK(indented("a\n\nb\n", "| ") == "| a\n| \n| b\n");
}
