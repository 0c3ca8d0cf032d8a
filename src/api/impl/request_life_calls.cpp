// What is done to a request besides completing it: starting, cancelling, freeing (MPI 5.0 §3.7.3, §3.8.4,
// §3.9).
#include "api/entry/request_calls.hpp"
#include "api/impl/arbitrated_requests.hpp"
#include "api/impl/generalized.hpp"
#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

void Request_free(Rank& self, RequestRef place)
{
  Request* const request = place.get();
  if (!request) fail(ErrorClass::request, "the request is MPI_REQUEST_NULL");
  blaming(self, *request, [&] {
    if (request->active()) request->check_may_be_let_go();
  });
  if (request->watched()) stop_watching(*request, false);
  if (auto* const generalized = request_cast<GeneralizedRequest>(*request)) {
    // Copies of the handle stay valid for MPI_Grequest_complete (§13.2).
    if (generalized->let_go())
      dispose(*self.api, place.address(), *generalized);
    else
      *place.address() = MPI_REQUEST_NULL;
    return;
  }
  if (auto* const access = request_cast<io::FileRequest>(*request)) {
    // Data is moved without its rank: what is left of it ends soon, and its error belongs to this call.
    wait(self, *access);
    const ErrorClass error = access->reap(nullptr);
    const Error failure = access->failure(error);
    File& file = access->file();
    place.retire();
    access->release();
    if (error == ErrorClass::success) return;
    blame(file);
    throw Error(failure);
  }
  place.retire();
  if (request->active())
    p2p::let_go(*request, find_used_comm(self, request->context()));
  else
    request->release();
  attend_to_late_errors(self);
}

void Cancel(Rank& self, RequestRef place)
{
  Request* const request = place.get();
  if (!request) fail(ErrorClass::request, "the request is MPI_REQUEST_NULL");
  blaming(self, *request, [&] { request->cancel(); });
}

void Start(Rank&, RequestRef place)
{
  Request* const request = place.get();
  if (!request) fail(ErrorClass::request, "the request is MPI_REQUEST_NULL");
  if (!request->persistent()) fail(ErrorClass::request, "the request is not persistent");
  if (request->active()) fail(ErrorClass::request, "the request is active already");
  request->start();
}

void Startall(Rank&, int, const RequestArray& requests)
{
  for (int i = 0; i < requests.size(); ++i) {
    const Request* const request = requests[i];
    if (!request || !request->persistent() || request->active())
      fail(ErrorClass::request, "request %d of the array is %s", i,
           !request            ? "MPI_REQUEST_NULL"
           : request->active() ? "active already"
                               : "not persistent");
  }
  for (int i = 0; i < requests.size(); ++i) {
    if (requests[i]->active()) fail(ErrorClass::request, "request %d of the array is there twice", i);
    requests[i]->start();
  }
}

}  // namespace ranklet::api::impl
