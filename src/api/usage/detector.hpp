// Whom the narrator tells what the rank's calls order: ThreadSanitizer's runtime, which watches the program
// and wants to know of accesses and fibers, too (base/race_detector.hpp), or the clocks of the usage checks,
// for which a fiber is its rank.
//
// Thread safety: any thread of the rank, in a call.
#pragma once

#include <memory>

#include "check/check.hpp"
#include "ranks/ranks.hpp"

namespace ranklet::api {

class Detector {
 public:
  explicit Detector(bool wants_accesses) noexcept : sees_accesses(wants_accesses) {}
  virtual ~Detector() = default;
  Detector(const Detector&) = delete;
  Detector& operator=(const Detector&) = delete;

  // False: accesses and fibers are not told.
  const bool sees_accesses;

  // False: nothing is told yet. From the first window on something is.
  virtual bool is_told() const noexcept = 0;
  virtual void window_is_made() noexcept {}

  virtual void call_begins() noexcept = 0;
  virtual void call_ends() noexcept = 0;

  // All that is done before order_from() comes before all that follows a later order_to() with that token.
  virtual void order_from(const check::Token& token) noexcept = 0;
  virtual void order_to(const check::Token& token) noexcept = 0;
  // With a token of all ranks that may ever meet.
  virtual void order_from_everything() noexcept = 0;
  virtual void order_to_everything() noexcept = 0;

  // Something begins that others may wait for, or has ended that may have waited for others, and what it is
  // was not told: it had begun before anything was.
  virtual void untold_begins() noexcept {}
  virtual void untold_ended() noexcept {}

  // Loads and stores of that rank's program may from now on be to memory that others load and store, too.
  virtual void shares_memory(const Rank& /*rank*/) noexcept {}
};

// threads_are_watched().
std::unique_ptr<Detector> make_tool_detector(const Rank& rank);
// Of a rank of a job that is checked.
std::unique_ptr<Detector> make_clock_detector(const Rank& rank);

}  // namespace ranklet::api
