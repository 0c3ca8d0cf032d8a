#include "ranks/context_ids.hpp"

#include <doctest/doctest.h>

#include "ranks/request.hpp"

using ranklet::ContextIds;

TEST_CASE("context ids begin anew when all had their turn, and pass over those in use")
{
  constexpr std::uint32_t last = ranklet::Request::no_context - 1;
  ContextIds ids(last - 1);
  CHECK(ids.take() == last - 1);
  CHECK(ids.take() == last);
  // Not the number that means none.
  CHECK(ids.take() == 0);
  ids.give_back(last);
  CHECK(ids.take() == 1);

  ContextIds again(last);
  CHECK(again.take() == last);
  CHECK(again.take() == 0);
  ContextIds at_its_end(0);
  CHECK(at_its_end.take() == 0);
  at_its_end.give_back(0);
  CHECK(at_its_end.take() == 1);
}
