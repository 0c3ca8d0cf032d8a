// What the usage checks find: one list for a job.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.hpp"
#include "base/source_line.hpp"

namespace ranklet::check {

struct Finding {
  enum class Weight {
    error,   // wrong by the standard
    leak,    // left behind at the end
    advice,  // permitted, and mostly a mistake
  };

  Weight weight = Weight::error;
  std::string what;   // one clause
  std::string rule;   // "MPI 5.0 §3.7.3"
  int rank = 0;       // of MPI_COMM_WORLD
  int world = 1;      // which of the universe's worlds that is
  std::string call;   // with its arguments by name
  std::string place;  // of the call in the user's source
  std::string other;  // the other party, "rank 1: MPI_Send(…) at main() at x.c:7", or empty
  int times = 1;      // how often the same was found
  // The same two places for machines, where there is a line.
  std::optional<SourceLocation> source, other_source;
};

// A block of lines, as mpiexec prints it.
std::string text(const Finding& finding);

// Thread-safe.
class Findings {
 public:
  explicit Findings(std::function<void(const Finding&)> on_first = {}) : on_first_(std::move(on_first)) {}

  // What is found again at the same places of the same ranks is only counted.
  void add(Finding finding);
  std::vector<Finding> all() const;
  // Takes the list away.
  std::vector<Finding> take();
  int count(Finding::Weight weight) const;

 private:
  const std::function<void(const Finding&)> on_first_;
  mutable Mutex lock_;
  std::vector<Finding> findings_ RANKLET_GUARDED_BY(lock_);
};

}  // namespace ranklet::check
