// Starting and ending MPI (MPI 5.0 §11.2, §11.4).
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "api/entry/call.hpp"
#include "api/entry/request_calls.hpp"
#include "api/handles/strings.hpp"
#include "api/impl/impl.hpp"
#include "api/impl/job_setup.hpp"
#include "coll/coll.hpp"
#include "comm/ports.hpp"
#include "p2p/p2p.hpp"

namespace ranklet::api {

namespace {

void start(Rank& self, ThreadLevel level)
{
  RankState& state = *self.api;
  if (state.finalized)
    fail(ErrorClass::other, "MPI_Finalize was called before, and MPI cannot be started again");
  if (state.initialized && !state.started_for_program) fail(ErrorClass::other, "MPI was initialized before");
  check_start(self);
  state.main_thread = pthread_self();
  state.world_level = level;
  if (state.started_for_program) {
    state.started_for_program = false;
    self.set_thread_level(level);
    return;
  }
  // Programs that only have sessions have neither (§11.3).
  state.comms.install(MPI_COMM_WORLD, self.comm->world);
  state.comms.install(MPI_COMM_SELF, self.comm->self);
  state.open_instance(level);
  state.initialized = true;
}

}  // namespace

void start_world(Rank& rank, ThreadLevel level)
{
  start(rank, level);
  rank.api->started_for_program = true;
}

namespace impl {

void Init(Rank& self, int*, char***)
{
  start(self, ThreadLevel::single);
}

void Init_thread(Rank& self, int*, char***, int required, int& provided)
{
  // The next level that there is: every level is supported.
  constexpr ThreadLevel levels[] = {ThreadLevel::single, ThreadLevel::funneled, ThreadLevel::serialized,
                                    ThreadLevel::multiple};
  const ThreadLevel* const level = std::find_if(
      std::begin(levels), std::end(levels), [&](ThreadLevel l) { return static_cast<int>(l) >= required; });
  const ThreadLevel given = level == std::end(levels) ? ThreadLevel::multiple : *level;
  start(self, given);
  provided = static_cast<int>(given);
}

void Initialized(Rank& self, bool& flag)
{
  flag = self.api->initialized;
}

void Finalized(Rank& self, bool& flag)
{
  flag = self.api->finalized;
}

void Query_thread(Rank& self, int& provided)
{
  provided = static_cast<int>(self.api->world_level);
}

void Is_thread_main(Rank& self, bool& flag)
{
  flag = pthread_equal(self.api->main_thread, pthread_self()) != 0;
}

void Finalize(Rank& self)
{
  RankState& state = *self.api;
  if (!state.initialized || state.finalized) fail(ErrorClass::other, "MPI was not initialized by MPI_Init");
  // Before anything else the attributes of MPI_COMM_SELF are deleted, the last one first (§11.2.4).
  if (state.finalizing)
    fail(ErrorClass::other, "MPI_Finalize was called before: it calls the function that calls it");
  struct Finalizing {
    bool& flag;
    explicit Finalizing(bool& of) : flag(of) { flag = true; }
    ~Finalizing() { flag = false; }
  };
  {
    const Finalizing guard(state.finalizing);
    Communicator& own = comm::self(self);
    own.attributes.clear(&own);
  }
  p2p::complete_orphans(self);
  attend_to_late_errors(self);
  for (CallObserver* const observer : state.observers) observer->world_closes();
  // Users rely on it as in other implementations: what a rank does after MPI_Finalize comes after all have
  // called it.
  coll::finalize(comm::world(self));
  if (state.is_last_instance())
    for (CallObserver* const observer : state.observers) observer->last_instance_closes();
  state.comms.install(MPI_COMM_WORLD, {});
  state.comms.install(MPI_COMM_SELF, {});
  state.finalized = true;
  state.close_instance();
}

void Abort(Rank& self, Communicator&, int errorcode)
{
  self.job.abort(&self, errorcode, "called MPI_Abort with error code " + std::to_string(errorcode));
}

// Null, hence MPI_COMM_NULL, unless other processes have started this one.
void Comm_get_parent(Rank& self, CommRef& parent)
{
  parent = self.comm->parent;
}

// MPI_Comm_free, but what was sent has arrived when it returns (§11.10.4).
void Comm_disconnect(Rank& self, Communicator& comm)
{
  p2p::complete_orphans(self);
  attend_to_late_errors(self);
  comm::prepare_to_free(comm);
  keep_while_used(self, comm);
}

void Open_port(Rank& self, Info*, char* port_name)
{
  hand_out(port_name, MPI_MAX_PORT_NAME, self.comm->ports->open(self.job));
}

void Close_port(Rank& self, const char* port_name)
{
  self.comm->ports->close(port_name);
}

void Comm_accept(Rank&, const char* port_name, Info*, int root, Communicator& comm, CommRef& newcomm)
{
  coll::note_new_communicator(comm);
  newcomm = comm::accept(comm, root, port_name);
}

// §11.10.3: a call that nobody accepts fails after a while, which the key "timeout" changes, as in MPICH.
void Comm_connect(Rank&, const char* port_name, Info* info, int root, Communicator& comm, CommRef& newcomm)
{
  coll::note_new_communicator(comm);
  std::chrono::nanoseconds longest = std::chrono::seconds(60);
  if (const std::string* const text = info ? info->find("timeout") : nullptr) {
    const double seconds = std::strtod(text->c_str(), nullptr);
    if (seconds > 0)
      longest = std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(std::min(seconds, 1e9)));
  }
  newcomm = comm::connect(comm, root, port_name, longest);
}

void Publish_name(Rank& self, const char* service_name, Info*, const char* port_name)
{
  self.comm->ports->publish(service_name, port_name, self.job);
}

void Unpublish_name(Rank& self, const char* service_name, Info*, const char*)
{
  self.comm->ports->unpublish(service_name);
}

void Lookup_name(Rank& self, const char* service_name, Info*, char* port_name)
{
  hand_out(port_name, MPI_MAX_PORT_NAME, self.comm->ports->look_up(service_name));
}

void Comm_join(Rank& self, int fd, CommRef& intercomm)
{
  intercomm = comm::join(self, fd);
}

}  // namespace impl
}  // namespace ranklet::api
