// Whether what a member is given is new to it. Data that has been written since the last time comes to who
// reads it where it lies line by line, and goes back when it is written again: a copy that its giver makes
// for the reader moves in less time. Data that is the same again is in the reader's caches, and best read
// where it is.
//
// So of two members with cores of their own the one who gives looks at what the other has found the last
// times (Round::say_found(), MutualNewness), and lets it read where the data is now and then, to find out.
//
// Thread safety: a member's threads, one at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "p2p/found.hpp"
#include "p2p/pauses.hpp"
#include "terms/types.hpp"

namespace ranklet::coll {

using p2p::find_out;
using p2p::Found;

class Newness {
 public:
  // For each time that it gives something: whether that is expected to be new.
  bool is_expected() noexcept { return pauses_.leave_out(); }
  // Where it is not: whether the reader is to find out. Mostly nobody looks at the clock for it.
  bool is_asked() noexcept { return pauses_.is_any() ? pauses_.look() : given_++ % asked_once_in == 0; }
  void note(Found found) noexcept
  {
    if (found == Found::fresh) pauses_.lengthen();
    if (found == Found::same) pauses_.end();
  }

 private:
  static constexpr std::uint8_t asked_once_in = 8;

  p2p::Pauses pauses_;
  std::uint8_t given_ = 0;
};

// Of what both of two members give each other in one call. Each tells the other in its cell what it has found
// the last time. As both know both answers, both expect the same for the next call, unless one of them has
// had an error; that they see.
class MutualNewness {
 public:
  // Whether what both give in this call is expected to be new.
  bool is_expected() noexcept { return newness_.is_expected(); }
  // For the cell of this call.
  Found found() const noexcept { return found_; }
  // What the other member's cell says, and whether it expected the same.
  void note(Found theirs, bool is_agreed) noexcept
  {
    if (!is_agreed)
      newness_ = {};
    else
      newness_.note(std::max(found_, theirs));
    found_ = Found::nothing;
  }
  // What it has not expected to be new.
  void look_at(const void* data, Count bytes) noexcept
  {
    if (newness_.is_asked()) found_ = find_out(data, bytes);
  }

 private:
  Newness newness_;
  Found found_ = Found::nothing;
};

}  // namespace ranklet::coll
