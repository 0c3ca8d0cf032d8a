// Made from src/api/table: the entry points of chapter 3, Messages.
#include "api/entry/entry.hpp"
#include "api/impl/impl.hpp"
#include "p2p/starting.hpp"
#include "p2p/p2p.hpp"

using namespace ranklet;
using namespace ranklet::api;

extern "C" {

// 03_p2p.txt:4
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
  const Word words[] = {word(buf), word(count), word(datatype), word(dest), word(tag), word(comm)};
  Call call(functions[0], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_buffer(buf, count, datatype, "buf", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)");
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    check_dest(dest, comm_, "dest");
    check_tag(tag, "tag");
    impl::Send(state.rank, buf, count, datatype_, dest, tag, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Send")]] int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

// 03_p2p.txt:4
int PMPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
  const Word words[] = {word(buf), word(count), word(datatype), word(dest), word(tag), word(comm)};
  Call call(functions[0], true, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_buffer(buf, count, datatype, "buf", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)");
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    check_dest(dest, comm_, "dest");
    check_tag(tag, "tag");
    impl::Send(state.rank, buf, count, datatype_, dest, tag, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Send_c")]] int MPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

// 03_p2p.txt:6
int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
  const Word words[] = {word(buf), word(count), word(datatype), word(source), word(tag), word(comm), word(status)};
  Call call(functions[1], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_buffer(buf, count, datatype, "buf", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)");
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    check_source(source, comm_, "source");
    check_anytag(tag, comm_, "tag");
    impl::Recv(state.rank, buf, count, datatype_, source, tag, comm_, status_out(status));
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Recv")]] int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status);

// 03_p2p.txt:6
int PMPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
  const Word words[] = {word(buf), word(count), word(datatype), word(source), word(tag), word(comm), word(status)};
  Call call(functions[1], true, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_buffer(buf, count, datatype, "buf", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)");
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    check_source(source, comm_, "source");
    check_anytag(tag, comm_, "tag");
    impl::Recv(state.rank, buf, count, datatype_, source, tag, comm_, status_out(status));
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Recv_c")]] int MPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status);

// 03_p2p.txt:8
int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
  const Word words[] = {word(buf), word(count), word(datatype), word(dest), word(tag), word(comm)};
  Call call(functions[2], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_buffer(buf, count, datatype, "buf", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)");
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    check_dest(dest, comm_, "dest");
    check_tag(tag, "tag");
    p2p::send(comm_, p2p::Mode::synchronous, buf, count, datatype_, dest, tag);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Ssend")]] int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

// 03_p2p.txt:8
int PMPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
  const Word words[] = {word(buf), word(count), word(datatype), word(dest), word(tag), word(comm)};
  Call call(functions[2], true, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_buffer(buf, count, datatype, "buf", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)");
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    check_dest(dest, comm_, "dest");
    check_tag(tag, "tag");
    p2p::send(comm_, p2p::Mode::synchronous, buf, count, datatype_, dest, tag);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Ssend_c")]] int MPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

// 03_p2p.txt:12
int PMPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
  const Word words[] = {word(buf), word(count), word(datatype), word(dest), word(tag), word(comm), word(request)};
  Call call(functions[3], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_buffer(buf, count, datatype, "buf", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)");
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    check_dest(dest, comm_, "dest");
    check_tag(tag, "tag");
    check_out(request, "request");
    Request* request_{};
    impl::Isend(state.rank, buf, count, datatype_, dest, tag, comm_, request_);
    *request = state.requests.put(std::move(request_));
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Isend")]] int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request);

// 03_p2p.txt:12
int PMPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
  const Word words[] = {word(buf), word(count), word(datatype), word(dest), word(tag), word(comm), word(request)};
  Call call(functions[3], true, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_buffer(buf, count, datatype, "buf", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)");
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    check_dest(dest, comm_, "dest");
    check_tag(tag, "tag");
    check_out(request, "request");
    Request* request_{};
    impl::Isend(state.rank, buf, count, datatype_, dest, tag, comm_, request_);
    *request = state.requests.put(std::move(request_));
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Isend_c")]] int MPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request);

// 03_p2p.txt:14
int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
  const Word words[] = {word(buf), word(count), word(datatype), word(source), word(tag), word(comm), word(request)};
  Call call(functions[4], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_buffer(buf, count, datatype, "buf", "which stands for a buffer of some collectives only (MPI 5.0 §6.2.1)");
    Datatype& datatype_ = state.types.get(datatype, "datatype");
    check_committed(datatype_, "datatype");
    check_count(count, datatype_, "count");
    check_source(source, comm_, "source");
    check_anytag(tag, comm_, "tag");
    check_out(request, "request");
    p2p::start_receive(comm_, buf, count, datatype_, source, tag, RequestOut(state, request));
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Irecv")]] int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request);

// 03_p2p.txt:16
int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
  const Word words[] = {word(request), word(status)};
  Call call(functions[5], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    check_out(request, "request");
    impl::Wait(state.rank, RequestRef(state, request), status_out(status));
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Wait")]] int MPI_Wait(MPI_Request *request, MPI_Status *status);

}  // extern "C"
