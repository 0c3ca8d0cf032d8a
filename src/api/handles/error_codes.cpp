#include "api/handles/error_codes.hpp"

#include "api/handles/objects.hpp"

namespace ranklet::api {
namespace {

constexpr int class_bits = 6;
constexpr int class_mask = (1 << class_bits) - 1;
constexpr int first_added = MPI_ERR_LASTCODE + 1;
constexpr int later_round = 1 << 30;
constexpr int round_shift = 14;
constexpr int rounds = later_round >> round_shift;
static_assert(MPI_ERR_LASTCODE == (1 << round_shift) - 1);
// The codes of the tool interface would look like messages of this number.
constexpr int tool_number = MPI_T_ERR_CANNOT_INIT >> class_bits;
static_assert(tool_number == MPI_T_ERR_PVAR_NO_ATOMIC >> class_bits);
static_assert(MPI_ERR_ABI <= class_mask);

constexpr const char* class_texts[] = {
    "MPI_SUCCESS: no error",
    "MPI_ERR_BUFFER: the buffer cannot be used",
    "MPI_ERR_COUNT: the count is not valid",
    "MPI_ERR_TYPE: the datatype is not valid here",
    "MPI_ERR_TAG: the tag is not valid",
    "MPI_ERR_COMM: the communicator is not valid here",
    "MPI_ERR_RANK: no such rank",
    "MPI_ERR_REQUEST: the request is not valid here",
    "MPI_ERR_ROOT: the root is not valid",
    "MPI_ERR_GROUP: the group is not valid here",
    "MPI_ERR_OP: the operator is not valid here",
    "MPI_ERR_TOPOLOGY: the topology does not fit",
    "MPI_ERR_DIMS: the dimensions do not fit",
    "MPI_ERR_ARG: an argument is not valid",
    "MPI_ERR_UNKNOWN: unknown error",
    "MPI_ERR_TRUNCATE: the message is longer than the buffer",
    "MPI_ERR_OTHER: another error",
    "MPI_ERR_INTERN: an error inside the library",
    "MPI_ERR_PENDING: the operation is still pending",
    "MPI_ERR_IN_STATUS: the statuses hold the error codes",
    "MPI_ERR_ACCESS: permission denied",
    "MPI_ERR_AMODE: the access mode is not valid",
    "MPI_ERR_ASSERT: the assertions are not valid",
    "MPI_ERR_BAD_FILE: the file name is not valid",
    "MPI_ERR_BASE: the base address is not valid",
    "MPI_ERR_CONVERSION: the data could not be converted",
    "MPI_ERR_DISP: the displacement is not valid",
    "MPI_ERR_DUP_DATAREP: the data representation exists already",
    "MPI_ERR_FILE_EXISTS: the file exists already",
    "MPI_ERR_FILE_IN_USE: the file is in use",
    "MPI_ERR_FILE: the file handle is not valid",
    "MPI_ERR_INFO_KEY: the info key is not valid",
    "MPI_ERR_INFO_NOKEY: no such info key",
    "MPI_ERR_INFO_VALUE: the info value is not valid",
    "MPI_ERR_INFO: the info object is not valid",
    "MPI_ERR_IO: input or output failed",
    "MPI_ERR_KEYVAL: the attribute key is not valid",
    "MPI_ERR_LOCKTYPE: the kind of lock is not valid",
    "MPI_ERR_NAME: no such service name",
    "MPI_ERR_NO_MEM: no memory left",
    "MPI_ERR_NOT_SAME: an argument differs between processes",
    "MPI_ERR_NO_SPACE: no space left",
    "MPI_ERR_NO_SUCH_FILE: no such file",
    "MPI_ERR_PORT: the port name is not valid",
    "MPI_ERR_QUOTA: the quota is exceeded",
    "MPI_ERR_READ_ONLY: the file is read-only",
    "MPI_ERR_RMA_ATTACH: the memory cannot be attached",
    "MPI_ERR_RMA_CONFLICT: accesses to the window conflict",
    "MPI_ERR_RMA_RANGE: the target memory is not part of the window",
    "MPI_ERR_RMA_SHARED: the memory cannot be shared",
    "MPI_ERR_RMA_SYNC: the window is not in a fitting epoch",
    "MPI_ERR_SERVICE: the service name is not published",
    "MPI_ERR_SIZE: the size is not valid",
    "MPI_ERR_SPAWN: the processes could not be started",
    "MPI_ERR_UNSUPPORTED_DATAREP: the data representation is not supported",
    "MPI_ERR_UNSUPPORTED_OPERATION: the operation is not supported",
    "MPI_ERR_WIN: the window is not valid here",
    "MPI_ERR_RMA_FLAVOR: the window is of another kind",
    "MPI_ERR_PROC_ABORTED: a process was aborted",
    "MPI_ERR_VALUE_TOO_LARGE: the value is too large for the argument",
    "MPI_ERR_SESSION: the session is not valid",
    "MPI_ERR_ERRHANDLER: the error handler is not valid here",
    "MPI_ERR_ABI: the binary interface does not fit",
};
static_assert(std::size(class_texts) == MPI_ERR_ABI + 1);

constexpr const char* tool_texts[] = {
    "MPI_T_ERR_CANNOT_INIT: the tool interface cannot be started",
    "MPI_T_ERR_NOT_ACCESSIBLE: the value is not accessible",
    "MPI_T_ERR_NOT_INITIALIZED: the tool interface was not started",
    "MPI_T_ERR_NOT_SUPPORTED: not supported",
    "MPI_T_ERR_MEMORY: no memory left",
    "MPI_T_ERR_INVALID: an argument is not valid",
    "MPI_T_ERR_INVALID_INDEX: no such index",
    "MPI_T_ERR_INVALID_ITEM: no such item",
    "MPI_T_ERR_INVALID_SESSION: the session is not valid",
    "MPI_T_ERR_INVALID_HANDLE: the handle is not valid",
    "MPI_T_ERR_INVALID_NAME: no such name",
    "MPI_T_ERR_OUT_OF_HANDLES: no handles left",
    "MPI_T_ERR_OUT_OF_SESSIONS: no sessions left",
    "MPI_T_ERR_CVAR_SET_NOT_NOW: the variable cannot be set now",
    "MPI_T_ERR_CVAR_SET_NEVER: the variable cannot be set",
    "MPI_T_ERR_PVAR_NO_WRITE: the variable cannot be written",
    "MPI_T_ERR_PVAR_NO_STARTSTOP: the variable cannot be started or stopped",
    "MPI_T_ERR_PVAR_NO_ATOMIC: the variable cannot be read and reset at once",
};
static_assert(std::size(tool_texts) == MPI_T_ERR_PVAR_NO_ATOMIC - MPI_T_ERR_CANNOT_INIT + 1);

bool is_tool_code(int code) noexcept
{
  return code >= MPI_T_ERR_CANNOT_INIT && code <= MPI_T_ERR_PVAR_NO_ATOMIC;
}

// A class of the standard, or a code that tells a reason.
bool is_predefined(int code) noexcept
{
  return code >= 0 && (code <= MPI_ERR_LASTCODE || code >= later_round) && (code & class_mask) <= MPI_ERR_ABI;
}

[[noreturn]] void no_such_code(int code)
{
  fail(ErrorClass::arg, "%d is no error code", code);
}

}  // namespace

const char* describe_class(int error_class) noexcept
{
  if (is_tool_code(error_class)) return tool_texts[error_class - MPI_T_ERR_CANNOT_INIT];
  if (error_class >= 0 && error_class <= MPI_ERR_ABI) return class_texts[error_class];
  return nullptr;
}

int ErrorCodes::remember(ErrorClass error_class, const std::string& message)
{
  const Holder guard(lock_);
  // Callbacks of the user may have failed with a code of the user's, or with one that has no text of its own.
  // MPI_ERR_IN_STATUS is what programs compare with, and the statuses tell the rest (§3.7.5).
  const int value = static_cast<int>(error_class);
  if (value > class_mask || message.empty() || error_class == ErrorClass::in_status) return value;
  for (std::size_t i = 1; i < codes_.size(); ++i)
    if (codes_[i] != 0 && (codes_[i] & class_mask) == value && messages_[i] == message) return codes_[i];
  do {
    if (last_message_ == remembered) {
      last_message_ = 0;
      round_ = round_ % (rounds - 1) + 1;
    }
    ++last_message_;
  } while (last_message_ == tool_number);
  const auto index = static_cast<std::size_t>(last_message_);
  messages_[index] = message;
  codes_[index] = last_message_ << class_bits | value;
  if (round_ > 0) codes_[index] |= later_round | round_ << round_shift;
  return codes_[index];
}

int ErrorCodes::class_of(int code) const
{
  if (is_tool_code(code)) return code;
  if (is_predefined(code)) return code & class_mask;
  const Holder guard(lock_);
  const auto found = added_.find(code);
  if (found == added_.end()) no_such_code(code);
  return found->second.is_class ? code : found->second.error_class;
}

std::string ErrorCodes::text(int code) const
{
  if (is_tool_code(code)) return describe_class(code);
  const Holder guard(lock_);
  if (is_predefined(code)) {
    std::string text = describe_class(code & class_mask);
    const auto number = static_cast<std::size_t>((code & MPI_ERR_LASTCODE) >> class_bits);
    if (number != 0 && codes_[number] == code) {
      // The name of the class, then the reason instead of the general words.
      text.resize(text.find(':') + 2);
      text += messages_[number];
    }
    return text;
  }
  const auto found = added_.find(code);
  if (found == added_.end()) no_such_code(code);
  return found->second.text.value_or("");
}

int ErrorCodes::add_class()
{
  const Holder guard(lock_);
  const int code = first_added + next_added_++;
  added_[code] = {.is_class = true, .error_class = code, .text = {}};
  return code;
}

int ErrorCodes::add_code(int error_class)
{
  const Holder guard(lock_);
  const auto found = added_.find(error_class);
  const bool added_class = found != added_.end() && found->second.is_class;
  if (!added_class && !describe_class(error_class))
    fail(ErrorClass::arg, "%d is no error class", error_class);
  const int code = first_added + next_added_++;
  added_[code] = {.is_class = false, .error_class = error_class, .text = {}};
  return code;
}

ErrorCodes::Added& ErrorCodes::find_added(int code, const char* what)
{
  const auto found = added_.find(code);
  if (found == added_.end()) fail(ErrorClass::arg, "%d is no %s that the program has added", code, what);
  return found->second;
}

void ErrorCodes::set_text(int code, const std::string& text)
{
  const Holder guard(lock_);
  find_added(code, "error code or class").text = text;
}

void ErrorCodes::remove_class(int error_class)
{
  const Holder guard(lock_);
  if (!find_added(error_class, "error class").is_class)
    fail(ErrorClass::arg, "%d is an error code and no class", error_class);
  for (const auto& [code, added] : added_) {
    if (!added.is_class && added.error_class == error_class)
      fail(ErrorClass::arg, "the error class %d still has the code %d", error_class, code);
  }
  added_.erase(error_class);
}

void ErrorCodes::remove_code(int code)
{
  const Holder guard(lock_);
  const Added& added = find_added(code, "error code");
  if (added.is_class) fail(ErrorClass::arg, "%d is an error class and no code", code);
  // Its text goes before it (§9.5); of a class's the standard does not say so.
  if (added.text) fail(ErrorClass::arg, "the error code %d still has a text", code);
  added_.erase(code);
}

void ErrorCodes::remove_text(int code)
{
  const Holder guard(lock_);
  Added& added = find_added(code, "error code or class");
  if (!added.text) fail(ErrorClass::arg, "the error code %d has no text", code);
  added.text.reset();
}

int ErrorCodes::last_used() const
{
  const Holder guard(lock_);
  return added_.empty() ? MPI_ERR_LASTCODE : added_.rbegin()->first;
}

}  // namespace ranklet::api
