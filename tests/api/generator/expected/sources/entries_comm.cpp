// Made from src/api/table: the entry points of chapter 7, Communicators.
#include "api/entry/entry.hpp"
#include "api/impl/impl.hpp"

using namespace ranklet;
using namespace ranklet::api;

extern "C" {

// 07_comm.txt:4
int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
  const Word words[] = {word(comm), word(rank)};
  Call call(functions[8], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_out(rank, "rank");
    impl::Comm_rank(state.rank, comm_, *rank);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Comm_rank")]] int MPI_Comm_rank(MPI_Comm comm, int *rank);

// 07_comm.txt:6
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
  const Word words[] = {word(comm), word(newcomm)};
  Call call(functions[9], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    Communicator& comm_ = state.comms.get(comm, "comm");
    check_out(newcomm, "newcomm");
    CommRef newcomm_{};
    impl::Comm_dup(state.rank, comm_, newcomm_);
    *newcomm = state.comms.put(std::move(newcomm_));
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Comm_dup")]] int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);

// 07_comm.txt:8
int PMPI_Comm_free(MPI_Comm *comm)
{
  const Word words[] = {word(comm)};
  Call call(functions[10], false, words, __builtin_return_address(0));
  try {
    RankState& state = call.enter();
    check_out(comm, "comm");
    Communicator& comm_ = state.comms.get_freeable(*comm, "comm");
    impl::Comm_free(state.rank, comm_);
    state.comms.retire(comm);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
[[gnu::weak, gnu::alias("PMPI_Comm_free")]] int MPI_Comm_free(MPI_Comm *comm);

}  // extern "C"
