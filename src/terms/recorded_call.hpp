// A call of the user's program as it was, for reports that are made after it has ended.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/ref.hpp"
#include "base/source_line.hpp"

namespace ranklet {

// Constant once made, so that any thread may ask it.
class RecordedCall {
 public:
  // who: the rank for reports, "rank 3"; number: of that rank, unique while it lives. script: where the
  // program of an interpreter was; empty if there is none.
  RecordedCall(std::string who, int number, const void* site, std::string script = {}) noexcept
      : who_(std::move(who)), number_(number), site_(site), script_(std::move(script))
  {
  }
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;

  void retain() const noexcept { references_.add(); }
  void release() const noexcept
  {
    if (references_.drop()) delete this;
  }

  const std::string& who() const noexcept { return who_; }
  int number() const noexcept { return number_; }
  // "solve() at solve.c:42", "solve() at solve.py:7, by …" in an interpreter's program
  std::string place() const;
  // Its line in the file, for machines; none where that is not known.
  std::optional<SourceLocation> source() const;
  // "MPI_Send(buf=0x7f…, count=1, …)"
  virtual std::string text() const = 0;

 protected:
  virtual ~RecordedCall() = default;

 private:
  mutable RefCount references_;
  const std::string who_;
  const int number_;
  const void* const site_;  // return address in the user's code
  const std::string script_;
};

}  // namespace ranklet
