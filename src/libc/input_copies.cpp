#include "libc/input_copies.hpp"

#include <algorithm>

namespace ranklet::loader {

void InputCopies::append(std::string_view bytes)
{
  while (!bytes.empty()) {
    if (pieces_.empty() || pieces_.back().size() == piece_bytes) pieces_.emplace_back();
    const std::size_t now = std::min(bytes.size(), piece_bytes - pieces_.back().size());
    pieces_.back().append(bytes.substr(0, now));
    bytes.remove_prefix(now);
    end_ += now;
  }
  forget();
}

std::string_view InputCopies::next(std::size_t reader) const
{
  const std::size_t place = places_[reader];
  if (place >= end_) return {};
  return std::string_view(pieces_[(place - begin_) / piece_bytes]).substr((place - begin_) % piece_bytes);
}

void InputCopies::advance(std::size_t reader, std::size_t bytes)
{
  places_[reader] += bytes;
  forget();
}

void InputCopies::leave(std::size_t reader)
{
  places_[reader] = gone;
  forget();
}

bool InputCopies::nobody_waits() const noexcept
{
  return std::ranges::none_of(places_, [this](std::size_t place) { return place == end_; });
}

void InputCopies::forget()
{
  if (pieces_.empty() || pieces_.front().size() < piece_bytes) return;
  const std::size_t first = places_.empty() ? gone : *std::ranges::min_element(places_);
  while (!pieces_.empty() && pieces_.front().size() == piece_bytes && first >= begin_ + piece_bytes) {
    pieces_.pop_front();
    begin_ += piece_bytes;
  }
}

}  // namespace ranklet::loader
