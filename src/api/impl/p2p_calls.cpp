// Messages (MPI 5.0 chapter 3); requests are in completion_calls.cpp and request_life_calls.cpp.
#include "api/entry/request_calls.hpp"
#include "api/impl/impl.hpp"
#include "p2p/p2p.hpp"

namespace ranklet::api::impl {

using p2p::Mode;

void Send(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm)
{
  p2p::send(comm, Mode::standard, buf, count, datatype, dest, tag);
}

void Bsend(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm)
{
  p2p::send(comm, Mode::buffered, buf, count, datatype, dest, tag);
}

void Ssend(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm)
{
  p2p::send(comm, Mode::synchronous, buf, count, datatype, dest, tag);
}

void Rsend(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm)
{
  p2p::send(comm, Mode::ready, buf, count, datatype, dest, tag);
}

void Recv(Rank&, void* buf, Count count, Datatype& datatype, int source, int tag, Communicator& comm,
          Status* status)
{
  p2p::receive(comm, buf, count, datatype, source, tag, status);
}

void Isend(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm,
           Request*& request)
{
  request = &p2p::isend(comm, Mode::standard, buf, count, datatype, dest, tag);
}

void Ibsend(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm,
            Request*& request)
{
  request = &p2p::isend(comm, Mode::buffered, buf, count, datatype, dest, tag);
}

void Issend(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm,
            Request*& request)
{
  request = &p2p::isend(comm, Mode::synchronous, buf, count, datatype, dest, tag);
}

void Irsend(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm,
            Request*& request)
{
  request = &p2p::isend(comm, Mode::ready, buf, count, datatype, dest, tag);
}

void Irecv(Rank&, void* buf, Count count, Datatype& datatype, int source, int tag, Communicator& comm,
           Request*& request)
{
  request = &p2p::ireceive(comm, buf, count, datatype, source, tag);
}

void Send_init(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag, Communicator& comm,
               Request*& request)
{
  request = &p2p::send_init(comm, Mode::standard, buf, count, datatype, dest, tag);
}

void Bsend_init(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag,
                Communicator& comm, Request*& request)
{
  request = &p2p::send_init(comm, Mode::buffered, buf, count, datatype, dest, tag);
}

void Ssend_init(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag,
                Communicator& comm, Request*& request)
{
  request = &p2p::send_init(comm, Mode::synchronous, buf, count, datatype, dest, tag);
}

void Rsend_init(Rank&, const void* buf, Count count, Datatype& datatype, int dest, int tag,
                Communicator& comm, Request*& request)
{
  request = &p2p::send_init(comm, Mode::ready, buf, count, datatype, dest, tag);
}

void Recv_init(Rank&, void* buf, Count count, Datatype& datatype, int source, int tag, Communicator& comm,
               Request*& request)
{
  request = &p2p::receive_init(comm, buf, count, datatype, source, tag);
}

void Sendrecv(Rank&, const void* sendbuf, Count sendcount, Datatype& sendtype, int dest, int sendtag,
              void* recvbuf, Count recvcount, Datatype& recvtype, int source, int recvtag, Communicator& comm,
              Status* status)
{
  p2p::send_receive(comm, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                    recvtag, status);
}

void Sendrecv_replace(Rank&, void* buf, Count count, Datatype& datatype, int dest, int sendtag, int source,
                      int recvtag, Communicator& comm, Status* status)
{
  p2p::send_receive_replace(comm, buf, count, datatype, dest, sendtag, source, recvtag, status);
}

void Isendrecv(Rank&, const void* sendbuf, Count sendcount, Datatype& sendtype, int dest, int sendtag,
               void* recvbuf, Count recvcount, Datatype& recvtype, int source, int recvtag,
               Communicator& comm, Request*& request)
{
  request = &p2p::isend_receive(comm, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                                recvtype, source, recvtag);
}

void Isendrecv_replace(Rank&, void* buf, Count count, Datatype& datatype, int dest, int sendtag, int source,
                       int recvtag, Communicator& comm, Request*& request)
{
  request = &p2p::isend_receive_replace(comm, buf, count, datatype, dest, sendtag, source, recvtag);
}

void Probe(Rank&, int source, int tag, Communicator& comm, Status* status)
{
  write_status(status, p2p::probe(comm, source, tag));
}

void Iprobe(Rank& self, int source, int tag, Communicator& comm, bool& flag, Status* status)
{
  const std::optional<Status> found = p2p::iprobe(comm, source, tag);
  flag = found.has_value();
  if (flag)
    write_status(status, *found);
  else
    after_fruitless_test(self);
}

void Mprobe(Rank&, int source, int tag, Communicator& comm, std::optional<p2p::Message>& message,
            Status* status)
{
  message = p2p::mprobe(comm, source, tag, status);
}

void Improbe(Rank& self, int source, int tag, Communicator& comm, bool& flag,
             std::optional<p2p::Message>& message, Status* status)
{
  message = p2p::improbe(comm, source, tag, status);
  flag = message.has_value();
  if (!flag) after_fruitless_test(self);
}

void Mrecv(Rank& self, void* buf, Count count, Datatype& datatype, const p2p::Message& message,
           Status* status)
{
  blaming(self, message.context, [&] { p2p::mreceive(message, buf, count, datatype, status); });
}

void Imrecv(Rank& self, void* buf, Count count, Datatype& datatype, const p2p::Message& message,
            Request*& request)
{
  blaming(self, message.context, [&] { request = &p2p::imreceive(message, buf, count, datatype); });
}

}  // namespace ranklet::api::impl
