// The one kind of error object, and the way to raise it.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace ranklet {

// The error classes of MPI 5.0 §9.4 with the values of its ABI (§20); api/ asserts that they agree with
// mpi.h.
enum class ErrorClass : int {
  success = 0,
  buffer = 1,
  count = 2,
  type = 3,
  tag = 4,
  comm = 5,
  rank = 6,
  request = 7,
  root = 8,
  group = 9,
  op = 10,
  topology = 11,
  dims = 12,
  arg = 13,
  unknown = 14,
  truncate = 15,
  other = 16,
  intern = 17,
  pending = 18,
  in_status = 19,
  access = 20,
  amode = 21,
  assert = 22,
  bad_file = 23,
  base = 24,
  conversion = 25,
  disp = 26,
  dup_datarep = 27,
  file_exists = 28,
  file_in_use = 29,
  file = 30,
  info_key = 31,
  info_nokey = 32,
  info_value = 33,
  info = 34,
  io = 35,
  keyval = 36,
  locktype = 37,
  name = 38,
  no_mem = 39,
  not_same = 40,
  no_space = 41,
  no_such_file = 42,
  port = 43,
  quota = 44,
  read_only = 45,
  rma_attach = 46,
  rma_conflict = 47,
  rma_range = 48,
  rma_shared = 49,
  rma_sync = 50,
  service = 51,
  size = 52,
  spawn = 53,
  unsupported_datarep = 54,
  unsupported_operation = 55,
  win = 56,
  rma_flavor = 57,
  proc_aborted = 58,
  value_too_large = 59,
  session = 60,
  errhandler = 61,
  abi = 62,
};

// What a call failed with. The first place that knows the cause throws it, in the failing rank's own call;
// api/ catches it and calls the error handler. The message is one clause without the rank, the call or a full
// stop ("tag -7 is negative"): api/ adds those.
class Error : public std::exception {
 public:
  // is_mismatch: what this rank and another one say does not go together, so that usage checks may have told
  // of it with both calls.
  Error(ErrorClass error_class, std::string message, bool is_mismatch = false)
      : class_(error_class), is_mismatch_(is_mismatch), message_(std::move(message))
  {
  }

  ErrorClass error_class() const noexcept { return class_; }
  const std::string& message() const noexcept { return message_; }
  bool is_mismatch() const noexcept { return is_mismatch_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorClass class_;
  bool is_mismatch_;
  std::string message_;
};

// Throws Error{error_class, printf-formatted message}.
[[noreturn, gnu::cold, gnu::noinline, gnu::format(printf, 2, 3)]] void fail(ErrorClass error_class,
                                                                            const char* format, ...);
// The same of a mismatch.
[[noreturn, gnu::cold, gnu::noinline, gnu::format(printf, 2, 3)]] void fail_mismatch(ErrorClass error_class,
                                                                                     const char* format, ...);

// What a member has against a collective call: it says so where all meet, and all throw it.
template <class Body>
std::optional<Error> refusal_of(Body&& body)
{
  try {
    body();
    return {};
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace ranklet
