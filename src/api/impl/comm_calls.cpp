// Communicators (MPI 5.0 §7.4, §7.6, §7.8); their attributes are in comm_attribute_calls.cpp.
#include "api/entry/request_calls.hpp"
#include "api/handles/comparison.hpp"
#include "api/handles/strings.hpp"
#include "api/impl/impl.hpp"
#include "coll/coll.hpp"

namespace ranklet::api::impl {

namespace {

comm::SplitKind split_kind(int split_type)
{
  switch (split_type) {
    case MPI_COMM_TYPE_SHARED:
      return comm::SplitKind::shared;
    case MPI_COMM_TYPE_HW_GUIDED:
      return comm::SplitKind::hw_guided;
    case MPI_COMM_TYPE_HW_UNGUIDED:
      return comm::SplitKind::hw_unguided;
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
      return comm::SplitKind::resource_guided;
    case MPI_UNDEFINED:
      return comm::SplitKind::none;
    default:
      fail(ErrorClass::arg, "%d is no kind of split", split_type);
  }
}

}  // namespace

void Comm_size(Rank&, Communicator& comm, int& size)
{
  size = comm.size();
}

void Comm_rank(Rank&, Communicator& comm, int& rank)
{
  rank = comm.rank();
}

void Comm_group(Rank&, Communicator& comm, GroupPtr& group)
{
  // The members may have it from different sessions, each from its own.
  group = derived_from(comm.group(), comm.session_buffer);
}

void Comm_compare(Rank&, Communicator& comm1, Communicator& comm2, int& result)
{
  result = comparison_constant(comm::compare(comm1, comm2));
}

void Comm_dup(Rank&, Communicator& comm, CommRef& newcomm)
{
  coll::note_new_communicator(comm);
  newcomm = comm::dup(comm);
}

void Comm_dup_with_info(Rank&, Communicator& comm, Info* info, CommRef& newcomm)
{
  coll::note_new_communicator(comm);
  newcomm = comm::dup(comm);
  if (info) newcomm->hints.set(*info);
}

void Comm_idup(Rank& self, Communicator& comm, CommRef& newcomm, Request*& request)
{
  newcomm = comm::dup(comm);
  request = &self.api->done_request;
}

void Comm_idup_with_info(Rank& self, Communicator& comm, Info* info, CommRef& newcomm, Request*& request)
{
  Comm_dup_with_info(self, comm, info, newcomm);
  request = &self.api->done_request;
}

void Comm_create(Rank&, Communicator& comm, const GroupPtr& group, CommRef& newcomm)
{
  coll::note_new_communicator(comm);
  newcomm = comm::create(comm, group);
}

void Comm_create_group(Rank&, Communicator& comm, const GroupPtr& group, int tag, CommRef& newcomm)
{
  newcomm = comm::create_group(comm, group, tag);
}

void Comm_split(Rank&, Communicator& comm, int color, int key, CommRef& newcomm)
{
  coll::note_new_communicator(comm);
  newcomm = comm::split(comm, color, key);
}

void Comm_split_type(Rank&, Communicator& comm, int split_type, int key, Info* info, CommRef& newcomm)
{
  coll::note_new_communicator(comm);
  const std::string* const resource = info ? info->find("mpi_hw_resource_type") : nullptr;
  newcomm = comm::split_type(comm, split_kind(split_type), key, resource ? *resource : std::string());
}

void Comm_free(Rank& self, Communicator& comm)
{
  comm::prepare_to_free(comm);
  keep_while_used(self, comm);
}

void Comm_set_info(Rank&, Communicator& comm, Info* info)
{
  if (info) comm.hints.set(*info);
}

void Comm_get_info(Rank&, Communicator& comm, InfoPtr& info_used)
{
  info_used = std::make_unique<Info>(comm.hints.info());
  info_used->set(memory_kinds_key, memory_kinds);
}

void Comm_test_inter(Rank&, Communicator& comm, bool& flag)
{
  flag = comm.is_inter();
}

void Comm_remote_size(Rank&, Communicator& comm, int& size)
{
  if (!comm.is_inter()) fail(ErrorClass::comm, "the communicator is an intracommunicator");
  size = comm.peer_count();
}

void Comm_remote_group(Rank&, Communicator& comm, GroupPtr& group)
{
  if (!comm.is_inter()) fail(ErrorClass::comm, "the communicator is an intracommunicator");
  group = derived_from(comm.peers(), comm.session_buffer);
}

void Intercomm_create(Rank&, Communicator& local_comm, int local_leader, Communicator* peer_comm,
                      int remote_leader, int tag, CommRef& newintercomm)
{
  // A refused member takes no part, as members that are refused for something else would miss it.
  if (!local_comm.is_inter()) coll::note_new_communicator(local_comm);
  newintercomm = comm::intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag);
}

void Intercomm_merge(Rank&, Communicator& intercomm, bool high, CommRef& newintracomm)
{
  if (intercomm.is_inter()) coll::note_new_communicator(intercomm);
  newintracomm = comm::merge(intercomm, high);
}

void Comm_set_name(Rank&, Communicator& comm, const char* comm_name)
{
  comm.name = std::string_view(comm_name).substr(0, MPI_MAX_OBJECT_NAME - 1);
}

// §7.8: the null handle has its constant's name.
void Comm_get_name(Rank&, Communicator* comm, char* comm_name, int& resultlen)
{
  resultlen = hand_out(comm_name, MPI_MAX_OBJECT_NAME, comm ? comm->name : "MPI_COMM_NULL");
}

}  // namespace ranklet::api::impl
