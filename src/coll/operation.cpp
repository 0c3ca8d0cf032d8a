#include "coll/operation.hpp"

#include <algorithm>
#include <utility>

namespace ranklet::coll {

Operations::~Operations()
{
  // Those that a job's end has left open are not left by everybody.
  for (Operation* list : open_)
    while (list) delete std::exchange(list, list->next_);
  while (spare_) delete std::exchange(spare_, spare_->next_);
}

void Operations::double_buckets()
{
  constexpr std::size_t first = 64;
  std::vector<Operation*> old(std::max(first, 2 * open_.size()));
  old.swap(open_);
  for (Operation* list : old)
    while (list) {
      Operation* const operation = std::exchange(list, list->next_);
      Operation*& place = bucket(operation->number_);
      operation->next_ = std::exchange(place, operation);
    }
}

Operation& Operations::meet(std::uint64_t number, std::uint64_t start)
{
  const Holder guard(lock_);
  if (open_count_ == open_.size()) double_buckets();
  Operation** place = &bucket(number);
  while (*place && ((*place)->number_ != number || (*place)->start_ != start)) place = &(*place)->next_;
  Operation* operation = *place;
  if (!operation) {
    if (spare_) {
      operation = std::exchange(spare_, spare_->next_);
      --spare_count_;
    } else {
      operation = new Operation(members_);
    }
    operation->number_ = number;
    operation->start_ = start;
    operation->left_ = 0;
    operation->next_ = nullptr;
    *place = operation;
    ++open_count_;
  }
  return *operation;
}

void Operations::leave(Operation& operation) noexcept
{
  const Holder guard(lock_);
  if (++operation.left_ != members_) return;
  Operation** place = &bucket(operation.number_);
  while (*place != &operation) place = &(*place)->next_;
  *place = operation.next_;
  --open_count_;
  if (spare_count_ == spares) {
    delete &operation;
    return;
  }
  // relaxed would do: the next members find it under the lock.
  for (int i = 0; i < members_; ++i) operation.slot(i).stage.publish(static_cast<std::uint64_t>(Stage::none));
  operation.next_ = spare_;
  spare_ = &operation;
  ++spare_count_;
}

}  // namespace ranklet::coll
