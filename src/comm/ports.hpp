// Where groups that have no communicator in common meet: ports and service names (MPI 5.0 §11.9), and
// communicators that are made from groups.
//
// Thread safety: any thread of any rank, at once. One object for all ranks of a universe.
#pragma once

#include <array>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "comm/meetings.hpp"

namespace ranklet::comm {

// Nobody can guess it. Errors: other.
std::array<char, 16> random_number();

class Ports {
 public:
  // A name that nobody can guess and that is not used again.
  std::string open(const Job& owner);
  // Groups that wait there fail. Errors: port, if it is not open.
  void close(const std::string& port);

  // Each acceptor meets one connector; those who come first wait. The connector's group is the second one.
  // Errors: port, if it is not open, or is closed, or after so long.
  enum class Side { accepts, connects };
  // partner: the path of the one rank to meet, or empty for any; then that of the one that was met.
  std::shared_ptr<CommShared> meet(Rank& self, const std::string& port, Side side, const GroupPtr& group,
                                   std::optional<std::chrono::nanoseconds> longest = {},
                                   std::vector<int>* partner = nullptr);

  // The same under a name that two ranks have agreed upon and use once.
  std::shared_ptr<CommShared> meet_under(Rank& self, const std::string& name, Side side,
                                         const GroupPtr& group);

  // The same at all ranks of the job, and at no others.
  const std::array<char, 16>& job_number() const noexcept { return job_number_; }

  // Errors: service, if there is one of that name, or none.
  void publish(const std::string& service, const std::string& port, const Job& owner);
  void unpublish(const std::string& service);
  // Errors: name, if there is none.
  std::string look_up(const std::string& service) const;

  // The owner's programs have ended: what it has not given back goes.
  void forget(const Job& owner);

  // Of ranks of several worlds that make communicators from groups.
  Nursery nursery;
  Meetings meetings;

 private:
  enum class End { met, closed };
  struct Call {
    Call(Rank& in_waiting, GroupPtr in_group) : waiting(in_waiting), group(std::move(in_group)) {}
    Rank& waiting;
    const GroupPtr group;
    // Null: it meets anybody, and nobody asks whom.
    std::vector<int>* partner = nullptr;
    std::shared_ptr<CommShared> result;  // these, and what partner points to, are published by done
    End end = End::met;
    memmodel::Flag<> done;
  };
  struct Port {
    const Job* owner = nullptr;                 // null: two ranks have agreed upon it
    std::list<std::shared_ptr<Call>> calls[2];  // that wait, by side
  };

  Port& find(const std::string& port) RANKLET_REQUIRES(lock_);
  static void end(const Port& port);
  static void finish(Call& call, End end);
  static bool match(const Call& first, const Call& second);

  const std::array<char, 16> job_number_ = random_number();
  mutable memmodel::SpinLock<> lock_;
  std::map<std::string, Port> ports_ RANKLET_GUARDED_BY(lock_);
  struct Service {
    std::string port;
    const Job* owner;
  };
  std::map<std::string, Service> services_ RANKLET_GUARDED_BY(lock_);
};

// Where the members of a group make a communicator of it, and where a rank meets the leader of another group:
// in the world that they have in common, be it initialized or not, else in their universe. All of them find
// the same. Errors: group, if one of them is past.
Nursery& nursery_of(Rank& self, const Group& group);
Meetings& meetings_with(Rank& self, const Rank& other);

// Collective over `local`, an intracommunicator; port and timeout matter at the root only. Errors: as
// Ports::meet's; comm.
CommRef accept(Communicator& local, int root, const char* port);
CommRef connect(Communicator& local, int root, const char* port,
                std::optional<std::chrono::nanoseconds> longest = {});

// The rank at the other end of a connected socket, which makes the same call; null if it is none of this job.
// Errors: arg, if the socket fails.
CommRef join(Rank& self, int socket);

}  // namespace ranklet::comm
