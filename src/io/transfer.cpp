#include "io/transfer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <limits>

#include "datatype/copy.hpp"
#include "datatype/cursor.hpp"

namespace ranklet::io {

namespace {

constexpr int most_vectors = 1024;     // IOV_MAX of Linux
constexpr int most_pieces = 2048;      // of a batch
constexpr Count staging_size = 65536;  // bytes of a batch's small pieces and gaps
constexpr Count small_piece = 256;     // bytes below which copying costs less than a vector of its own
constexpr Count widest_gap = 2048;     // bytes that are read faster than a system call is made
constexpr Count most_bytes = 1 << 30;  // of a batch; the kernel moves less than 2^31 in a call

// Moves the vectors' `bytes` bytes, however many calls that takes. Returns how many it were; less at the end
// of the file, or with *error set. Changes the vectors.
Count move_all(const Medium& medium, Direction direction, iovec* vectors, int count, Count bytes, Count at,
               int* error)
{
  const auto call = direction == Direction::read ? medium.calls->preadv : medium.calls->pwritev;
  Count done = 0;
  while (done < bytes) {
    const ssize_t moved = call(medium.descriptor, vectors, count, at + done);
    if (moved < 0) {
      if (errno == EINTR) continue;
      *error = errno;
      break;
    }
    if (moved == 0) {
      if (direction == Direction::write) *error = EIO;
      break;
    }
    done += moved;
    auto left = static_cast<std::size_t>(moved);
    while (count > 0 && left >= vectors->iov_len) {
      left -= vectors->iov_len;
      ++vectors;
      --count;
    }
    if (left > 0) {
      vectors->iov_base = static_cast<char*>(vectors->iov_base) + left;
      vectors->iov_len -= left;
    }
  }
  return done;
}

// Walks the pieces of a portion that are one run in memory as well as in the file.
class Pieces {
 public:
  explicit Pieces(const Portion& portion)
      : base_(base_of(portion)),
        buffer_(static_cast<char*>(portion.access->buffer)),
        left_(portion.to - portion.from),
        file_(portion.access->view->form(), tiles_of(portion), skip_of(portion)),
        memory_(*portion.access->type, portion.access->count, portion.from)
  {
  }

  // False at the end; else at, memory and bytes are the next piece's.
  bool next()
  {
    if (left_ == 0 || !file_.fill() || !memory_.fill()) return false;
    bytes = std::min({left_, file_.left_in_run(), memory_.left_in_run()});
    at = base_ + file_.place();
    memory = buffer_ + memory_.place();
    file_.use_bytes(bytes);
    memory_.use_bytes(bytes);
    left_ -= bytes;
    return true;
  }

  Count at = 0;
  char* memory = nullptr;
  Count bytes = 0;

 private:
  // The cursor's place is that of the first tile.
  static Count base_of(const Portion& portion)
  {
    const View& view = *portion.access->view;
    const Count tile = (portion.access->begin + portion.from) / view.form().size();
    return view.displacement() + tile * view.form().extent();
  }
  static Count skip_of(const Portion& portion)
  {
    return (portion.access->begin + portion.from) % portion.access->view->form().size();
  }
  static Count tiles_of(const Portion& portion)
  {
    const Count size = portion.access->view->form().size();
    return (skip_of(portion) + portion.to - portion.from - 1) / size + 1;
  }

  const Count base_;
  char* const buffer_;
  Count left_;
  Cursor file_, memory_;
};

// Pieces that follow each other in the file, until they are moved together.
class Batch {
 public:
  Batch(const Medium& medium, Direction direction, std::span<Portion> portions)
      : medium_(medium), direction_(direction), portions_(portions)
  {
  }

  // False: an error has come. Behind the end of the file nothing is moved; but pieces before it may follow,
  // as reads of several members may overlap.
  bool add(const Pieces& piece, int portion)
  {
    if (piece.at >= end_of_file_) {
      portions_[static_cast<std::size_t>(portion)].cut = true;
      return true;
    }
    if (count_ > 0 && piece.at != end_ && !bridge(piece.at) && !flush()) return false;
    const bool small = piece.bytes < small_piece;
    Count taken = 0;
    while (taken < piece.bytes) {
      const Count bytes = std::min(piece.bytes - taken, most_bytes);
      if (!has_room(bytes, small ? bytes : 0) && !flush()) return false;
      if (count_ == 0) begin_ = end_ = piece.at + taken;
      append(piece.memory + taken, bytes, portion, small);
      taken += bytes;
    }
    return true;
  }

  bool flush()
  {
    if (count_ == 0) return true;
    const Count bytes = end_ - begin_;
    const Count done = move_all(medium_, direction_, vectors_, vector_count_, bytes, begin_, &error_);
    settle(done);
    count_ = vector_count_ = 0;
    staged_ = 0;
    if (error_ == 0 && done < bytes) end_of_file_ = begin_ + done;
    return error_ == 0;
  }

  int error() const noexcept { return error_; }

 private:
  struct Piece {
    char* memory;
    Count bytes;
    int portion;          // -1: a gap
    std::int32_t staged;  // place in staging_; -1: not there
  };

  bool has_room(Count bytes, Count staged) const
  {
    return count_ < most_pieces && vector_count_ < most_vectors && staged_ + staged <= staging_size &&
           (count_ == 0 || end_ - begin_ + bytes <= most_bytes);
  }

  // Reads over the gap before `at`, if that is worth it.
  bool bridge(Count at)
  {
    const Count gap = at - end_;
    if (direction_ == Direction::write || gap < 0 || gap > widest_gap || !has_room(gap, gap)) return false;
    append(nullptr, gap, -1, true);
    return true;
  }

  void append(char* memory, Count bytes, int portion, bool staged)
  {
    Piece& piece = pieces_[count_++];
    piece = {memory, bytes, portion, staged ? static_cast<std::int32_t>(staged_) : -1};
    char* const place = staged ? staging_ + staged_ : memory;
    if (staged) {
      if (direction_ == Direction::write && memory)
        std::memcpy(place, memory, static_cast<std::size_t>(bytes));
      staged_ += bytes;
    }
    iovec* const last = vector_count_ > 0 ? &vectors_[vector_count_ - 1] : nullptr;
    if (last && static_cast<char*>(last->iov_base) + last->iov_len == place)
      last->iov_len += static_cast<std::size_t>(bytes);
    else
      vectors_[vector_count_++] = {place, static_cast<std::size_t>(bytes)};
    end_ += bytes;
  }

  // Tells the portions what of theirs was moved.
  void settle(Count done)
  {
    for (int i = 0; i < count_; ++i) {
      const Piece& piece = pieces_[i];
      const Count got = std::min(piece.bytes, done);
      done -= got;
      if (piece.portion < 0) continue;
      if (piece.staged >= 0 && direction_ == Direction::read && got > 0)
        std::memcpy(piece.memory, staging_ + piece.staged, static_cast<std::size_t>(got));
      Portion& portion = portions_[static_cast<std::size_t>(piece.portion)];
      if (portion.cut) continue;
      portion.done += got;
      portion.cut = got < piece.bytes;
    }
  }

  const Medium medium_;
  const Direction direction_;
  const std::span<Portion> portions_;
  int error_ = 0;
  int count_ = 0;
  int vector_count_ = 0;
  Count staged_ = 0;
  Count begin_ = 0, end_ = 0;                              // places
  Count end_of_file_ = std::numeric_limits<Count>::max();  // once a read has met it
  Piece pieces_[most_pieces];
  iovec vectors_[most_vectors];
  char staging_[staging_size];
};

// Where all of the portion is one run on both sides: no plan is needed.
bool move_run(const Medium& medium, Direction direction, Portion& portion, int* error)
{
  const Access& access = *portion.access;
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

// The portions by the places of their next pieces, the lowest first.
class Merge {
 public:
  explicit Merge(std::deque<Pieces>& pieces) : pieces_(pieces)
  {
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (pieces[i].next()) heap_.push_back(static_cast<int>(i));
    std::make_heap(heap_.begin(), heap_.end(), later_);
  }
  // -1: there are no more.
  int first() const { return heap_.empty() ? -1 : heap_.front(); }
  void advance()
  {
    Pieces& first = pieces_[static_cast<std::size_t>(heap_.front())];
    if (heap_.size() == 1) {
      if (!first.next()) heap_.clear();
      return;
    }
    std::pop_heap(heap_.begin(), heap_.end(), later_);
    if (first.next())
      std::push_heap(heap_.begin(), heap_.end(), later_);
    else
      heap_.pop_back();
  }

 private:
  struct Later {
    const std::deque<Pieces>& pieces;
    bool operator()(int a, int b) const
    {
      const Count first = pieces[static_cast<std::size_t>(a)].at;
      const Count second = pieces[static_cast<std::size_t>(b)].at;
      return first != second ? first > second : a > b;
    }
  };

  std::deque<Pieces>& pieces_;
  const Later later_{pieces_};
  std::vector<int> heap_;
};

}  // namespace

int transfer(const Medium& medium, Direction direction, std::span<Portion> portions)
{
  int error = 0;
  if (portions.size() == 1) {
    if (portions[0].from == portions[0].to || move_run(medium, direction, portions[0], &error)) return error;
  }
  const auto batch = std::unique_ptr<Batch>(new Batch(medium, direction, portions));
  std::deque<Pieces> pieces;
  std::vector<int> numbers;  // of the portions with data
  for (std::size_t i = 0; i < portions.size(); ++i) {
    if (portions[i].from == portions[i].to) continue;
    pieces.emplace_back(portions[i]);
    numbers.push_back(static_cast<int>(i));
  }
  Merge merge(pieces);
  bool goes_on = true;
  for (int i; goes_on && (i = merge.first()) >= 0; merge.advance())
    goes_on = batch->add(pieces[static_cast<std::size_t>(i)], numbers[static_cast<std::size_t>(i)]);
  if (goes_on) batch->flush();
  for (Portion& portion : portions) portion.cut = portion.done < portion.to - portion.from;
  return batch->error();
}

}  // namespace ranklet::io
