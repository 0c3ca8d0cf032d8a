// Finds that some ranks of a universe can never go on, and says what each of them waits for.
//
// A thread that waits in MPI for long lies down here before it sleeps (wait.hpp), and says which ranks may
// end its wait. While it lies it changes nothing. So ranks are stuck whose threads all lie, none of them
// ready, and whose waits only stuck or ended ranks may end. That alone might be a wait that is ready only
// when it is tried; so it counts as a deadlock after each of these ranks has got up and tried in vain twice
// more without any of their waits having ended. Waits that something outside MPI may end (generalized
// requests), ranks with threads that do other things, and those for which somebody matches and copies at the
// moment are never stuck. At MPI_THREAD_MULTIPLE further threads of a rank count as if they lay while they
// have slept for seconds where only a thread of the rank is known to wake them; as something else might, the
// report then says "suspected". Where ranks share variables with each other and with the rest of the process,
// as in ranklet::run, any thread of the process may wake them: so nothing else in the process may move then.
// A rank has ended when its program has.
//
// Ranks become stuck only when one of them lies down or ends (or loses a thread, which is seen when it next
// lies down). So that is when somebody looks, and only from that rank on, along those it waits for, until the
// first who moves is found. Else everybody sleeps: all together get up about a hundred times a second,
// whatever their number.
//
// With an arbiter that decides when nothing moves (arbiter.hpp), that moment is looked for without delay, and
// the job is dead when the arbiter knows no way on either.
//
// Thread safety: any thread of any rank, for its own Sleeper. Invariants:
//  1. A Sleeper that lies stays as it is, and what its ready() looks at stays valid, until it gets up;
//     it cannot while another thread holds the lock.
//  2. Nothing here is touched by waits that end within some milliseconds.
//  3. untried_ counts the suspects that have not tried in vain often enough yet, up_ those that do not lie.
//  4. Nobody is stuck but suspects, or look_wanted_ is set and one of the sleepers has been woken since.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

#include "base/guarded.hpp"
#include "memmodel/memmodel.hpp"
#include "ranks/arbiter.hpp"
#include "terms/call_note.hpp"

namespace ranklet {

class Job;
class Rank;

// Which ranks may end a wait; rather too many than too few.
struct WaitPartners {
  bool anybody = true;
  // Unless it may be anybody: these, by number in the universe, each once, and the members of these sets.
  std::vector<int> ranks;
  std::vector<std::shared_ptr<const std::vector<Rank*>>> sets;
};

class DeadlockWatch {
 public:
  DeadlockWatch() = default;
  DeadlockWatch(const DeadlockWatch&) = delete;
  DeadlockWatch& operator=(const DeadlockWatch&) = delete;

  // Numbers for so many ranks, one after the other: free ones, the lowest.
  int reserve(int ranks);
  // The job's ranks are there, with these numbers; none is there any more, and the numbers are free again.
  void add(Job& job);
  void remove(Job& job) noexcept;

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

    bool is_suspect() const noexcept { return tries_ >= 0; }

    DeadlockWatch& watch_;
    Rank& rank_;
    memmodel::Parking<>& spot_;  // where the thread sleeps
    const Ready ready_;
    const void* const closure_;
    const CallNote* const call_;  // what the thread does for its user; may be null
    const void* const site_;      // where its program has made that call
    const pthread_t thread_ = ::pthread_self();
    const pid_t kernels_thread_ = ::gettid();  // the same, by its number
    WaitPartners partners_;
    bool lies_ = false;
    int tries_ = -1;           // of a suspect: since it is one
    Sleeper* next_ = nullptr;  // of the same rank
    std::size_t place_ = 0;    // in sleepers_
  };

  // A rank, or one of its threads, does nothing any more. One of those who sleep looks what that means.
  void note_end() noexcept;

  // Makes all who sleep look again.
  void wake_all() noexcept;

  // What each rank does at the moment, one line or two for each. Looks twice, for who runs in circles, or until
  // those that did have had time to: it takes 20 to 200 ms.
  std::string state();

  // How many ranks have been looked at so far: what the watch costs, for tests.
  std::uint64_t steps();

 private:
  struct Waits {
    Sleeper* first = nullptr;
    int lying = 0;
    std::uint64_t visited = 0;  // the last walk that came here
    std::uint64_t stuck = 0;    // the last look that found the rank stuck
  };

  Waits& waits_of_rank(const Rank& rank) RANKLET_REQUIRES(lock_);
  int lie_down(Sleeper& sleeper, std::string& report) RANKLET_REQUIRES(lock_);
  // Whether all threads of the rank that could do something lie.
  bool all_lie(int number) const RANKLET_REQUIRES(lock_);
  // How many threads of a rank with MPI_THREAD_MULTIPLE are not known to wait in MPI.
  int elsewhere(int number) const RANKLET_REQUIRES(lock_);
  // Whether all threads of the process lie, none of them ready, or sleep, as far as the rank's job knows. The
  // same answer during a look.
  bool process_sleeps(const Rank& rank) const RANKLET_REQUIRES(lock_);
  bool is_still(int number) const RANKLET_REQUIRES(lock_);
  bool is_awake(int number) const RANKLET_REQUIRES(lock_);
  bool may_be_woken(int number) RANKLET_REQUIRES(lock_);
  bool visit(int number) RANKLET_REQUIRES(lock_);
  bool visit_set(const std::vector<Rank*>& members) RANKLET_REQUIRES(lock_);
  // Finds the largest set of still ranks that only its own members could wake, with those that have ended.
  void begin_look() RANKLET_REQUIRES(lock_);
  void mark_stuck_from(int number) RANKLET_REQUIRES(lock_);
  void mark_stuck() RANKLET_REQUIRES(lock_);
  bool is_stuck(int number) const RANKLET_REQUIRES(lock_)
  {
    return waits_[static_cast<std::size_t>(number)].stuck == look_;
  }
  bool all_stuck() const RANKLET_REQUIRES(lock_);
  bool look_from(const Sleeper& sleeper) RANKLET_REQUIRES(lock_);
  void suspect_stuck() RANKLET_REQUIRES(lock_);
  void clear_suspects() noexcept RANKLET_REQUIRES(lock_);
  Arbiter::Resolution judge(std::string& report) RANKLET_REQUIRES(lock_);
  bool has_ended(int number) const RANKLET_REQUIRES(lock_);
  void hurry() noexcept RANKLET_REQUIRES(lock_);
  void wake_one() noexcept RANKLET_REQUIRES(lock_);
  std::string report() const RANKLET_REQUIRES(lock_);
  std::string waits_of(int number) const RANKLET_REQUIRES(lock_);
  std::string enumeration(const std::vector<int>& numbers) const RANKLET_REQUIRES(lock_);
  std::string cycle() const RANKLET_REQUIRES(lock_);

  bool is_hasty() const RANKLET_REQUIRES(lock_);
  bool is_moved_from_outside() const RANKLET_REQUIRES(lock_);

  int size() const RANKLET_REQUIRES(lock_) { return static_cast<int>(ranks_.size()); }
  Rank* rank_of(int number) const RANKLET_REQUIRES(lock_) { return ranks_[static_cast<std::size_t>(number)]; }

  // Thousands get up at once: who waits for one that has lost its core must sleep, not look in turns with all
  // others. SleepingThreads does not take it for a sleep: that lasts for seconds.
  Mutex lock_;
  std::vector<Rank*> ranks_ RANKLET_GUARDED_BY(lock_);    // by number; null: none, or its job has gone
  std::vector<char> reserved_ RANKLET_GUARDED_BY(lock_);  // by number
  Arbiter* arbiter_ RANKLET_GUARDED_BY(lock_) = nullptr;  // of the first job, which then is the only one
  std::vector<Sleeper*> sleepers_ RANKLET_GUARDED_BY(lock_);
  std::vector<Waits> waits_ RANKLET_GUARDED_BY(lock_);  // by number; made by the first sleeper
  std::vector<Sleeper*> suspects_ RANKLET_GUARDED_BY(lock_);
  int untried_ RANKLET_GUARDED_BY(lock_) = 0;
  int up_ RANKLET_GUARDED_BY(lock_) = 0;
  bool look_wanted_ RANKLET_GUARDED_BY(lock_) = false;

  // A look finds who is stuck, by one walk or more. Each walk goes from a rank along those it waits for.
  std::uint64_t look_ RANKLET_GUARDED_BY(lock_) = 0;
  std::vector<int> stuck_ RANKLET_GUARDED_BY(lock_);
  // The last look that has asked whether the process sleeps, and the answer.
  mutable std::uint64_t asked_look_ RANKLET_GUARDED_BY(lock_) = 0;
  mutable bool process_slept_ RANKLET_GUARDED_BY(lock_) = false;
  std::uint64_t walk_ RANKLET_GUARDED_BY(lock_) = 0;
  std::vector<int> visited_ RANKLET_GUARDED_BY(lock_);                             // the ranks it came to
  std::vector<const std::vector<Rank*>*> visited_sets_ RANKLET_GUARDED_BY(lock_);  // sorted
  std::size_t cursor_ RANKLET_GUARDED_BY(lock_) = 0;  // where in a set somebody was awake last
  std::uint64_t steps_ RANKLET_GUARDED_BY(lock_) = 0;
};

}  // namespace ranklet
