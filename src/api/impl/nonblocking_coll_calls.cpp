// Nonblocking and persistent collectives (MPI 5.0 §6.12, §6.13, §8.7, §8.8).
#include "api/impl/coll_arguments.hpp"
#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

using namespace coll_arguments;

namespace {

coll::Life life(bool persistent)
{
  return persistent ? coll::Life::persistent : coll::Life::once;
}

}  // namespace

void Ibarrier(Rank&, Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::ibarrier(comm, life(persistent));
}

void Ibcast(Rank&, void* buffer, Count count, Datatype& datatype, int root, Communicator& comm,
            Request*& request, bool persistent)
{
  request = &coll::ibcast(comm, {buffer, count, &datatype}, root, life(persistent));
}

void Igather(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf, Count recvcount,
             Datatype* recvtype, int root, Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::igather(comm, part(sendbuf, sendcount, sendtype),
                           blocks(recvbuf, recvcount, recvtype, comm.peer_count(), "recvcount"),
                           coll::Sizes::equal, root, life(persistent));
}

void Igatherv(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf,
              CountArray recvcounts, CountArray displs, Datatype* recvtype, int root, Communicator& comm,
              Request*& request, bool persistent)
{
  request = &coll::igather(comm, part(sendbuf, sendcount, sendtype),
                           blocks(recvbuf, recvcounts, displs, recvtype, comm.peer_count(), "recvcounts"),
                           coll::Sizes::own, root, life(persistent));
}

void Iscatter(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf, Count recvcount,
              Datatype* recvtype, int root, Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::iscatter(comm, blocks(sendbuf, sendcount, sendtype, comm.peer_count(), "sendcount"),
                            part(recvbuf, recvcount, recvtype), coll::Sizes::equal, root, life(persistent));
}

void Iscatterv(Rank&, const void* sendbuf, CountArray sendcounts, CountArray displs, Datatype* sendtype,
               void* recvbuf, Count recvcount, Datatype* recvtype, int root, Communicator& comm,
               Request*& request, bool persistent)
{
  request =
      &coll::iscatter(comm, blocks(sendbuf, sendcounts, displs, sendtype, comm.peer_count(), "sendcounts"),
                      part(recvbuf, recvcount, recvtype), coll::Sizes::own, root, life(persistent));
}

void Iallgather(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf,
                Count recvcount, Datatype& recvtype, Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::iallgather(comm, part(sendbuf, sendcount, sendtype),
                              blocks(recvbuf, recvcount, &recvtype, comm.peer_count(), "recvcount"),
                              life(persistent));
}

void Iallgatherv(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf,
                 CountArray recvcounts, CountArray displs, Datatype& recvtype, Communicator& comm,
                 Request*& request, bool persistent)
{
  request = &coll::iallgather(comm, part(sendbuf, sendcount, sendtype),
                              blocks(recvbuf, recvcounts, displs, &recvtype, comm.peer_count(), "recvcounts"),
                              life(persistent));
}

void Ialltoall(Rank&, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf,
               Count recvcount, Datatype& recvtype, Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::ialltoall(comm, blocks(sendbuf, sendcount, sendtype, comm.peer_count(), "sendcount"),
                             blocks(recvbuf, recvcount, &recvtype, comm.peer_count(), "recvcount"),
                             life(persistent));
}

void Ialltoallv(Rank&, const void* sendbuf, CountArray sendcounts, CountArray sdispls, Datatype* sendtype,
                void* recvbuf, CountArray recvcounts, CountArray rdispls, Datatype& recvtype,
                Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::ialltoall(
      comm, blocks(sendbuf, sendcounts, sdispls, sendtype, comm.peer_count(), "sendcounts"),
      blocks(recvbuf, recvcounts, rdispls, &recvtype, comm.peer_count(), "recvcounts"), life(persistent));
}

void Ialltoallw(Rank&, const void* sendbuf, CountArray sendcounts, CountArray sdispls,
                HandleArray<TypeHandle> sendtypes, void* recvbuf, CountArray recvcounts, CountArray rdispls,
                HandleArray<TypeHandle> recvtypes, Communicator& comm, Request*& request, bool persistent)
{
  const int n = comm.peer_count();
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const Types send(sendtypes, in_place ? 0 : n, "sendtypes"), recv(recvtypes, n, "recvtypes");
  check_counts(sendcounts, send, "sendcounts");
  check_counts(recvcounts, recv, "recvcounts");
  request = &coll::ialltoall(comm, {send_buffer(sendbuf), array(sendcounts), array(sdispls), send.data()},
                             {recvbuf, array(recvcounts), array(rdispls), recv.data()}, life(persistent));
}

void Ireduce(Rank&, const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, int root,
             Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::ireduce(comm, send_buffer(sendbuf), recvbuf, count, datatype, op, root, life(persistent));
}

void Iallreduce(Rank&, const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op,
                Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::iallreduce(comm, send_buffer(sendbuf), recvbuf, count, datatype, op, life(persistent));
}

void Ireduce_scatter_block(Rank&, const void* sendbuf, void* recvbuf, Count recvcount, Datatype& datatype,
                           Op& op, Communicator& comm, Request*& request, bool persistent)
{
  check_blocks(recvcount, datatype, comm.size(), "recvcount");
  request = &coll::ireduce_scatter_block(comm, send_buffer(sendbuf), recvbuf, recvcount, datatype, op,
                                         life(persistent));
}

void Ireduce_scatter(Rank&, const void* sendbuf, void* recvbuf, CountArray recvcounts, Datatype& datatype,
                     Op& op, Communicator& comm, Request*& request, bool persistent)
{
  check_counts(recvcounts, comm.size(), datatype, "recvcounts");
  request = &coll::ireduce_scatter(comm, send_buffer(sendbuf), recvbuf, array(recvcounts), datatype, op,
                                   life(persistent));
}

void Iscan(Rank&, const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op,
           Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::iscan(comm, send_buffer(sendbuf), recvbuf, count, datatype, op, life(persistent));
}

void Iexscan(Rank&, const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op,
             Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::iexscan(comm, send_buffer(sendbuf), recvbuf, count, datatype, op, life(persistent));
}

void Ineighbor_allgather(Rank&, const void* sendbuf, Count sendcount, Datatype& sendtype, void* recvbuf,
                         Count recvcount, Datatype& recvtype, Communicator& comm, Request*& request,
                         bool persistent)
{
  request = &coll::ineighbor_allgather(comm, {sendbuf, sendcount, &sendtype},
                                       blocks(recvbuf, recvcount, &recvtype, indegree(comm), "recvcount"),
                                       life(persistent));
}

void Ineighbor_allgatherv(Rank&, const void* sendbuf, Count sendcount, Datatype& sendtype, void* recvbuf,
                          CountArray recvcounts, CountArray displs, Datatype& recvtype, Communicator& comm,
                          Request*& request, bool persistent)
{
  request = &coll::ineighbor_allgather(
      comm, {sendbuf, sendcount, &sendtype},
      blocks(recvbuf, recvcounts, displs, &recvtype, indegree(comm), "recvcounts"), life(persistent));
}

void Ineighbor_alltoall(Rank&, const void* sendbuf, Count sendcount, Datatype& sendtype, void* recvbuf,
                        Count recvcount, Datatype& recvtype, Communicator& comm, Request*& request,
                        bool persistent)
{
  request = &coll::ineighbor_alltoall(
      comm, blocks(sendbuf, sendcount, &sendtype, outdegree(comm), "sendcount"),
      blocks(recvbuf, recvcount, &recvtype, indegree(comm), "recvcount"), life(persistent));
}

void Ineighbor_alltoallv(Rank&, const void* sendbuf, CountArray sendcounts, CountArray sdispls,
                         Datatype& sendtype, void* recvbuf, CountArray recvcounts, CountArray rdispls,
                         Datatype& recvtype, Communicator& comm, Request*& request, bool persistent)
{
  request = &coll::ineighbor_alltoall(
      comm, blocks(sendbuf, sendcounts, sdispls, &sendtype, outdegree(comm), "sendcounts"),
      blocks(recvbuf, recvcounts, rdispls, &recvtype, indegree(comm), "recvcounts"), life(persistent));
}

void Ineighbor_alltoallw(Rank&, const void* sendbuf, CountArray sendcounts, CountArray sdispls,
                         HandleArray<TypeHandle> sendtypes, void* recvbuf, CountArray recvcounts,
                         CountArray rdispls, HandleArray<TypeHandle> recvtypes, Communicator& comm,
                         Request*& request, bool persistent)
{
  if (!comm.topology) fail(ErrorClass::topology, "the communicator has no topology");
  const Types send(sendtypes, outdegree(comm), "sendtypes"), recv(recvtypes, indegree(comm), "recvtypes");
  check_counts(sendcounts, send, "sendcounts");
  check_counts(recvcounts, recv, "recvcounts");
  request =
      &coll::ineighbor_alltoall(comm, {sendbuf, array(sendcounts), array(sdispls), send.data()},
                                {recvbuf, array(recvcounts), array(rdispls), recv.data()}, life(persistent));
}

}  // namespace ranklet::api::impl
