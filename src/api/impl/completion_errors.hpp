// What requests that have failed make of the call that completes them (MPI 5.0 §3.7.5, §9.3).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/entry/request_calls.hpp"

namespace ranklet::api {

// What a request ended with that failed.
struct Failure {
  ErrorClass error = ErrorClass::success;
  bool is_mismatch = false;
  std::string message;
  std::uint32_t context = 0;
  File* file = nullptr;  // if it was an access of one
};

[[gnu::cold]] Failure failure_of(Request& request, ErrorClass error);

// The handler of the file or communicator is responsible (§9.3).
void blame_object(Rank& self, const Failure& failure);

// The errors of a call that completes several requests: the statuses have one code each, and the call fails
// with MPI_ERR_IN_STATUS (§3.7.5).
class CompletionErrors {
 public:
  explicit CompletionErrors(Rank& self) noexcept : self_(self) {}

  void add(int slot, const Failure& failure);
  // used: how many statuses the call has filled.
  void check(Status* statuses, int used) const
  {
    if (!codes_.empty()) [[unlikely]]
      fail_with(statuses, used);
  }

 private:
  [[noreturn, gnu::cold]] void fail_with(Status* statuses, int used) const;

  Rank& self_;
  Failure first_;
  std::vector<std::pair<int, int>> codes_;
};

}  // namespace ranklet::api
