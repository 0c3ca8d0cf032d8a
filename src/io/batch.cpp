#include "io/batch.hpp"

#include <cstring>

namespace ranklet::io {

namespace {

constexpr Count small_piece = 512;  // bytes up to which copying costs less than a vector of its own
constexpr Count widest_gap = 2048;  // bytes that are read faster than a system call is made

}  // namespace

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

bool Batch::has_room(Count bytes, Count staged) const
{
  return count_ < most_pieces && staged_ + staged <= staging_size &&
         (count_ == 0 || end_ - begin_ + bytes <= most_bytes);
}

// Reads over the gap before `at`, if that is worth it.
bool Batch::bridge(Count at)
{
  const Count gap = at - end_;
  if (direction_ == Direction::write || gap < 0 || gap > widest_gap || !has_room(gap, gap)) return false;
  append({nullptr, nullptr, end_, gap, 0, staged_});
  return true;
}

bool Batch::add(MovedPortion& part)
{
  const Pieces& piece = part.pieces;
  const bool small = piece.bytes <= small_piece;
  if (count_ == 0)
    begin_ = end_ = piece.at;
  else if (piece.at != end_ && !bridge(piece.at))
    return false;
  if (!has_room(piece.bytes, small ? piece.bytes : 0)) return false;
  append({&part, piece.memory, piece.at, piece.bytes, piece.position, small ? staged_ : -1});
  return true;
}

void Batch::append(const FilePiece& piece)
{
  pieces_[count_++] = piece;
  char* place = piece.memory;
  if (piece.staged >= 0) {
    place = staging_ + staged_;
    staged_ += piece.bytes;
  }
  iovec* const last = vector_count_ > 0 ? &vectors_[vector_count_ - 1] : nullptr;
  if (last && static_cast<char*>(last->iov_base) + last->iov_len == place)
    last->iov_len += static_cast<std::size_t>(piece.bytes);
  else
    vectors_[vector_count_++] = {place, static_cast<std::size_t>(piece.bytes)};
  end_ += piece.bytes;
}

// The first `bytes` bytes of the batch, as far as they go through staging_.
void Batch::copy_staged(Count bytes)
{
  if (staged_ == 0) return;
  for (int i = 0; i < count_; ++i) {
    const FilePiece& piece = pieces_[i];
    const Count size = std::clamp<Count>(begin_ + bytes - piece.at, 0, piece.bytes);
    if (size == 0 || piece.staged < 0 || !piece.part) continue;
    char* const staged = staging_ + piece.staged;
    if (direction_ == Direction::write)
      std::memcpy(staged, piece.memory, static_cast<std::size_t>(size));
    else
      std::memcpy(piece.memory, staged, static_cast<std::size_t>(size));
  }
}

int Batch::move(const Medium& medium)
{
  int error = 0;
  const Count bytes = end_ - begin_;
  if (count_ == 1) {
    // Nothing to gather.
    vectors_[0].iov_base = pieces_[0].memory;
    pieces_[0].staged = -1;
  }
  if (direction_ == Direction::write) copy_staged(bytes);
  moved_ = move_all(medium, direction_, vectors_, vector_count_, bytes, begin_, &error);
  if (direction_ == Direction::read) copy_staged(moved_);
  return error;
}

void Batch::clear() noexcept
{
  count_ = vector_count_ = 0;
  staged_ = 0;
}

}  // namespace ranklet::io
