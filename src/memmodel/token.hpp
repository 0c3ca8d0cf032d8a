// The right to work on one rank's matching engine: a try-lock on a cache line of its own.
//
// Thread safety: any thread may try_acquire or look; only the holder may release.
// Invariants:
//  1. At most one thread holds the token.
//  2. All that a holder wrote is visible to the next holder.
//  3. Nobody blocks here: a thread that fails does something else, or waits by the waiting policy.
#pragma once

#include <cstdint>

#include "memmodel/native.hpp"

namespace ranklet::memmodel {

template <class Sys = Native>
class alignas(64) Token {
 public:
  bool try_acquire() noexcept
  {
    // The relaxed look keeps those who would fail from taking the line away from the holder.
    // acquire pairs with the release in release(): invariant 2.
    return held_.load(std::memory_order_relaxed) == 0 && held_.exchange(1, std::memory_order_acquire) == 0;
  }

  void release() noexcept
  {
    // Our own exchange wrote the word last.
    invariant_on<Sys>([&] { return looks_held(); }, "only the holder releases a token");
    // Pairs with the exchange in try_acquire().
    held_.store(0, std::memory_order_release);
  }

  // Whether somebody is at work. acquire pairs with the release in release(): where not, all that the last
  // holder wrote is visible.
  bool is_held() const noexcept { return held_.load(std::memory_order_acquire) != 0; }

  // A hint only: the answer may be stale when it arrives.
  bool looks_held() const noexcept { return held_.load(std::memory_order_relaxed) != 0; }

 private:
  typename Sys::template atomic<std::uint32_t> held_{0};
};

// Holds a token from a successful try until the end of the scope.
template <class Sys = Native>
class TokenGuard {
 public:
  explicit TokenGuard(Token<Sys>& token) noexcept : token_(token.try_acquire() ? &token : nullptr) {}
  // Takes over a token that the caller has acquired.
  static TokenGuard adopt(Token<Sys>& token) noexcept { return TokenGuard(&token); }
  TokenGuard(const TokenGuard&) = delete;
  TokenGuard& operator=(const TokenGuard&) = delete;
  ~TokenGuard()
  {
    if (token_) token_->release();
  }
  explicit operator bool() const noexcept { return token_ != nullptr; }

 private:
  explicit TokenGuard(Token<Sys>* held) noexcept : token_(held) {}

  Token<Sys>* token_;
};

}  // namespace ranklet::memmodel
