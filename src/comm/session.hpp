// Sessions (MPI 5.0 §11.3) and the process sets that groups come from.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "terms/info.hpp"

namespace ranklet {

// Where memory for MPI may come from (§11.4.3): the ways that are known to every MPI, and no others.
inline constexpr const char* memory_kinds_key = "mpi_memory_alloc_kinds";
inline constexpr const char* memory_kinds = "mpi,system";

// One rank's handle on the runtime. Objects made through it live on without it.
class Session {
 public:
  // `wanted`: the info object of MPI_Session_init, or null. Its "thread_level" is granted; without one it is
  // MPI_THREAD_MULTIPLE, as the standard advises libraries to ask for.
  Session(Rank& self, const Info* wanted);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Rank& self() const noexcept { return self_; }
  ThreadLevel thread_level() const noexcept { return level_; }
  // What MPI_Session_get_info tells.
  Info info() const;

  // The names of the process sets that the rank is in; their numbers do not change. Besides mpi://WORLD and
  // mpi://SELF there is one for each of the machine's objects that it stays in: ranklet://socket/N,
  // ranklet://numa/N, ranklet://l3cache/N, ranklet://core/N.
  std::vector<std::string> process_sets() const;
  // Of any process set in the job; null if there is none of that name.
  GroupPtr group(std::string_view process_set) const;

  std::shared_ptr<api::Errhandler> errhandler;  // set by api
  std::shared_ptr<p2p::AttachedBuffer> buffer;  // where its buffer for buffered sends is attached, set by api

 private:
  Rank& self_;
  ThreadLevel level_ = ThreadLevel::multiple;
};

using SessionPtr = std::unique_ptr<Session>;

namespace comm {

// §7.4.2, §7.6.2: as create and intercomm_create, without a parent. Members of a group name it by equal tags;
// creations with other tags, or for other groups, may be under way. create_from_group waits for nobody.
// Errors: group, if the caller is not a member or the groups overlap; rank.
CommRef create_from_group(Rank& self, const GroupPtr& group, std::string_view tag);
// The remote group and its leader only matter at the local leader.
CommRef intercomm_create_from_groups(Rank& self, const GroupPtr& local, int local_leader,
                                     const GroupPtr* remote, int remote_leader, std::string_view tag);

}  // namespace comm
}  // namespace ranklet
