// A rank's stock of request objects of one kind: used ones are kept for the next operation.
//
// Thread safety: the owner's threads; with MPI_THREAD_MULTIPLE they take a lock of their own, else none.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "memmodel/memmodel.hpp"
#include "ranks/rank.hpp"

namespace ranklet::p2p {

template <class T>
class Stock {
 public:
  explicit Stock(Rank& rank) noexcept : rank_(rank) {}

  T& take()
  {
    const auto guard = lock();
    if (free_) return *std::exchange(free_, free_->next_free_);
    all_.push_back(std::make_unique<T>(rank_));
    return *all_.back();
  }

  void give(T& request) noexcept
  {
    const auto guard = lock();
    request.next_free_ = free_;
    free_ = &request;
  }

 private:
  std::unique_lock<memmodel::SpinLock<>> lock() noexcept
  {
    return rank_.concurrent() ? std::unique_lock(lock_) : std::unique_lock<memmodel::SpinLock<>>();
  }

  Rank& rank_;
  memmodel::SpinLock<> lock_;
  T* free_ = nullptr;
  std::vector<std::unique_ptr<T>> all_;
};

}  // namespace ranklet::p2p
