// Pieces that follow each other in the file, and are moved together.
//
// Thread safety: one thread at a time. move() and move_singly() touch the pieces' memory, but no part: others
// may add its next pieces to batches of theirs meanwhile.
#pragma once

#include "io/pieces.hpp"

namespace ranklet::io {

// Moves the vectors' `bytes` bytes, however many calls that takes. Returns how many it were; less at the end
// of the file, or with *error set. Changes the vectors.
Count move_all(const Medium& medium, Direction direction, iovec* vectors, int count, Count bytes, Count at,
               int* error);

class Batch {
 public:
  explicit Batch(Direction direction) : direction_(direction) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  bool is_empty() const noexcept { return count_ == 0; }
  // Where the next piece must lie.
  Count end() const noexcept { return end_; }
  // Takes the part's piece. False: it does not follow, or there is no room; never so in an empty batch.
  bool add(MovedPortion& part);
  // Returns the errno of the first failure; 0: none. The end of the file is no failure.
  int move(const Medium& medium);
  // By move(): less than all, and up to which place.
  bool is_short() const noexcept { return begin_ + moved_ < end_; }
  Count moved_to() const noexcept { return begin_ + moved_; }
  // Calls cut(part, position, number) for each piece that was not moved.
  template <class Cut>
  void cut_rest(int number, Cut&& cut) const
  {
    each_left([&](const FilePiece& piece, Count got) { cut(*piece.part, piece.position + got, number); });
  }
  // The same where move() has failed, but first tries each of them by itself: what fails is one part's
  // matter.
  template <class Cut>
  void write_singly(const Medium& medium, Cut&& cut) const
  {
    each_left([&](const FilePiece& piece, Count got) {
      int number = 0;
      iovec vector{piece.memory + got, static_cast<std::size_t>(piece.bytes - got)};
      got += move_all(medium, direction_, &vector, 1, piece.bytes - got, piece.at + got, &number);
      if (got < piece.bytes) cut(*piece.part, piece.position + got, number);
    });
  }
  void clear() noexcept;

 private:
  static constexpr int most_pieces = 1024;      // IOV_MAX of Linux: each may need a vector
  static constexpr Count staging_size = 65536;  // bytes of small pieces and gaps

  struct FilePiece {
    MovedPortion* part;  // null: a gap
    char* memory;
    Count at;
    Count bytes;
    Count position;  // in the part
    Count staged;    // place in staging_; -1: not there
  };

  bool has_room(Count bytes, Count staged) const;
  bool bridge(Count at);
  void append(const FilePiece& piece);
  void copy_staged(Count bytes);

  template <class Use>
  void each_left(Use&& use) const
  {
    for (int i = 0; i < count_; ++i) {
      const FilePiece& piece = pieces_[i];
      const Count got = std::clamp<Count>(begin_ + moved_ - piece.at, 0, piece.bytes);
      if (piece.part && got < piece.bytes) use(piece, got);
    }
  }

  const Direction direction_;
  int count_ = 0;
  int vector_count_ = 0;
  Count staged_ = 0;
  Count begin_ = 0, end_ = 0;  // places
  Count moved_ = 0;            // bytes, by move()
  FilePiece pieces_[most_pieces];
  iovec vectors_[most_pieces];
  char staging_[staging_size];
};

}  // namespace ranklet::io
