// A call of the user's program into the interface: its note for reports, its start and its failure.
#pragma once

#include <cstdint>
#include <type_traits>

#include "api/handles/functions.hpp"
#include "api/handles/rank_state.hpp"
#include "terms/call_note.hpp"

namespace ranklet::api {

template <typename T>
Word word(T value) noexcept
{
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<Word>(value);
  else
    return static_cast<Word>(value);
}

class Call : public CallNote {
 public:
  // words: one per visible parameter of the form that was called.
  Call(const FunctionInfo& function, bool large, const Word* words, const void* call_site) noexcept
      : CallNote{current_call(), call_site, &describe}, function_(function), large_(large), words_(words)
  {
    set_current_call(this);
  }
  ~Call()
  {
    if (watched_) [[unlikely]]
      leave_watched();
    set_current_call(outer);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The caller's state; throws Error unless MPI is initialized and not finalized.
  RankState& enter()
  {
    Rank* const rank = current_rank();
    if (!rank || !rank->api || !rank->api->unobserved) [[unlikely]]
      return enter_slowly(true);
    return *rank->api;
  }
  // For functions that may be called at any time: only asks for a rank.
  RankState& enter_early()
  {
    Rank* const rank = current_rank();
    if (!rank || !rank->api || !rank->api->observers.empty() || rank->api->run) [[unlikely]]
      return enter_slowly(false);
    return *rank->api;
  }

  // In a catch block: the error handler is called with the exception's code, which is returned if the handler
  // returns. Exceptions that are no errors of MPI pass on, but for the end of the rank where it cannot leave
  // the call: see run.hpp.
  [[gnu::cold, gnu::noinline]] int failed();

  const FunctionInfo& function() const noexcept { return function_; }
  bool large() const noexcept { return large_; }
  const Word* words() const noexcept { return words_; }
  // The word of the table's parameter `index`; large-only parameters have none in the other form.
  Word word_of(int index) const noexcept;

  // Errors of this call belong to that communicator or file rather than to what its arguments say: for calls on
  // requests (§9.3).
  void blame(Communicator& comm) noexcept;
  void blame(File& file) noexcept { blamed_file_ = &file; }

 private:
  static std::string describe(const CallNote& note);
  // Where no rank is known yet, MPI is not ready, or somebody wants to know of the call.
  [[gnu::cold, gnu::noinline]] RankState& enter_slowly(bool needs_mpi);
  int handle_exception();
  int raise(const Error& error);
  [[gnu::cold, gnu::noinline]] void leave_watched() noexcept;

  const FunctionInfo& function_;
  const bool large_;
  bool watched_ = false;  // somebody is told of its end: one of the next two
  bool counted_ = false;  // among those inside MPI: see Job::enter
  bool failed_ = false;
  std::uint8_t told_ = 0;  // observers that know of its start
  const Word* const words_;
  Communicator* blamed_ = nullptr;  // with a count of ours: others may free it meanwhile
  File* blamed_file_ = nullptr;
};

// Calls an object's error handler for MPI_*_call_errhandler. `handler` null: the default.
void call_errhandler(RankState& state, const Errhandler* handler, Subject subject, std::uintptr_t handle,
                     int code);

// Errors of the call that this thread is in belong to the communicator, or to the file.
void blame(Communicator& comm) noexcept;
void blame(File& file) noexcept;

}  // namespace ranklet::api
