// A rank's stock of request objects of one kind: used ones are kept for the next operation, up to a number.
//
// Thread safety: the owner's threads.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "memmodel/memmodel.hpp"
#include "ranks/section.hpp"

namespace ranklet::p2p {

template <class T>
class Stock;

// What an object of a stock has for it.
template <class T>
class Stocked {
  friend class Stock<T>;
  T* next_free_ = nullptr;
  std::size_t place_ = 0;
};

// T has a member `Stocked<T> stocked_`.
template <class T>
class Stock {
 public:
  // So many unused ones are kept: what comes back beyond is freed.
  static constexpr std::size_t most_free = 1 << 13;

  explicit Stock(Rank& rank) noexcept : rank_(rank) {}

  T& take()
  {
    return take([](T&, const Section&) {});
  }
  // prepare(request, section) is called in the section; it does not wait. What it throws leaves nothing
  // taken. Inlined: else what it refers to goes through memory.
  template <class Prepare>
  [[gnu::always_inline]] T& take(Prepare&& prepare)
  {
    const Section guard(rank_, lock_);
    T* request = free_;
    if (request) [[likely]] {
      --free_count_;
      free_ = request->stocked_.next_free_;
    } else {
      request = &make();
    }
    try {
      prepare(*request, guard);
    } catch (...) {
      keep(*request);
      throw;
    }
    return *request;
  }

  void give(T& request) noexcept
  {
    std::unique_ptr<T> freed;  // behind the section
    const Section guard(rank_, lock_);
    freed = keep(request);
  }
  // For a caller who is alone in a section already.
  void give(T& request, const Section& alone) noexcept RANKLET_UNCHECKED
  {
    invariant([&] { return alone.is_alone(); }, "a stock changes under its lock, or by one thread");
    keep(request);
  }

  // How many there are, in use or not.
  std::size_t size()
  {
    const Section guard(rank_, lock_);
    return all_.size();
  }

 private:
  [[gnu::cold, gnu::noinline]] T& make() RANKLET_REQUIRES(lock_)
  {
    all_.push_back(std::make_unique<T>(rank_));
    all_.back()->stocked_.place_ = all_.size() - 1;
    return *all_.back();
  }
  // The request, if there are enough.
  std::unique_ptr<T> keep(T& request) noexcept RANKLET_REQUIRES(lock_)
  {
    if (free_count_ == most_free) [[unlikely]]
      return drop(request);
    ++free_count_;
    request.stocked_.next_free_ = free_;
    free_ = &request;
    return nullptr;
  }
  [[gnu::cold, gnu::noinline]] std::unique_ptr<T> drop(T& request) noexcept RANKLET_REQUIRES(lock_)
  {
    const std::size_t place = request.stocked_.place_;
    std::unique_ptr<T> dropped = std::exchange(all_[place], std::move(all_.back()));
    all_.pop_back();
    if (place < all_.size()) all_[place]->stocked_.place_ = place;
    return dropped;
  }

  Rank& rank_;
  memmodel::SpinLock<> lock_;
  T* free_ RANKLET_GUARDED_BY(lock_) = nullptr;
  std::size_t free_count_ RANKLET_GUARDED_BY(lock_) = 0;
  std::vector<std::unique_ptr<T>> all_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::p2p
