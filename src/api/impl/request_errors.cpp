// To which communicator the error of a request belongs (MPI 5.0 §9.3).
#include "api/entry/request_calls.hpp"

namespace ranklet::api {

CommRef find_comm(Rank& self, std::uint32_t context)
{
  if (self.comm) {
    for (const CommRef& comm : {self.comm->world, self.comm->self})
      if (comm && comm->context() == context) return comm;
  }
  CommRef found;
  self.api->comms.for_each([&](MPI_Comm, CommRef& comm) {
    if (comm->context() == context) found = comm;
  });
  return found;
}

CommRef find_used_comm(Rank& self, std::uint32_t context)
{
  CommRef comm = find_comm(self, context);
  return comm ? comm : self.api->freed_comms.find(context);
}

void keep_while_used(Rank& self, Communicator& comm)
{
  RankState& state = *self.api;
  std::vector<std::uint32_t> contexts;
  state.requests.for_each([&](MPI_Request, const Request* request) {
    if (contexts.empty() || contexts.back() != request->context()) contexts.push_back(request->context());
  });
  if (contexts.empty() && state.freed_comms.empty()) return;
  state.freed_comms.update(CommRef(comm), contexts);
}

void blame_context(Rank& self, std::uint32_t context) noexcept
{
  if (const CommRef comm = find_used_comm(self, context)) blame(*comm);
}

void report_late_errors(Rank& self)
{
  RankState& state = *self.api;
  for (const p2p::LateError& late : p2p::take_late_errors(self)) {
    const int code = state.codes.remember(late.error.error_class(), late.error.message());
    // As of any operation that belongs to no object where its communicator is gone (§9.3).
    const Communicator& comm = late.comm ? *late.comm : state.keeper_of_errors();
    call_errhandler(state, comm.errhandler.get(), Subject::comm, handle_value(state.comms.handle_of(comm)),
                    code);
  }
}

}  // namespace ranklet::api
