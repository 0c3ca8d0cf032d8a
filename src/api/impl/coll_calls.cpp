// Blocking collectives (MPI 5.0 chapter 6, §8.6).
#include "api/impl/coll_arguments.hpp"
#include "api/impl/impl.hpp"
#include "coll/coll.hpp"

namespace ranklet::api::impl {

using namespace coll_arguments;

void Barrier(Rank&, Communicator& comm)
{
  coll::barrier(comm);
}

void Bcast(Rank&, void* buffer, Count count, Datatype& datatype, int root, Communicator& comm)
{
  coll::bcast(comm, {buffer, count, &datatype}, root);
}

void Gather(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf, Count recvcount,
            Datatype* recvtype, int root, Communicator& comm)
{
  coll::gather(comm, part(sendbuf, sendcount, sendtype),
               blocks(recvbuf, recvcount, recvtype, comm.peer_count(), "recvcount"), root);
}

void Gatherv(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf,
             CountArray recvcounts, CountArray displs, Datatype* recvtype, int root, Communicator& comm)
{
  coll::gather(comm, part(sendbuf, sendcount, sendtype),
               blocks(recvbuf, recvcounts, displs, recvtype, comm.peer_count(), "recvcounts"), root);
}

void Scatter(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf, Count recvcount,
             Datatype* recvtype, int root, Communicator& comm)
{
  coll::scatter(comm, blocks(sendbuf, sendcount, sendtype, comm.peer_count(), "sendcount"),
                part(recvbuf, recvcount, recvtype), root);
}

void Scatterv(Rank&, const void* sendbuf, CountArray sendcounts, CountArray displs, Datatype* sendtype,
              void* recvbuf, Count recvcount, Datatype* recvtype, int root, Communicator& comm)
{
  coll::scatter(comm, blocks(sendbuf, sendcounts, displs, sendtype, comm.peer_count(), "sendcounts"),
                part(recvbuf, recvcount, recvtype), root);
}

void Allgather(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf,
               Count recvcount, Datatype& recvtype, Communicator& comm)
{
  coll::allgather(comm, part(sendbuf, sendcount, sendtype),
                  blocks(recvbuf, recvcount, &recvtype, comm.peer_count(), "recvcount"));
}

void Allgatherv(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf,
                CountArray recvcounts, CountArray displs, Datatype& recvtype, Communicator& comm)
{
  coll::allgather(comm, part(sendbuf, sendcount, sendtype),
                  blocks(recvbuf, recvcounts, displs, &recvtype, comm.peer_count(), "recvcounts"));
}

void Alltoall(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf, Count recvcount,
              Datatype& recvtype, Communicator& comm)
{
  coll::alltoall(comm, blocks(sendbuf, sendcount, sendtype, comm.peer_count(), "sendcount"),
                 blocks(recvbuf, recvcount, &recvtype, comm.peer_count(), "recvcount"));
}

void Alltoallv(Rank&, const void* sendbuf, CountArray sendcounts, CountArray sdispls, Datatype* sendtype,
               void* recvbuf, CountArray recvcounts, CountArray rdispls, Datatype& recvtype,
               Communicator& comm)
{
  coll::alltoall(comm, blocks(sendbuf, sendcounts, sdispls, sendtype, comm.peer_count(), "sendcounts"),
                 blocks(recvbuf, recvcounts, rdispls, &recvtype, comm.peer_count(), "recvcounts"));
}

void Alltoallw(Rank&, const void* sendbuf, CountArray sendcounts, CountArray sdispls,
               HandleArray<TypeHandle> sendtypes, void* recvbuf, CountArray recvcounts, CountArray rdispls,
               HandleArray<TypeHandle> recvtypes, Communicator& comm)
{
  const int n = comm.peer_count();
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const Types send(sendtypes, in_place ? 0 : n, "sendtypes"), recv(recvtypes, n, "recvtypes");
  check_counts(sendcounts, send, "sendcounts");
  check_counts(recvcounts, recv, "recvcounts");
  coll::alltoall(comm, {send_buffer(sendbuf), array(sendcounts), array(sdispls), send.data()},
                 {recvbuf, array(recvcounts), array(rdispls), recv.data()});
}

void Reduce(Rank&, const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, int root,
            Communicator& comm)
{
  coll::reduce(comm, send_buffer(sendbuf), recvbuf, count, datatype, op, root);
}

void Allreduce(Rank&, const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op,
               Communicator& comm)
{
  coll::allreduce(comm, send_buffer(sendbuf), recvbuf, count, datatype, op);
}

void Reduce_local(Rank&, const void* inbuf, void* inoutbuf, Count count, Datatype& datatype, Op& op)
{
  check_valid_for(op, datatype);
  apply(op, inbuf, inoutbuf, count, datatype);
}

void Reduce_scatter_block(Rank&, const void* sendbuf, void* recvbuf, Count recvcount, Datatype& datatype,
                          Op& op, Communicator& comm)
{
  check_blocks(recvcount, datatype, comm.size(), "recvcount");
  coll::reduce_scatter_block(comm, send_buffer(sendbuf), recvbuf, recvcount, datatype, op);
}

void Reduce_scatter(Rank&, const void* sendbuf, void* recvbuf, CountArray recvcounts, Datatype& datatype,
                    Op& op, Communicator& comm)
{
  check_counts(recvcounts, comm.size(), datatype, "recvcounts");
  coll::reduce_scatter(comm, send_buffer(sendbuf), recvbuf, array(recvcounts), datatype, op);
}

void Scan(Rank&, const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op,
          Communicator& comm)
{
  coll::scan(comm, send_buffer(sendbuf), recvbuf, count, datatype, op);
}

void Exscan(Rank&, const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op,
            Communicator& comm)
{
  coll::exscan(comm, send_buffer(sendbuf), recvbuf, count, datatype, op);
}

void Neighbor_allgather(Rank&, const void* sendbuf, Count sendcount, Datatype& sendtype, void* recvbuf,
                        Count recvcount, Datatype& recvtype, Communicator& comm)
{
  coll::neighbor_allgather(comm, {sendbuf, sendcount, &sendtype},
                           blocks(recvbuf, recvcount, &recvtype, indegree(comm), "recvcount"));
}

void Neighbor_allgatherv(Rank&, const void* sendbuf, Count sendcount, Datatype& sendtype, void* recvbuf,
                         CountArray recvcounts, CountArray displs, Datatype& recvtype, Communicator& comm)
{
  coll::neighbor_allgather(comm, {sendbuf, sendcount, &sendtype},
                           blocks(recvbuf, recvcounts, displs, &recvtype, indegree(comm), "recvcounts"));
}

void Neighbor_alltoall(Rank&, const void* sendbuf, Count sendcount, Datatype& sendtype, void* recvbuf,
                       Count recvcount, Datatype& recvtype, Communicator& comm)
{
  coll::neighbor_alltoall(comm, blocks(sendbuf, sendcount, &sendtype, outdegree(comm), "sendcount"),
                          blocks(recvbuf, recvcount, &recvtype, indegree(comm), "recvcount"));
}

void Neighbor_alltoallv(Rank&, const void* sendbuf, CountArray sendcounts, CountArray sdispls,
                        Datatype& sendtype, void* recvbuf, CountArray recvcounts, CountArray rdispls,
                        Datatype& recvtype, Communicator& comm)
{
  coll::neighbor_alltoall(comm,
                          blocks(sendbuf, sendcounts, sdispls, &sendtype, outdegree(comm), "sendcounts"),
                          blocks(recvbuf, recvcounts, rdispls, &recvtype, indegree(comm), "recvcounts"));
}

void Neighbor_alltoallw(Rank&, const void* sendbuf, CountArray sendcounts, CountArray sdispls,
                        HandleArray<TypeHandle> sendtypes, void* recvbuf, CountArray recvcounts,
                        CountArray rdispls, HandleArray<TypeHandle> recvtypes, Communicator& comm)
{
  if (!comm.topology) fail(ErrorClass::topology, "the communicator has no topology");
  const Types send(sendtypes, outdegree(comm), "sendtypes"), recv(recvtypes, indegree(comm), "recvtypes");
  check_counts(sendcounts, send, "sendcounts");
  check_counts(recvcounts, recv, "recvcounts");
  coll::neighbor_alltoall(comm, {sendbuf, array(sendcounts), array(sdispls), send.data()},
                          {recvbuf, array(recvcounts), array(rdispls), recv.data()});
}

}  // namespace ranklet::api::impl
