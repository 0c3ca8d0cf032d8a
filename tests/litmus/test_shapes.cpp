// The verdicts on the shapes of the literature (Alglave, Maranget, Sarkar, Sewell; Lahav et al., "Repairing
// sequential consistency in C/C++11"), with accesses and with fences of every strength.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "litmus/shapes.hpp"

using namespace ranklet::litmus;

namespace {

std::string forbidden(const Thread& between, Accesses accesses, ThinAir thin_air = ThinAir::dependencies)
{
  std::string names;
  for (const Shape& shape : shapes()) {
    const Instance made = instance(shape, between, accesses);
    if (verdict(made.program, made.weak, thin_air) == Verdict::forbidden)
      names += (names.empty() ? "" : " ") + std::string(shape.name);
  }
  return names;
}

constexpr const char* all = "mp lb sb s r 2+2w iriw coherence";
constexpr const char* by_happens_before = "mp lb s coherence";

}  // namespace

TEST_CASE("shapes with accesses of each strength")
{
  CHECK(forbidden({}, {Order::relaxed, Order::relaxed}) == "coherence");
  CHECK(forbidden({}, {Order::release, Order::relaxed}) == "coherence");
  CHECK(forbidden({}, {Order::relaxed, Order::acquire}) == "coherence");
  CHECK(forbidden({}, {Order::release, Order::acquire}) == by_happens_before);
  CHECK(forbidden({}, {Order::seq_cst, Order::seq_cst}) == all);
}

TEST_CASE("shapes with fences of each strength between relaxed accesses")
{
  CHECK(forbidden({fence(Order::acquire)}, {}) == "coherence");
  CHECK(forbidden({fence(Order::release)}, {}) == "coherence");
  CHECK(forbidden({fence(Order::acq_rel)}, {}) == by_happens_before);
  CHECK(forbidden({fence(Order::seq_cst)}, {}) == all);
}

TEST_CASE("a fence on one side and an access on the other pair, too")
{
  // The releasing thread's fence pairs with acquire loads, the acquiring thread's with release stores.
  CHECK(forbidden({fence(Order::release)}, {Order::relaxed, Order::acquire}) == by_happens_before);
  CHECK(forbidden({fence(Order::acquire)}, {Order::release, Order::relaxed}) == by_happens_before);
}

TEST_CASE("load buffering of relaxed accesses: C++ allows it, RC11 does not")
{
  CHECK(forbidden({}, {}, ThinAir::program_order) == "lb coherence");
}

TEST_CASE("plain accesses race")
{
  for (const Shape& shape : shapes()) {
    const Instance made = instance(shape, {}, {Order::plain, Order::plain});
    CAPTURE(shape.name);
    CHECK(verdict(made.program, made.weak) == Verdict::racy);
  }
}

TEST_CASE("a shape that nobody knows")
{
  CHECK(shape("iriw").threads == 4);
  CHECK_THROWS_AS(shape("mq"), std::invalid_argument);
}
