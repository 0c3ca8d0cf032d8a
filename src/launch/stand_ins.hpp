// Processes that stand for what runs in this host: for a rank (arrivals.hpp), or for the job of another
// mpiexec (guests.hpp). Each passes on the signals that it gets, and is told of the end.
#pragma once

#include <functional>
#include <list>

#include "base/guarded.hpp"
#include "handover/packet.hpp"

namespace ranklet::launch {

class StandIns {
 public:
  // Called in wait(), without a lock.
  struct Events {
    std::function<void(int number, int signal)> is_signalled;
    // The process is gone while that for which it stands runs.
    std::function<void(int number)> is_gone;
  };

  explicit StandIns(Events events) : events_(std::move(events)) {}
  StandIns(const StandIns&) = delete;
  StandIns& operator=(const StandIns&) = delete;

  // These three by one thread. Of a number there is one at a time that has not been told of its end. The
  // socket becomes this object's.
  void add(int number, int socket);
  bool is_empty() const noexcept { return all_.empty(); }
  // Takes what they say; returns when the descriptor has something to say, too, or one of them had. -1: none.
  // True: the descriptor has.
  bool wait(int descriptor);

  // By any thread. Does nothing if the process has gone.
  void tell(int number, const handover::Packet& packet);
  // The last that it is told.
  void end(int number, const handover::Packet& packet);
  // To all. Waits for no lock for long, and for no process.
  void end_all(const handover::Packet& packet) noexcept RANKLET_UNCHECKED;  // tries the lock for a while

 private:
  struct One {
    int number;
    int socket;
    bool over = false;  // guarded by mutex_
  };

  bool take_from(One& one);
  One* find(int number) RANKLET_REQUIRES(mutex_);

  const Events events_;
  Mutex mutex_;
  std::list<One> all_;  // changed with mutex_, by the thread that waits
};

}  // namespace ranklet::launch
