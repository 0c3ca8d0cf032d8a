// Generalized requests (MPI 5.0 §13.2): their class and their calls.
#include "api/impl/generalized.hpp"
#include "api/entry/request_calls.hpp"
#include "api/impl/impl.hpp"

namespace ranklet::api {

namespace {

void check_code(int code)
{
  if (code != MPI_SUCCESS) throw Error(static_cast<ErrorClass>(code), "");
}

}  // namespace

GeneralizedRequest::GeneralizedRequest(Rank& owner, MPI_Grequest_query_function* query_fn,
                                       MPI_Grequest_free_function* free_fn,
                                       MPI_Grequest_cancel_function* cancel_fn, void* extra_state) noexcept
    : Request(owner), query_(query_fn), free_(free_fn), cancel_(cancel_fn), extra_state_(extra_state)
{
  active_ = true;
  // The program may complete it anywhere else.
  owner.outside_events.add(1);
}

bool GeneralizedRequest::end()
{
  if (complete()) fail(ErrorClass::request, "the generalized request was completed before");
  owner().outside_events.add(-1);
  if (ends_.add(1) == 2) return true;
  finish();
  return false;
}

bool GeneralizedRequest::let_go()
{
  if (ends_.add(1) == 1) return false;
  // The completing thread has counted, and is about to make its last use of the request.
  while (!complete()) memmodel::Native::yield();
  return true;
}

void GeneralizedRequest::free()
{
  check_code(free_(extra_state_));
}

ErrorClass GeneralizedRequest::reap(Status* status)
{
  Status result;
  const int query_code = query_(extra_state_, reinterpret_cast<MPI_Status*>(&result));
  if (status) *status = result;
  active_ = false;
  // The error to report is that of the last callback (§13.2); an earlier one is not to be lost either.
  const int free_code = free_(extra_state_);
  return static_cast<ErrorClass>(free_code != MPI_SUCCESS ? free_code : query_code);
}

void GeneralizedRequest::peek(Status* status) const
{
  Status result;
  check_code(query_(extra_state_, reinterpret_cast<MPI_Status*>(&result)));
  *status = result;
}

void GeneralizedRequest::cancel()
{
  check_code(cancel_(extra_state_, complete()));
}

void dispose(RankState& state, MPI_Request* place, GeneralizedRequest& request)
{
  struct End {
    RankState& state;
    MPI_Request* place;
    GeneralizedRequest& request;
    ~End()
    {
      state.requests.retire(place);
      request.release();
    }
  };
  const End end{state, place, request};
  request.free();
}

namespace impl {

void Grequest_start(Rank& self, MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                    MPI_Grequest_cancel_function* cancel_fn, void* extra_state, Request*& request)
{
  request = new GeneralizedRequest(self, query_fn, free_fn, cancel_fn, extra_state);
}

void Grequest_complete(Rank& self, Request& request)
{
  GeneralizedRequest* const generalized = request_cast<GeneralizedRequest>(request);
  if (!generalized) fail(ErrorClass::request, "the request is not a generalized request");
  if (!generalized->end()) return;
  // MPI_Request_free has left the copies of the handle valid for this call.
  MPI_Request handle = self.api->requests.handle_of(request);
  dispose(*self.api, &handle, *generalized);
}

}  // namespace impl
}  // namespace ranklet::api
