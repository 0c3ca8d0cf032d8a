#include "base/source_line.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <thread>
#include <vector>

using namespace ranklet;

namespace shapes {

struct Somewhere {
  int line = 0;
  const void* address = nullptr;
};

[[gnu::noinline]] const void* calling_code()
{
  return static_cast<const char*>(__builtin_return_address(0)) - 1;
}

// A place in this file, with the line it is on.
[[gnu::noinline]] Somewhere area(int)
{
  const void* const here = calling_code();
  return {__LINE__ - 1, here};
}

}  // namespace shapes

TEST_CASE("code of this program has a function, a file and a line")
{
  const auto place = shapes::area(1);
  const auto location = source_location(place.address);
  REQUIRE(location);
  CHECK(location->function.find("shapes::area(int)") == 0);
  CHECK(location->file.find("test_source_line.cpp") != std::string::npos);
  CHECK(location->line == place.line);
  const auto line = source_line(place.address);
  REQUIRE(line);
  CHECK(*line == "test_source_line.cpp:" + std::to_string(location->line));
  CHECK(describe_code(place.address) == "shapes::area(int) at " + *line);
}

TEST_CASE("code of libraries has at least a module")
{
  const auto location = source_location(reinterpret_cast<const void*>(&::getenv));
  REQUIRE(location);
  CHECK(location->module.find("lib") != std::string::npos);
}

TEST_CASE("what is no code has no location")
{
  CHECK_FALSE(source_location(nullptr));
  CHECK_FALSE(source_line(reinterpret_cast<const void*>(16)));
  CHECK(describe_code(reinterpret_cast<const void*>(16)) == "0x10");
}

TEST_CASE("many threads may ask at once")
{
  const auto place = shapes::area(1);
  const auto expected = source_line(place.address);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uintptr_t i = 0; i < 200; ++i) {
        source_location(static_cast<const char*>(place.address) + i % 7);
        if (source_line(place.address) != expected) ++wrong[static_cast<std::size_t>(t)];
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (int count : wrong) CHECK(count == 0);
}
