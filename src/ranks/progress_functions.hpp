// How operations are claimed, worked on and given back, and how who sleeps elsewhere is known. For
// progress.cpp and the walk in tests/ranks.
#pragma once

#include <algorithm>

#include "ranks/progress.hpp"

namespace ranklet {

template <class Sys>
void ProgressList<Sys>::add(OwnerOperation& operation) noexcept
{
  const Holder guard(lock_);
  memmodel::invariant_on<Sys>([&] { return !operation.listed_; }, "an operation is on the list once (1)");
  operation.listed_ = true;
  operation.claimed_ = false;
  operation.previous_ = last_;
  operation.next_ = nullptr;
  (last_ ? last_->next_ : first_) = &operation;
  last_ = &operation;
  count_.add(1);
}

template <class Sys>
void ProgressList<Sys>::remove(OwnerOperation& operation) noexcept
{
  const Holder guard(lock_);
  if (!operation.listed_) return;
  operation.listed_ = false;
  if (cursor_ == &operation) cursor_ = operation.next_;
  (operation.previous_ ? operation.previous_->next_ : first_) = operation.next_;
  (operation.next_ ? operation.next_->previous_ : last_) = operation.previous_;
  count_.add(-1);
}

// The right to work on an operation, which the caller has taken.
template <class Sys>
class ProgressList<Sys>::Claim {
 public:
  Claim(ProgressList& list, OwnerOperation& operation) noexcept : list_(list), operation_(&operation) {}
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  // Where the user's function throws. What there was to do may still be there, and another thread, which has
  // found it claimed, asleep.
  ~Claim()
  {
    if (!operation_) return;
    give_back();
    list_.wake();
  }

  bool work()
  {
    if (operation_->work()) return true;
    operation_ = nullptr;
    return false;
  }
  // Gives it back unless there is more to do. Another thread that has found it claimed meanwhile may be
  // asleep, and what comes after this look wakes it.
  bool keep() noexcept
  {
    const Holder guard(list_.lock_);
    if (operation_->can_advance()) return true;
    operation_->claimed_ = false;
    operation_ = nullptr;
    return false;
  }

 private:
  void give_back() noexcept
  {
    const Holder guard(list_.lock_);
    memmodel::invariant_on<Sys>([&] { return operation_->claimed_; },
                                "only a claimed operation is given back (1)");
    operation_->claimed_ = false;
  }

  ProgressList& list_;
  OwnerOperation* operation_;
};

template <class Sys>
bool ProgressList<Sys>::claim(OwnerOperation& operation) noexcept
{
  const Holder guard(lock_);
  if (!operation.listed_ || operation.claimed_) return false;
  return operation.claimed_ = true;
}

template <class Sys>
void ProgressList<Sys>::work_on(OwnerOperation& operation)
{
  Claim claim(*this, operation);
  while (claim.work() && claim.keep()) {
  }
}

template <class Sys>
void ProgressList<Sys>::advance(OwnerOperation& operation)
{
  if (claim(operation)) work_on(operation);
}

// The next operation that can be advanced, claimed; null if there is none among the next `looks`.
template <class Sys>
OwnerOperation* ProgressList<Sys>::claim_next(int& looks) noexcept
{
  const Holder guard(lock_);
  for (; looks > 0 && first_; --looks) {
    OwnerOperation* const operation = cursor_ ? cursor_ : first_;
    cursor_ = operation->next_;
    if (operation->claimed_ || !operation->can_advance()) continue;
    operation->claimed_ = true;
    return operation;
  }
  return nullptr;
}

template <class Sys>
void ProgressList<Sys>::serve(int looks)
{
  const std::int64_t all = count_.value();
  int left = static_cast<int>(std::min<std::int64_t>(all, looks));
  while (OwnerOperation* const operation = claim_next(left)) work_on(*operation);
}

template <class Sys>
bool ProgressList<Sys>::is_ready() const noexcept
{
  if (is_empty()) return false;
  const Holder guard(lock_);
  for (const OwnerOperation* operation = first_; operation; operation = operation->next_)
    if (!operation->claimed_ && operation->can_advance()) return true;
  return false;
}

template <class Sys>
bool ProgressList<Sys>::is_ready(const OwnerOperation& operation) const noexcept
{
  const Holder guard(lock_);
  return operation.listed_ && !operation.claimed_ && operation.can_advance();
}

template <class Sys>
ProgressList<Sys>::Sleep::Sleep(ProgressList& list, memmodel::Parking<Sys>& spot) noexcept
    : list_(&spot == &list.own_ ? nullptr : &list), spot_(spot)
{
  if (!list_) return;
  const Holder guard(list_->lock_);
  next_ = list_->sleeps_;
  list_->sleeps_ = this;
  // Before the fence in Parking::park(), and so before the sleeper's look at the list: invariant 3.
  list_->elsewhere_.add(1);
}

template <class Sys>
ProgressList<Sys>::Sleep::~Sleep()
{
  if (!list_) return;
  const Holder guard(list_->lock_);
  Sleep** place = &list_->sleeps_;
  while (*place != this) place = &(*place)->next_;
  *place = next_;
  list_->elsewhere_.add(-1);
}

template <class Sys>
void ProgressList<Sys>::notify_elsewhere() noexcept
{
  const Holder guard(lock_);
  for (const Sleep* sleep = sleeps_; sleep; sleep = sleep->next_) sleep->spot_.notify();
}

}  // namespace ranklet
