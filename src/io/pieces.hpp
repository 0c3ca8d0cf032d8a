// What accesses move, piece by piece: a piece is one run in memory as well as in the file.
//
// Thread safety: one thread at a time.
#pragma once

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>

#include "base/byte_at.hpp"
#include "datatype/cursor.hpp"
#include "io/transfer.hpp"

namespace ranklet::io {

inline constexpr Count most_bytes = 1 << 30;  // of a piece; the kernel moves less than 2^31 in a call

// Walks the pieces of a portion.
class Pieces {
 public:
  explicit Pieces(const Portion& portion)
      : base_(base_of(portion)),
        buffer_(static_cast<char*>(portion.access->buffer)),
        size_(portion.to - portion.from),
        file_(portion.access->view->form(), tiles_of(portion), skip_of(portion)),
        memory_(*portion.access->type, portion.access->count, portion.from)
  {
  }

  // False at the end; else at, memory, bytes and position are the next piece's.
  bool next()
  {
    position += bytes;
    bytes = 0;
    if (position == size_ || !file_.fill() || !memory_.fill()) return false;
    bytes = std::min({size_ - position, file_.left_in_run(), memory_.left_in_run(), most_bytes});
    at = base_ + file_.place();
    memory = byte_at(buffer_, memory_.place());
    file_.use_bytes(bytes);
    memory_.use_bytes(bytes);
    return true;
  }

  Count at = 0;
  char* memory = nullptr;
  Count bytes = 0;
  Count position = 0;  // in the portion

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
  const Count size_;
  Cursor file_, memory_;
};

// A portion with data, while its pieces are moved.
struct MovedPortion {
  explicit MovedPortion(Portion& in_portion) : portion(in_portion), pieces(in_portion) {}

  // Goes to the next piece. False: there is none, or no memory for the way to it.
  bool advance() noexcept
  {
    try {
      return pieces.next();
    } catch (const std::bad_alloc&) {
      cut(pieces.position, ENOMEM);
      return false;
    }
  }
  // Nothing counts as moved from this position on, and why. The lowest one is what is told.
  void cut(Count position, int number) noexcept
  {
    if (position >= end) return;
    end = position;
    error = number;
  }
  // When nothing of it is moved any more.
  void tell() const noexcept
  {
    const Count size = portion.to - portion.from;
    portion.done = std::min(end, size);
    portion.cut = end < size;
  }

  Portion& portion;
  Pieces pieces;
  Count end = std::numeric_limits<Count>::max();
  int error = 0;
};

}  // namespace ranklet::io
