// Input that several readers get, each its own copy at its own pace. Kept is what one of them has not read
// yet. Not thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ranklet::loader {

class InputCopies {
 public:
  explicit InputCopies(std::size_t readers) : places_(readers, 0) {}

  void append(std::string_view bytes);
  // Some of what the reader has not read; empty: it has read everything. Valid until the next call.
  std::string_view next(std::size_t reader) const;
  // It has read so many of them.
  void advance(std::size_t reader, std::size_t bytes);
  // It reads no more.
  void leave(std::size_t reader);
  bool has_left(std::size_t reader) const noexcept { return places_[reader] == gone; }

  // The bytes that the reader has read, in all.
  std::size_t place(std::size_t reader) const noexcept { return places_[reader]; }
  // The bytes that are kept.
  std::size_t size() const noexcept { return end_ - begin_; }
  // Whether all who read have something to read.
  bool nobody_waits() const noexcept;

 private:
  void forget();

  static constexpr std::size_t gone = ~std::size_t{0};
  static constexpr std::size_t piece_bytes = 65536;
  std::deque<std::string> pieces_;  // all but the last have that size
  std::size_t begin_ = 0;           // of the first piece, as a place in the whole input
  std::size_t end_ = 0;
  std::vector<std::size_t> places_;  // by reader
};

}  // namespace ranklet::loader
