#include "io/writers.hpp"

#include <algorithm>
#include <memory>

#include "base/invariant.hpp"
#include "io/batch.hpp"
#include "ranks/wait.hpp"

namespace ranklet::io {

namespace {

// More than these write each for itself, as looking for neighbours would take longer than it saves.
constexpr std::size_t most_at_once = 64;
// Bytes from which on several threads copy faster, though one after the other, than one that makes fewer
// calls: each has its own data in its cache.
constexpr Count largest_piece = 2048;
// So many who have met nobody, one after the other, say that there is one writer only.
constexpr int patience = 4;

}  // namespace

struct Writers::Writer : Part {
  explicit Writer(Portion& in_portion)
      : Part(in_portion),
        reach(in_portion.access->view->place_of(in_portion.access->begin + in_portion.to - 1))
  {
  }

  bool overlaps(const Writer& other) const noexcept
  {
    return pieces.at <= other.reach && other.pieces.at <= reach;
  }

  const Count reach;        // place of its last byte
  bool moves = false;       // else it waits
  bool met = false;         // others have been there
  std::uint64_t round = 0;  // of the last batch that took a piece of it
  memmodel::Flag<> turn;    // set when it is to move
  // Batches of other movers with pieces of it, and one more until all is taken.
  memmodel::Counter<> missing{1};
};

std::size_t Writers::present()
{
  const Holder guard(lock_);
  return writers_.size();
}

// The writer whose next piece is at that place, looked for from that number on, as writers mostly follow each
// other in a fixed order; writers_.size(): none.
std::size_t Writers::find(Count place, std::size_t first) const
{
  const std::size_t n = writers_.size();
  for (std::size_t i = 0, k = first; i < n; ++i, ++k) {
    if (k >= n) k = 0;
    if (writers_[k]->pieces.at == place) return k;
  }
  return n;
}

// Who has the first piece of a batch.
std::size_t Writers::start(const Writer& own, Begin begin) const
{
  const auto is_own = [&](const Writer* each) { return each == &own; };
  const auto waits = [](const Writer* each) { return !each->moves; };
  auto first = std::find_if(writers_.begin(), writers_.end(), is_own);
  if (writers_.size() > 1 && begin == Begin::lowest) {
    for (auto each = writers_.begin(); each != writers_.end(); ++each)
      if (waits(*each) && (*each)->pieces.at < (*first)->pieces.at) first = each;
  } else if (writers_.size() > 1) {
    const auto oldest = std::find_if(writers_.begin(), writers_.end(), waits);
    if (begin == Begin::oldest && oldest != writers_.end()) first = oldest;
    // At most once to each, as pieces of different writers may overlap.
    for (std::size_t steps = 0; steps < writers_.size(); ++steps) {
      const auto before = std::find_if(writers_.begin(), writers_.end(), [&](const Writer* each) {
        return each->pieces.at + each->pieces.bytes == (*first)->pieces.at;
      });
      if (before == writers_.end()) break;
      first = before;
    }
  }
  return static_cast<std::size_t>(first - writers_.begin());
}

// Makes it a mover, unless it is one, or one moves where it writes. Holds the lock.
bool Writers::call_if_free(Writer& writer)
{
  const auto moves_there = [&](const Writer* each) { return each->moves && each->overlaps(writer); };
  if (writer.moves || std::any_of(writers_.begin(), writers_.end(), moves_there)) return false;
  writer.moves = true;
  writer.turn.set();
  return true;
}

Writers::Joined Writers::join(Writer& own)
{
  const Holder guard(lock_);
  if (writers_.size() == most_at_once) return Joined::not_at_all;
  const bool first = writers_.empty();
  writers_.push_back(&own);
  for (Writer* each : writers_) each->met = !first;
  call_if_free(own);
  return first && alone_ < patience ? Joined::before_others : Joined::among_others;
}

// Nothing is left of it for a batch. Holds the lock.
void Writers::take(Writer& writer) noexcept
{
  std::erase(writers_, &writer);
  writer.missing.add(-1);
}

// By a mover. False: all of its own is taken, and it moves no more.
bool Writers::fill(Batch& batch, Writer& own, Begin begin, Others& others)
{
  bool called = false;
  {
    const Holder guard(lock_);
    if (std::find(writers_.begin(), writers_.end(), &own) != writers_.end()) {
      ++round_;
      for (std::size_t i = start(own, begin); i < writers_.size() && batch.add(*writers_[i]);) {
        Writer& writer = *writers_[i];
        invariant([&] { return writer.missing.value() > 0; },
                  "nothing is taken of a writer that goes (1, 2)");
        if (&writer != &own && writer.round != round_) {
          writer.missing.add(1);
          others.push_back(&writer);
        }
        writer.round = round_;
        if (writer.advance())
          ++i;
        else
          take(writer);
        i = find(batch.end(), i);
      }
      return true;
    }
    alone_ = own.met ? 0 : std::min(alone_ + 1, patience);
    for (Writer* each : writers_) called = call_if_free(*each) || called;
  }
  if (called) parking_.notify();
  return false;
}

void Writers::cut(Writer& writer, Count position, int number) noexcept
{
  const Holder guard(lock_);
  writer.cut(position, number);
  if (std::find(writers_.begin(), writers_.end(), &writer) != writers_.end()) take(writer);
}

void Writers::move(const Medium& medium, Batch& batch, const Others& others)
{
  const auto note = [&](Part& part, Count position, int number) {
    cut(static_cast<Writer&>(part), position, number);
  };
  const int error = batch.move(medium);
  if (error != 0 && others.empty())
    batch.cut_rest(error, note);
  else if (error != 0)
    batch.write_singly(medium, note);
  batch.clear();
  bool complete = false;
  // A writer may go with this.
  for (Writer* writer : others)
    if (writer->missing.add(-1) == 0) complete = true;
  if (complete) parking_.notify();
}

// Or for the end of all that others do for it.
void Writers::wait_for_turn(const Writer& own, const WaitPolicy& policy)
{
  const auto goes_on = [&] { return own.turn.is_set() || own.missing.value() == 0; };
  for (int i = 0; i < policy.spins; ++i) {
    if (goes_on()) return;
    memmodel::Native::pause();
  }
  while (!goes_on()) {
    if (policy.park)
      parking_.park(goes_on);
    else
      memmodel::Native::yield();
  }
}

int Writers::write(const Medium& medium, Portion& portion, const WaitPolicy& policy)
{
  // All that may fail comes before others may take pieces of this one.
  Writer own(portion);
  if (!own.advance() || own.pieces.bytes > largest_piece)
    return transfer(medium, Direction::write, {&portion, 1});
  const auto batch = std::unique_ptr<Batch>(new Batch(Direction::write));
  Others others;
  others.reserve(most_at_once);
  const Joined joined = join(own);
  if (joined == Joined::not_at_all) return transfer(medium, Direction::write, {&portion, 1});
  // Writers that are about to come may need this core.
  if (joined == Joined::before_others) memmodel::Native::yield();
  wait_for_turn(own, policy);
  for (int i = 0; own.turn.is_set() && fill(*batch, own, static_cast<Begin>(i % 3), others); ++i) {
    move(medium, *batch, others);
    others.clear();
  }
  own.turn.reset();
  wait_for_turn(own, policy);
  invariant([&] { return own.missing.value() == 0; }, "nobody has pieces of a writer that goes (2)");
  own.tell();
  return own.error;
}

}  // namespace ranklet::io
