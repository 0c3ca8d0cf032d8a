// One member's part in an access: checked, placed in the view, and converted if the representation asks for
// it.
#pragma once

#include <memory>

#include "io/file.hpp"

namespace ranklet::io {

enum class Pointer : std::uint8_t { given, own, shared };

// The arguments of a data access call. With the shared pointer a collective one is ordered.
struct AccessCall {
  Direction direction;
  Pointer pointer;
  Count offset;  // in etypes, if given
  void* buffer;
  Count count;
  const Datatype* type;
};

class Work {
 public:
  Work(const File& file, const AccessCall& call) : direction_(call.direction), atomic_(file.atomic) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // Checks the call, moves the file's pointer and, for a write, converts. `ordered`: the place is found when
  // all members have come (place_at). Errors: access, read_only, arg, conversion, unsupported_operation, ….
  void prepare(File& file, const AccessCall& call, bool ordered);
  void place_at(Count etypes);
  Count etypes() const noexcept;

  // Before the move: the bytes of the file that it covers.
  struct Extent {
    Count begin, end;
  };
  Extent extent() const;

  // Moves the data, by whichever thread.
  void run(const FileShared& shared);

  // After the move. Converts what was read; on the owner's thread, if the representation has callbacks.
  bool converts_by_callback() const noexcept { return needs_owner_; }
  void convert();
  // What the call returns.
  void fill(Status& status) const;
  // The operation's error, and its text.
  bool failed() const noexcept { return error_ || number != 0; }
  Error error(const std::string& path) const;
  // What keeps the access from being made, or its data from being converted.
  void refuse(Error error) { error_ = std::move(error); }

  DataAccess access;  // empty until prepared
  Count done = 0;     // bytes in the file
  int number = 0;     // errno

  Direction direction() const noexcept { return direction_; }
  bool atomic() const noexcept { return atomic_; }

 private:
  Count whole_elements() const;

  const Direction direction_;
  const bool atomic_;
  bool needs_owner_ = false;
  // The user's own buffer.
  void* buffer_ = nullptr;
  Count count_ = 0;
  Ref<const Datatype> type_;
  std::unique_ptr<char[]> converted_;  // null: the user's buffer itself is moved
  Count element_in_file_ = 0;          // bytes of an element there
  Count part_ = 0;                     // bytes converted of an element that the file ends in
  std::optional<Error> error_;
};

}  // namespace ranklet::io
