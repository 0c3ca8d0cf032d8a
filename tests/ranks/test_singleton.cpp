#include <doctest/doctest.h>

#include <cstdlib>

#include "ranks/singleton.hpp"

using namespace ranklet;

TEST_CASE("a program below a script that mpiexec runs several times is told so")
{
  ::unsetenv("RANKLET_UNDER");
  CHECK(singleton_warning().empty());
  ::setenv("RANKLET_UNDER", "1", 1);
  CHECK(singleton_warning().empty());
  ::setenv("RANKLET_UNDER", "4", 1);
  CHECK(singleton_warning().find("4 separate jobs of one rank") != std::string::npos);
  ::unsetenv("RANKLET_UNDER");
}
