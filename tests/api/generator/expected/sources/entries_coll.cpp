// Made from src/api/table: the entry points of chapter 6, Collective operations.
#include "api/entry/entry.hpp"
#include "api/impl/impl.hpp"

using namespace ranklet;
using namespace ranklet::api;

extern "C" {

// 06_coll.txt:4
int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
  const Word words[] = {word(buffer), word(count), word(datatype), word(root), word(comm)};
  Call call(functions[6], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    const Role role = check_root(root, comm_, "root");
    if (role != Role::outside) { check_buffer(buffer, count, datatype, "buffer", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)"); }
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    impl::Bcast(state.rank, buffer, count, datatype_, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Bcast")]] int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);

// 06_coll.txt:4
int PMPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
  const Word words[] = {word(buffer), word(count), word(datatype), word(root), word(comm)};
  Call call(functions[6], true, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    const Role role = check_root(root, comm_, "root");
    if (role != Role::outside) { check_buffer(buffer, count, datatype, "buffer", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)"); }
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    impl::Bcast(state.rank, buffer, count, datatype_, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Bcast_c")]] int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);

// 06_coll.txt:7
int PMPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
  const Word words[] = {word(sendbuf), word(sendcount), word(sendtype), word(recvbuf), word(recvcount), word(recvtype), word(root), word(comm)};
  Call call(functions[7], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    const Role role = check_root(root, comm_, "root");
    if (gives_as_member(role, comm_)) { if (sendbuf == MPI_IN_PLACE) check_in_place(role, comm_, "sendbuf", "MPI 5.0 §6.5"); else check_buffer(sendbuf, sendcount, sendtype, "sendbuf", "which only sendbuf may be (MPI 5.0 §6.5)"); }
    Datatype* const sendtype_ = sendbuf != MPI_IN_PLACE && gives_as_member(role, comm_) ? &state.types.get(sendtype, "sendtype") : nullptr;
    if (sendtype_) { check_committed(*sendtype_, "sendtype"); check_count(sendcount, *sendtype_, "sendcount"); }
    if (role == Role::root) { check_buffer(recvbuf, recvcount, recvtype, "recvbuf", "which only sendbuf may be (MPI 5.0 §6.5)"); }
    Datatype* const recvtype_ = role == Role::root ? &state.types.get(recvtype, "recvtype") : nullptr;
    if (recvtype_) { check_committed(*recvtype_, "recvtype"); check_count(recvcount, *recvtype_, "recvcount"); }
    impl::Gather(state.rank, sendbuf, sendcount, sendtype_, recvbuf, recvcount, recvtype_, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Gather")]] int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);

// 06_coll.txt:7
int PMPI_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
  const Word words[] = {word(sendbuf), word(sendcount), word(sendtype), word(recvbuf), word(recvcount), word(recvtype), word(root), word(comm)};
  Call call(functions[7], true, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    const Role role = check_root(root, comm_, "root");
    if (gives_as_member(role, comm_)) { if (sendbuf == MPI_IN_PLACE) check_in_place(role, comm_, "sendbuf", "MPI 5.0 §6.5"); else check_buffer(sendbuf, sendcount, sendtype, "sendbuf", "which only sendbuf may be (MPI 5.0 §6.5)"); }
    Datatype* const sendtype_ = sendbuf != MPI_IN_PLACE && gives_as_member(role, comm_) ? &state.types.get(sendtype, "sendtype") : nullptr;
    if (sendtype_) { check_committed(*sendtype_, "sendtype"); check_count(sendcount, *sendtype_, "sendcount"); }
    if (role == Role::root) { check_buffer(recvbuf, recvcount, recvtype, "recvbuf", "which only sendbuf may be (MPI 5.0 §6.5)"); }
    Datatype* const recvtype_ = role == Role::root ? &state.types.get(recvtype, "recvtype") : nullptr;
    if (recvtype_) { check_committed(*recvtype_, "recvtype"); check_count(recvcount, *recvtype_, "recvcount"); }
    impl::Gather(state.rank, sendbuf, sendcount, sendtype_, recvbuf, recvcount, recvtype_, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Gather_c")]] int MPI_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);

}  // extern "C"
