// A rank's stock of request objects of one kind: used ones are kept for the next operation.
//
// Thread safety: the owner's threads.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "memmodel/memmodel.hpp"
#include "ranks/section.hpp"

namespace ranklet::p2p {

template <class T>
class Stock {
 public:
  explicit Stock(Rank& rank) noexcept : rank_(rank) {}

  T& take()
  {
    const Section guard(rank_, lock_);
    if (free_) return *std::exchange(free_, free_->next_free_);
    all_.push_back(std::make_unique<T>(rank_));
    return *all_.back();
  }

  void give(T& request) noexcept
  {
    const Section guard(rank_, lock_);
    request.next_free_ = free_;
    free_ = &request;
  }

 private:
  Rank& rank_;
  memmodel::SpinLock<> lock_;
  T* free_ RANKLET_GUARDED_BY(lock_) = nullptr;
  std::vector<std::unique_ptr<T>> all_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::p2p
