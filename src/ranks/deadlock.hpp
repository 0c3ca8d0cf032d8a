// Finds that some ranks of a job can never go on, and says what each of them waits for.
//
// A thread that waits in MPI for long lies down here before it sleeps (wait.hpp), and says which ranks may
// end its wait. While it lies it changes nothing. So ranks are stuck whose threads all lie, none of them
// ready, and whose waits only stuck or ended ranks may end. That alone might be a wait that is ready only
// when it is tried; so it counts as a deadlock after each of these ranks has got up and tried in vain twice
// more without any of their waits having ended. Waits that something outside MPI may end (generalized
// requests) and ranks with threads that do other things are never stuck. A rank has ended when its program
// has.
//
// With an arbiter that decides when nothing moves (arbiter.hpp), that moment is looked for without delay, and
// the job is dead when the arbiter knows no way on either.
//
// Thread safety: any thread of any rank, for its own Sleeper. Invariants:
//  1. A Sleeper that lies stays as it is, and what its ready() looks at stays valid, until it gets up; which
//  it
//     cannot while another thread holds the lock.
//  2. Nothing here is touched by waits that end within some milliseconds.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/call.hpp"
#include "memmodel/memmodel.hpp"

namespace ranklet {

class Job;
class Rank;

class DeadlockWatch {
 public:
  explicit DeadlockWatch(Job& job) noexcept : job_(job) {}
  DeadlockWatch(const DeadlockWatch&) = delete;
  DeadlockWatch& operator=(const DeadlockWatch&) = delete;

  // A thread's wait, from when it has become long to its end.
  class Sleeper {
   public:
    // spot: where it sleeps. ready() is called by any thread while this one lies; it does not throw and
    // changes nothing.
    template <class Ready>
    Sleeper(DeadlockWatch& watch, Rank& rank, memmodel::Parking<>& spot, const Ready& ready)
        : Sleeper(
              watch, rank, spot, [](const void* closure) { return (*static_cast<const Ready*>(closure))(); },
              &ready)
    {
    }
    ~Sleeper();
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

    // After a vain attempt. Ends the job with the report if nobody can go on. Returns how long to sleep at
    // most, in milliseconds: short while a deadlock is suspected, 0 to try again at once.
    int lie_down();
    void get_up() noexcept;

   private:
    friend class DeadlockWatch;
    using Ready = bool (*)(const void*);
    Sleeper(DeadlockWatch& watch, Rank& rank, memmodel::Parking<>& spot, Ready ready, const void* closure);

    DeadlockWatch& watch_;
    Rank& rank_;
    memmodel::Parking<>& spot_;  // where the thread sleeps
    const Ready ready_;
    const void* const closure_;
    const CallNote* const call_;  // what the thread does for its user; may be null
    std::vector<bool> partners_;  // which ranks may end the wait, by world rank; empty: any
    bool lies_ = false;
    int attempts_ = 0;
  };

  // Whether it has ended the job.
  bool has_found() const noexcept { return found_.is_set(); }

  // Makes all who sleep look again.
  void wake_all() noexcept;

  // What each rank does at the moment, one line or two for each. Looks twice, for who runs in circles, so it
  // takes some milliseconds.
  std::string state();

 private:
  // These hold the lock.
  // Whether all threads of the rank that could do something lie.
  bool all_lie(int world_rank) const;
  bool is_still(int world_rank) const;
  std::vector<bool> stuck_ranks() const;
  bool is_dead();
  bool has_ended(int world_rank) const;
  void hurry();
  std::string report() const;
  std::string waits_of(int world_rank) const;
  std::string cycle(const std::vector<bool>& stuck) const;

  bool is_hasty() const;
  bool is_moved_from_outside() const;

  Job& job_;
  memmodel::Flag<> found_;
  memmodel::SpinLock<> lock_;
  std::vector<Sleeper*> sleepers_;
  // Who lay when they were found stuck, and their attempts then.
  std::vector<std::pair<const Sleeper*, int>> suspects_;
};

}  // namespace ranklet
