// Error handlers (MPI 5.0 §9.3) and what happens when a call fails.
#pragma once

#include "api/handles/objects.hpp"

namespace ranklet::api {

// What a call can fail on; handlers made for one kind of object serve that kind only.
enum class Subject { none, comm, win, file, session };

class Errhandler {
 public:
  enum class Action { abort_job, abort_comm, give_code, call_user };

  // A predefined one, for all kinds of objects.
  explicit Errhandler(Action action) noexcept : action_(action) {}
  // The user's function: one of the MPI_*_errhandler_function types by subject.
  Errhandler(Subject subject, void (*function)()) noexcept
      : action_(Action::call_user), subject_(subject), function_(function)
  {
  }

  Action action() const noexcept { return action_; }
  bool serves(Subject subject) const noexcept { return subject_ == Subject::none || subject_ == subject; }
  // Calls the user's function with copies of handle and code. Returns the code as the function leaves it,
  // which is what the call in error returns (§9.3.1).
  int call(std::uintptr_t handle, int code) const;

 private:
  Action action_;
  Subject subject_ = Subject::none;
  void (*function_)() = nullptr;
};

}  // namespace ranklet::api
