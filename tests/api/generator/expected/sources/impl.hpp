// Made from src/api/table: what the hand-written part of the interface must define (src/api/impl).
#pragma once

#include "api/entry/entry.hpp"

namespace ranklet::api::impl {

// Chapter 3: Messages
void Send(Rank& self, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm);
void Recv(Rank& self, void* buf, Count count, Datatype& datatype, int source, int tag, Communicator& comm, Status* status);
void Isend(Rank& self, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm, Request*& request);
void Wait(Rank& self, RequestRef request, Status* status);

// Chapter 6: Collective operations
void Bcast(Rank& self, void* buffer, Count count, Datatype& datatype, int root, Communicator& comm);
void Gather(Rank& self, const void* sendbuf, Count sendcount, Datatype* sendtype, void* recvbuf, Count recvcount, Datatype* recvtype, int root, Communicator& comm);

// Chapter 7: Communicators
void Comm_rank(Rank& self, Communicator& comm, int& rank);
void Comm_dup(Rank& self, Communicator& comm, CommRef& newcomm);
void Comm_free(Rank& self, Communicator& comm);

}  // namespace ranklet::api::impl
