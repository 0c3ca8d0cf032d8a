// A rank's error codes (MPI 5.0 §9.4, §9.5).
//
// A code of the library is its class in the low 6 bits and, above them, the number of a remembered message,
// so that MPI_Error_string can tell the particular reason; number 0 is the class itself. When the numbers
// have been used up they are used again, with bit 30 and the number of the round, so that no code ever tells
// the reason of another; equal errors have equal codes. Codes and classes that the program adds follow
// MPI_ERR_LASTCODE.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "memmodel/memmodel.hpp"
#include "terms/error.hpp"

namespace ranklet::api {

// "MPI_ERR_RANK: no such rank", for predefined classes and the codes of the tool interface; null if unknown.
const char* describe_class(int error_class) noexcept;

// Thread safety: any thread of the rank may call anything.
class ErrorCodes {
 public:
  // The code of an error with its message, which stays known until so many others have followed; the class
  // text after that. Without a message, and for MPI_ERR_IN_STATUS, the code is the class itself.
  int remember(ErrorClass error_class, const std::string& message);

  // Errors of the following: arg, if the code is none.
  int class_of(int code) const;
  std::string text(int code) const;

  int add_class();
  int add_code(int error_class);
  void set_text(int code, const std::string& text);  // only of added codes and classes
  // Errors: arg, unless the class, code or text was added and (a class) has no codes left, (a code) no text.
  void remove_class(int error_class);
  void remove_code(int code);
  void remove_text(int code);
  // The highest code in use: MPI_LASTUSEDCODE.
  int last_used() const;

 private:
  static constexpr int remembered = 255;

  struct Added {
    bool is_class = false;
    int error_class = 0;
    std::optional<std::string> text;
  };

  Added& find_added(int code, const char* what) RANKLET_REQUIRES(lock_);

  mutable memmodel::SpinLock<> lock_;
  std::array<std::string, remembered + 1> messages_ RANKLET_GUARDED_BY(lock_);  // by number, 0 unused
  std::array<int, remembered + 1> codes_ RANKLET_GUARDED_BY(lock_){};           // that tell them
  int last_message_ RANKLET_GUARDED_BY(lock_) = 0;
  int round_ RANKLET_GUARDED_BY(lock_) = 0;  // how often the numbers were used up
  std::map<int, Added> added_ RANKLET_GUARDED_BY(lock_);
  int next_added_ RANKLET_GUARDED_BY(lock_) = 0;
};

}  // namespace ranklet::api
