// As src/pch/standard.hpp, for tests.
#include <doctest/doctest.h>

#include "../../src/pch/standard.hpp"
