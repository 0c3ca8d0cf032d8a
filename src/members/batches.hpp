// Operations of a fixed set's members, each of which starts them when it likes, without waiting: where they
// find each other's slots, and what they have in common.
//
// Operations that follow each other in a series lie together in a batch. The members meet in a batch, under a
// lock, and leave it again; in between an operation takes what is the member's own. A member may leave its
// operations in any order.
//
// Thread safety: enter() and end() for one series of a member by one thread at a time; leave() by any of the
// member's threads; different members at once. Invariants:
//  1. A member that has entered an operation finds all members' slots of it, until it leaves the operation.
//  2. A member holds a batch while operations of its own in it are left to do, and while it is the last
//     batch of the series that the member has come to. When all have let go of it, nobody looks at its slots:
//     it serves anew.
//  3. The stages of a slot only grow, also from one use of the batch to the next: `none` is what they have
//     reached before an operation's member comes. What is common is as before its first use.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "memmodel/memmodel.hpp"

namespace ranklet::members {

// A Slot has a Sequence `stage`. stages: how many values a stage has, from 0 on. A Common has restart(),
// which is called while nobody else refers to it.
template <class Slot, class Common, std::uint64_t stages, class Sys = memmodel::Native>
class Batches {
  struct Batch;

 public:
  // A member's way through the operations of a series.
  class Series {
    friend class Batches;
    Batch* latest_ = nullptr;
    std::uint64_t index_ = 0;
  };

  class Operation {
   public:
    Slot& slot(int member) const noexcept { return batch_->slots[batch_->first(member) + place_]; }
    Common& common() const noexcept { return batch_->commons[place_]; }
    // The next operation's, which the member may not have entered; null where that is in another batch.
    Slot* following(int member) const noexcept
    {
      return place_ + 1 < batch_->length ? &slot(member) + 1 : nullptr;
    }
    // A stage of this operation as the slots count.
    std::uint64_t stage(std::uint64_t wanted) const noexcept { return batch_->none + wanted; }
    bool has_reached(int member, std::uint64_t wanted) const noexcept
    {
      return slot(member).stage.value() >= stage(wanted);
    }

   private:
    friend class Batches;
    Batch* batch_ = nullptr;
    std::uint64_t place_ = 0;
  };

  // length: operations of a batch, a power of two.
  Batches(int members, unsigned length) : members_(members), length_(length), shift_(std::countr_zero(length))
  {
  }
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  // Those that a job's end has left open are not let go of by everybody.
  ~Batches()
  {
    for (Batch* list : open_)
      while (list) delete std::exchange(list, list->next);
    while (spare_) delete std::exchange(spare_, spare_->next);
  }

  // The series' operation of that number, which grows from call to call. Throws std::bad_alloc, with nothing
  // changed.
  Operation enter(std::uint64_t id, Series& series, int member, std::uint64_t number)
  {
    const std::uint64_t index = number >> shift_;
    if (!series.latest_ || series.index_ != index) [[unlikely]]
      come_to(id, series, member, index);
    Operation entered;
    entered.batch_ = series.latest_;
    entered.place_ = number & (length_ - 1);
    entered.batch_->holds[member].count.add(1);
    memmodel::invariant_on<Sys>([&] { return entered.slot(member).stage.value() <= entered.batch_->none; },
                                "an operation's slot begins below its stages (3)");
    return entered;
  }
  void leave(const Operation& operation, int member) noexcept { let_go(*operation.batch_, member); }
  // The member comes to no more operations of the series.
  void end(Series& series, int member) noexcept
  {
    if (Batch* const latest = std::exchange(series.latest_, nullptr)) let_go(*latest, member);
  }

 private:
  static constexpr int spares = 8;

  // The member's: invariant 2.
  struct alignas(128) Holds {
    memmodel::Counter<Sys> count;
  };
  struct Batch {
    Batch(std::size_t members, unsigned in_length)
        : length(in_length),
          slots(std::make_unique<Slot[]>(members * in_length)),
          commons(std::make_unique<Common[]>(in_length)),
          holds(std::make_unique<Holds[]>(members))
    {
    }
    std::size_t first(int member) const noexcept { return static_cast<std::size_t>(member) * length; }

    const unsigned length;
    const std::unique_ptr<Slot[]> slots;  // a member's lie together
    const std::unique_ptr<Common[]> commons;
    const std::unique_ptr<Holds[]> holds;
    // As long as somebody holds the batch these stay; they are written under the lock.
    std::uint64_t none = 0;
    std::uint64_t id = 0, index = 0;
    Batch* next = nullptr;  // in a list
    alignas(64) memmodel::Counter<Sys> left;
  };

  void come_to(std::uint64_t id, Series& series, int member, std::uint64_t index)
  {
    memmodel::invariant_on<Sys>([&] { return !series.latest_ || series.index_ < index; },
                                "the operations of a series are entered in order");
    Batch& batch = meet(id, index);
    // Nobody else refers to it before the first operation is entered.
    batch.holds[member].count.restart(1);
    end(series, member);
    series.latest_ = &batch;
    series.index_ = index;
  }

  Batch*& bucket(std::uint64_t id, std::uint64_t index) noexcept RANKLET_REQUIRES(lock_)
  {
    return open_[(id + index) & (open_.size() - 1)];
  }

  Batch& meet(std::uint64_t id, std::uint64_t index)
  {
    const Holder guard(lock_);
    if (open_count_ == open_.size()) double_buckets();
    Batch** place = &bucket(id, index);
    while (*place && ((*place)->id != id || (*place)->index != index)) place = &(*place)->next;
    if (*place) return **place;
    Batch* batch = spare_;
    if (batch) {
      spare_ = batch->next;
      --spare_count_;
      batch->left.restart(0);
      for (unsigned i = 0; i < length_; ++i) batch->commons[i].restart();
    } else {
      batch = new Batch(static_cast<std::size_t>(members_), length_);
    }
    batch->id = id;
    batch->index = index;
    batch->next = nullptr;
    ++open_count_;
    return *(*place = batch);
  }

  void let_go(Batch& batch, int member) noexcept
  {
    // Both pair with each other's: the last one's thread has seen what all others did with the batch.
    if (batch.holds[member].count.add(-1) != 0 || batch.left.add(1) != members_) return;
    std::unique_ptr<Batch> freed;  // behind the lock
    const Holder guard(lock_);
    Batch** place = &bucket(batch.id, batch.index);
    while (*place != &batch) place = &(*place)->next;
    *place = batch.next;
    --open_count_;
    if (spare_count_ == spares) {
      freed.reset(&batch);
      return;
    }
    batch.none += stages;
    batch.next = spare_;
    spare_ = &batch;
    ++spare_count_;
  }

  void double_buckets() RANKLET_REQUIRES(lock_)
  {
    constexpr std::size_t first = 16;
    std::vector<Batch*> old(std::max(first, 2 * open_.size()));
    old.swap(open_);
    for (Batch* list : old)
      while (list) {
        Batch* const batch = std::exchange(list, list->next);
        Batch*& place = bucket(batch->id, batch->index);
        batch->next = std::exchange(place, batch);
      }
  }

  const int members_;
  const unsigned length_;
  const int shift_;
  memmodel::SpinLock<Sys> lock_;
  // How many buckets there are is a power of two, and at least as many as batches.
  std::vector<Batch*> open_ RANKLET_GUARDED_BY(lock_);
  std::size_t open_count_ RANKLET_GUARDED_BY(lock_) = 0;
  Batch* spare_ RANKLET_GUARDED_BY(lock_) = nullptr;
  int spare_count_ RANKLET_GUARDED_BY(lock_) = 0;
};

}  // namespace ranklet::members
