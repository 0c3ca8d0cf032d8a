// What the calling thread is doing for its user: the note that reports of errors, deadlocks and crashes read.
#pragma once

#include <string>

namespace ranklet {

// Lies on the stack of the call it describes. Only the thread itself changes the chain; another thread may
// read a note of a thread that it knows to be asleep in that call.
struct CallNote {
  const CallNote* outer;                 // the call in whose callback this one was made, or null
  const void* site;                      // return address in the user's code; null: none
  std::string (*text)(const CallNote&);  // "MPI_Send(buf=0x7f…, count=1, …)"
};

namespace detail {
// initial-exec: one instruction to reach; the library is always loaded at program start.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local const CallNote* current_call = nullptr;
}  // namespace detail

inline const CallNote* current_call() noexcept { return detail::current_call; }
// Where the thread's call was made; null: not known.
inline const void* current_call_site() noexcept
{
  const CallNote* const call = current_call();
  return call ? call->site : nullptr;
}
inline void set_current_call(const CallNote* note) noexcept { detail::current_call = note; }

}  // namespace ranklet
