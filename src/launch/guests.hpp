// The jobs that other mpiexec bring to this host (launch/universe_door.hpp), each with a process that stands
// for it (guest.hpp).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/guarded.hpp"
#include "launch/guest.hpp"
#include "launch/stand_ins.hpp"

namespace ranklet::launch {

// Thread-safe.
class Guests {
 public:
  // Called on one thread, which blocks all signals, without a lock but the door's. Guests have numbers from 1
  // on.
  struct Events {
    // The job's standard descriptors are the callee's. Throws Error if the job cannot be run.
    std::function<void(int guest, GuestJob job)> comes;
    std::function<void(int guest, int signal)> is_signalled;
    // Its process is gone while the job runs.
    std::function<void(int guest)> is_gone;
  };

  // From now on they come.
  Guests(int listener, Events events);

  // If idle() is true while nobody comes in, nobody comes any more. Not for the thread that calls the events.
  bool close_door_if(const std::function<bool()>& idle);

  void tell(int guest, const std::string& text);
  // Its process says this, and ends with the code.
  void ended(int guest, int code, const std::string& text);
  // The same for all; this host ends. Waits for no lock for long.
  void all_end(int code, std::string_view text) noexcept;

 private:
  void work(int listener);
  bool take_in(int listener);

  const std::function<void(int, GuestJob)> comes_;
  int last_ = 0;  // of the thread that takes them in
  Mutex door_;    // held while somebody comes in
  bool open_ RANKLET_GUARDED_BY(door_) = true;
  StandIns stand_ins_;
};

}  // namespace ranklet::launch
