// Messages (MPI 5.0 chapter 3); requests are in completion_calls.cpp and request_life_calls.cpp.
#include "api/entry/request_calls.hpp"
#include "api/impl/impl.hpp"
#include "p2p/p2p.hpp"

namespace ranklet::api::impl {

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
