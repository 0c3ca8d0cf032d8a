// The turns of threads that write pieces to one inode at once: the protocol of writers.hpp.
//
// A batch begins, in turns, at the mover's next piece, at the lowest one of all who wait, and at that of
// whoever waits longest; it goes back to the pieces just before it, and on to those behind, whosesoever they
// are. So those who came earlier and later meet, nobody is passed over, and nobody works for others only.
//
// Part: what a writer has to write, of whose pieces one is the next: place() and place_behind() of that,
// reach(), the place of the last byte of all; advance() to the next piece, false when there is none;
// cut(position, number) as a write has failed.
//
// Thread safety: any thread, each with a writer of its own. A mover waits for nobody but the kernel, so that
// all waits end without any call of another rank, in a cancelled job too. Invariants:
//  1. A piece is taken by one thread, once.
//  2. A writer goes when all of its pieces are taken and no other thread has any of them.
//  3. While a writer waits, another one moves: a waiting writer has overlapped a mover, and a mover
//     that stops calls those that overlap no other mover.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memmodel/memmodel.hpp"
#include "terms/types.hpp"

namespace ranklet::io {

template <class Part, class Sys = memmodel::Native>
class WriteTurns {
 public:
  // More than these write each for itself, as looking for neighbours would take longer than it saves.
  static constexpr std::size_t most_at_once = 64;

  class Writer : public Part {
   public:
    using Part::Part;

   private:
    friend class WriteTurns;
    bool overlaps(const Writer& other) const noexcept
    {
      return this->place() <= other.reach() && other.place() <= this->reach();
    }

    bool moves_ = false;        // else it waits
    bool met_ = false;          // others have been there
    std::uint64_t round_ = 0;   // of the last batch that took a piece of it
    memmodel::Flag<Sys> turn_;  // set when it is to move
    // Batches of other movers with pieces of it, and one more until all is taken.
    memmodel::Counter<Sys> missing_{1};
  };
  // The writers in a batch but its mover.
  using Others = std::vector<Writer*>;

  enum class Joined : std::uint8_t { not_at_all, before_others, among_others };
  // A writer with a next piece. Not at all: there are too many, and it is none of these.
  Joined join(Writer& own);

  // For one who has joined: returns when all of its pieces are written.
  // batch: add(writer) takes the writer's next piece unless that does not follow; end() is the place behind
  // all. others: has room for most_at_once. move(batch, others) writes the batch, and empties it.
  // wait(condition, parking) returns when the condition holds.
  template <class Batch, class Move, class Wait>
  void write(Writer& own, Batch& batch, Others& others, Move&& move, Wait&& wait)
  {
    // Invariant 2: sees what was done with its pieces (the counter's last step), or is the mover.
    const auto goes_on = [&] { return own.turn_.is_set() || own.missing_.value() == 0; };
    wait(goes_on, parking_);
    for (int i = 0; own.turn_.is_set() && fill(batch, own, static_cast<Begin>(i % 3), others); ++i) {
      move(batch, others);
      leave(others);
      others.clear();
    }
    own.turn_.reset();
    wait(goes_on, parking_);
    memmodel::invariant_on<Sys>([&] { return own.missing_.value() == 0; },
                                "nobody has pieces of a writer that goes (2)");
  }

  // By who moves pieces of it: that at this position could not be written, and nothing behind it shall be.
  void cut(Writer& writer, Count position, int number) noexcept;

  // How many there are of whom not all is taken: for tests.
  std::size_t present();

 private:
  // So many who have met nobody, one after the other, say that there is one writer only.
  static constexpr int patience = 4;
  enum class Begin : std::uint8_t { own, lowest, oldest };

  bool call_if_free(Writer& writer) RANKLET_REQUIRES(lock_);
  template <class Batch>
  bool fill(Batch& batch, Writer& own, Begin begin, Others& others);
  std::size_t start(const Writer& own, Begin begin) const RANKLET_REQUIRES(lock_);
  std::size_t find(Count place, std::size_t first) const RANKLET_REQUIRES(lock_);
  void take(Writer& writer) noexcept RANKLET_REQUIRES(lock_);
  void leave(const Others& others) noexcept;

  memmodel::SpinLock<Sys> lock_;  // also of the writers but for their words
  std::vector<Writer*> writers_
      RANKLET_GUARDED_BY(lock_);  // those of whom not all is taken, in the order of arrival
  std::uint64_t round_ RANKLET_GUARDED_BY(lock_) = 0;  // batches begun
  int alone_ RANKLET_GUARDED_BY(lock_) = 0;            // movers in a row who have met nobody
  alignas(64) memmodel::Parking<Sys> parking_;         // those who wait
};

template <class Part, class Sys>
std::size_t WriteTurns<Part, Sys>::present()
{
  const Holder guard(lock_);
  return writers_.size();
}

// The writer whose next piece is at that place, looked for from that number on, as writers mostly follow each
// other in a fixed order; writers_.size(): none.
template <class Part, class Sys>
std::size_t WriteTurns<Part, Sys>::find(Count place, std::size_t first) const
{
  const std::size_t n = writers_.size();
  for (std::size_t i = 0, k = first; i < n; ++i, ++k) {
    if (k >= n) k = 0;
    if (writers_[k]->place() == place) return k;
  }
  return n;
}

// The writer that has the first piece of a batch.
template <class Part, class Sys>
std::size_t WriteTurns<Part, Sys>::start(const Writer& own, Begin begin) const
{
  const auto is_own = [&](const Writer* each) { return each == &own; };
  const auto waits = [](const Writer* each) { return !each->moves_; };
  auto first = std::find_if(writers_.begin(), writers_.end(), is_own);
  if (writers_.size() > 1 && begin == Begin::lowest) {
    for (auto each = writers_.begin(); each != writers_.end(); ++each)
      if (waits(*each) && (*each)->place() < (*first)->place()) first = each;
  } else if (writers_.size() > 1) {
    const auto oldest = std::find_if(writers_.begin(), writers_.end(), waits);
    if (begin == Begin::oldest && oldest != writers_.end()) first = oldest;
    // At most once to each, as pieces of different writers may overlap.
    for (std::size_t steps = 0; steps < writers_.size(); ++steps) {
      const auto before = std::find_if(writers_.begin(), writers_.end(), [&](const Writer* each) {
        return each->place_behind() == (*first)->place();
      });
      if (before == writers_.end()) break;
      first = before;
    }
  }
  return static_cast<std::size_t>(first - writers_.begin());
}

// Makes it a mover, unless it is one, or one moves where it writes.
template <class Part, class Sys>
bool WriteTurns<Part, Sys>::call_if_free(Writer& writer)
{
  const auto moves_there = [&](const Writer* each) { return each->moves_ && each->overlaps(writer); };
  if (writer.moves_ || std::any_of(writers_.begin(), writers_.end(), moves_there)) return false;
  writer.moves_ = true;
  writer.turn_.set();
  return true;
}

template <class Part, class Sys>
typename WriteTurns<Part, Sys>::Joined WriteTurns<Part, Sys>::join(Writer& own)
{
  const Holder guard(lock_);
  if (writers_.size() == most_at_once) return Joined::not_at_all;
  const bool first = writers_.empty();
  writers_.push_back(&own);
  for (Writer* each : writers_) each->met_ = !first;
  call_if_free(own);
  return first && alone_ < patience ? Joined::before_others : Joined::among_others;
}

// Nothing is left of it for a batch.
template <class Part, class Sys>
void WriteTurns<Part, Sys>::take(Writer& writer) noexcept
{
  std::erase(writers_, &writer);
  writer.missing_.add(-1);
}

// By a mover. False: all of its own is taken, and it moves no more.
template <class Part, class Sys>
template <class Batch>
bool WriteTurns<Part, Sys>::fill(Batch& batch, Writer& own, Begin begin, Others& others)
{
  bool called = false;
  {
    const Holder guard(lock_);
    if (std::find(writers_.begin(), writers_.end(), &own) != writers_.end()) {
      ++round_;
      for (std::size_t i = start(own, begin); i < writers_.size() && batch.add(*writers_[i]);) {
        Writer& writer = *writers_[i];
        memmodel::invariant_on<Sys>([&] { return writer.missing_.value() > 0; },
                                    "nothing is taken of a writer that goes (1, 2)");
        if (&writer != &own && writer.round_ != round_) {
          writer.missing_.add(1);
          others.push_back(&writer);
        }
        writer.round_ = round_;
        if (writer.advance())
          ++i;
        else
          take(writer);
        i = find(batch.end(), i);
      }
      return true;
    }
    alone_ = own.met_ ? 0 : std::min(alone_ + 1, patience);
    for (Writer* each : writers_) called = call_if_free(*each) || called;
  }
  if (called) parking_.notify();
  return false;
}

template <class Part, class Sys>
void WriteTurns<Part, Sys>::cut(Writer& writer, Count position, int number) noexcept
{
  const Holder guard(lock_);
  writer.Part::cut(position, number);
  if (std::find(writers_.begin(), writers_.end(), &writer) != writers_.end()) take(writer);
}

// A batch is written. A writer may go with this.
template <class Part, class Sys>
void WriteTurns<Part, Sys>::leave(const Others& others) noexcept
{
  bool complete = false;
  for (Writer* writer : others)
    if (writer->missing_.add(-1) == 0) complete = true;
  if (complete) parking_.notify();
}

}  // namespace ranklet::io
