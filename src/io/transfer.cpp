#include "io/transfer.hpp"

#include <deque>
#include <memory>
#include <vector>

#include "datatype/copy.hpp"
#include "io/batch.hpp"

namespace ranklet::io {

namespace {

// The parts by the places of their next pieces, the lowest first.
class Merge {
 public:
  void add(MovedPortion& part)
  {
    if (!part.advance()) return;
    heap_.push_back(&part);
    std::push_heap(heap_.begin(), heap_.end(), is_later);
  }
  // Null: there are no more.
  MovedPortion* first() const { return heap_.empty() ? nullptr : heap_.front(); }
  // Goes to the piece behind that of the first part.
  void advance()
  {
    MovedPortion* const first = heap_.front();
    if (heap_.size() == 1) {
      if (!first->advance()) heap_.clear();
      return;
    }
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    if (first->advance())
      std::push_heap(heap_.begin(), heap_.end(), is_later);
    else
      heap_.pop_back();
  }
  // Nothing more of them is to be moved.
  void cut_all(int number) const
  {
    for (MovedPortion* part : heap_) part->cut(part->pieces.position, number);
  }

 private:
  static bool is_later(const MovedPortion* a, const MovedPortion* b) noexcept
  {
    return a->pieces.at > b->pieces.at;
  }

  std::vector<MovedPortion*> heap_;
};

}  // namespace

bool move_run(const Medium& medium, Direction direction, Portion& portion, int* error)
{
  const DataAccess& access = *portion.access;
  Count offset;
  if (!access.view->is_contiguous()) return false;
  if (access.type->is_contiguous())
    offset = 0;
  else if (!is_one_run(access.count, *access.type, &offset))
    return false;
  const Count bytes = portion.to - portion.from;
  iovec vector{static_cast<char*>(access.buffer) + offset + portion.from, static_cast<std::size_t>(bytes)};
  const Count place =
      access.view->displacement() + access.view->form().true_lb() + access.begin + portion.from;
  portion.done = move_all(medium, direction, &vector, 1, bytes, place, error);
  portion.cut = portion.done < bytes;
  return true;
}

int transfer(const Medium& medium, Direction direction, std::span<Portion> portions)
{
  int error = 0;
  if (portions.size() == 1) {
    if (portions[0].from == portions[0].to || move_run(medium, direction, portions[0], &error)) return error;
  }
  const auto batch = std::unique_ptr<Batch>(new Batch(direction));
  std::deque<MovedPortion> parts;
  Merge merge;
  for (Portion& portion : portions)
    if (portion.from < portion.to) merge.add(parts.emplace_back(portion));
  const auto cut = [](MovedPortion& part, Count position, int number) { part.cut(position, number); };
  Count end_of_file = std::numeric_limits<Count>::max();  // once a read has met it
  while (error == 0) {
    MovedPortion* const part = merge.first();
    if (part && part->pieces.at >= end_of_file) {
      // Pieces before it may follow, as reads of several members may overlap.
      part->cut(part->pieces.position, 0);
      merge.advance();
    } else if (part && batch->add(*part)) {
      merge.advance();
    } else if (!batch->is_empty()) {
      error = batch->move(medium);
      if (batch->is_short()) {
        batch->cut_rest(error, cut);
        if (error == 0) end_of_file = batch->moved_to();
      }
      batch->clear();
    } else {
      break;
    }
  }
  merge.cut_all(error);
  for (const MovedPortion& part : parts) {
    part.tell();
    if (error == 0) error = part.error;
  }
  return error;
}

}  // namespace ranklet::io
