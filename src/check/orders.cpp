#include "check/orders.hpp"

namespace ranklet::check {

std::shared_ptr<CollectiveRound> CollectiveRound::start(std::uint64_t n)
{
  const Holder guard(lock_);
  auto& [round, come] = starts_[n];
  if (!round) round = std::make_shared<CollectiveRound>(members());
  std::shared_ptr<CollectiveRound> found = round;
  if (++come == members()) starts_.erase(n);
  return found;
}

std::shared_ptr<CollectiveRound> CollectiveOrders::join(int member)
{
  const Holder guard(lock_);
  if (given_up_) return nullptr;
  const std::uint64_t number = next_[static_cast<std::size_t>(member)]++;
  Kept& kept = rounds_[number];
  if (!kept.round) kept.round = std::make_shared<CollectiveRound>(static_cast<int>(next_.size()));
  std::shared_ptr<CollectiveRound> found = kept.round;
  if (++kept.come == static_cast<int>(next_.size())) rounds_.erase(number);
  return found;
}

void CollectiveOrders::pass(int member)
{
  const Holder guard(lock_);
  ++next_[static_cast<std::size_t>(member)];
}

void CollectiveOrders::give_up()
{
  const Holder guard(lock_);
  given_up_ = true;
  rounds_.clear();
}

const char* what_would_order(rma::Access epoch, bool same_origin, bool is_complete)
{
  if (epoch == rma::Access::fenced) return "MPI_Win_fence between them would order them";
  if (epoch == rma::Access::started)
    return is_complete ? "a message or a collective after MPI_Win_wait of the target would order them"
                       : "MPI_Win_complete of the origin and MPI_Win_wait of the target would order them";
  if (same_origin) return "MPI_Win_flush between them would order them";
  if (is_complete)
    return "a message or a collective after the completion of the first one would order them, or exclusive "
           "locks";
  return "completion by a flush or an unlock and then a message or a collective would order them, or "
         "exclusive locks";
}

const WindowOrders::Pair& WindowOrders::pair(int origin, int target)
{
  const Holder guard(lock_);
  std::unique_ptr<Pair[]>& row = rows_[static_cast<std::size_t>(origin)];
  if (!row) row = std::make_unique<Pair[]>(members_);
  return row[static_cast<std::size_t>(target)];
}

CollectiveOrders& orders_of(CommShared& comm)
{
  const Holder guard(comm.orders_lock);
  if (!comm.orders) comm.orders = std::make_shared<CollectiveOrders>(comm.members());
  return *comm.orders;
}

WindowOrders& orders_of(rma::WindowShared& window, int members)
{
  const Holder guard(window.orders_lock);
  if (!window.orders) window.orders = std::make_shared<WindowOrders>(members);
  return *window.orders;
}

}  // namespace ranklet::check
