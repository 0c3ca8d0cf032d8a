// The places that stand for what MPI's synchronisation orders.
#include <doctest/doctest.h>

#include "check/orders.hpp"

using namespace ranklet::check;

TEST_SUITE_BEGIN("orders");

TEST_CASE("members meet in the rounds of the same number")
{
  CollectiveOrders orders(2);
  const auto first = orders.join(0);
  const auto second = orders.join(0);
  CHECK(first != second);
  CHECK(orders.join(1) == first);
  CHECK(orders.join(1) == second);
  // Both are gone, and the next ones are others.
  CHECK(orders.join(1) == orders.join(0));
}

TEST_CASE("rounds that nobody wants to know of count, too")
{
  CollectiveOrders orders(2);
  orders.pass(0);
  orders.pass(1);
  const auto kept = orders.join(0);
  orders.pass(1);
  const auto next = orders.join(0);
  CHECK(orders.join(1) == next);
  CHECK(kept != next);
}

TEST_CASE("a round is another one after all have come")
{
  CollectiveOrders orders(1);
  const auto first = orders.join(0);
  CHECK(orders.join(0) != first);
}

TEST_CASE("after a failure nobody meets")
{
  CollectiveOrders orders(2);
  const auto kept = orders.join(0);
  orders.give_up();
  CHECK(orders.join(1) == nullptr);
  CHECK(orders.join(0) == nullptr);
  CHECK(kept->members() == 2);
}

TEST_CASE("the starts of a persistent collective are rounds of their own")
{
  CollectiveRound prepared(2);
  const auto first = prepared.start(0);
  const auto second = prepared.start(1);
  CHECK(first != second);
  CHECK(prepared.start(0) == first);
  CHECK(prepared.start(1) == second);
}

TEST_CASE("each origin and target of a window has places of its own")
{
  WindowOrders orders(3);
  CHECK(&orders.pair(0, 1) == &orders.pair(0, 1));
  CHECK(&orders.pair(0, 1) != &orders.pair(1, 0));
  CHECK(&orders.pair(2, 1).posted != &orders.pair(2, 1).completed);
  CHECK(&orders.target(0).exclusive != &orders.target(0).shared);
  CHECK(&orders.target(0).exclusive != &orders.target(2).exclusive);
}

TEST_SUITE_END();

TEST_CASE("what would order two accesses depends on their epochs")
{
  using ranklet::rma::Access;
  const auto text = [](Access epoch, bool same_origin, bool is_complete) {
    return std::string(what_would_order(epoch, same_origin, is_complete));
  };
  CHECK(text(Access::fenced, false, false) == "MPI_Win_fence between them would order them");
  CHECK(text(Access::started, false, false).find("MPI_Win_complete of the origin") == 0);
  CHECK(text(Access::started, false, true).find("a message or a collective after MPI_Win_wait") == 0);
  CHECK(text(Access::shared, true, false) == "MPI_Win_flush between them would order them");
  CHECK(text(Access::shared, false, false).find("completion by a flush or an unlock") == 0);
  CHECK(text(Access::exclusive, false, true).find("a message or a collective after the completion") == 0);
}
