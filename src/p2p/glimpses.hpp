// Whether a message has changed since one was last shown to the same receiver in the same place, by some of
// its words: mostly they have where a program computes what it sends, and have not where it sends the same
// again.
//
// Thread safety: the owner's threads. What two of them note at the same time may be lost, nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "memmodel/memmodel.hpp"
#include "terms/types.hpp"

namespace ranklet::p2p {

class Glimpses {
 public:
  static constexpr Count shortest = 128;

  // Of at least `shortest` bytes. receiver: its number. Also false where nothing is known of the last time.
  bool has_changed(int receiver, const void* data, Count bytes) noexcept
  {
    const Glimpse now = of(receiver, static_cast<const std::byte*>(data), bytes);
    memmodel::Latest<Glimpse>& kept = kept_[now.place % kept_.size()];
    const Glimpse before = kept.get();
    kept.set(now);
    return before.place == now.place && before.words != now.words;
  }

 private:
  struct alignas(8) Glimpse {
    std::uint32_t place = 0, words = 0;  // hashes
  };

  static constexpr std::uint64_t odd = 0x9E3779B97F4A7C15u;

  // Depends on all parts, and on their order.
  static std::uint64_t mixed(std::uint64_t before, std::uint64_t part) noexcept
  {
    return (before ^ before >> 32) * odd + part;
  }
  static std::uint32_t hash(std::uint64_t mix) noexcept
  {
    return static_cast<std::uint32_t>(mix * odd >> 32);
  }
  // Not the first word nor the last, which may be a number of the message.
  static Glimpse of(int receiver, const std::byte* data, Count bytes) noexcept
  {
    std::uint64_t words = 0;
    for (Count eighth = 1; eighth < 8; eighth += 2) {
      std::uint64_t word;
      std::memcpy(&word, data + (bytes / 8 * eighth & ~Count{7}), sizeof word);
      words = mixed(words, word);
    }
    const std::uint64_t place =
        mixed(static_cast<std::uint64_t>(bytes), reinterpret_cast<std::uintptr_t>(data));
    return {hash(mixed(place, static_cast<std::uint32_t>(receiver))), hash(words)};
  }

  std::array<memmodel::Latest<Glimpse>, 64> kept_;
};

}  // namespace ranklet::p2p
