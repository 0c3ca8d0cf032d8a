// Completion of requests of all kinds (MPI 5.0 §3.7.3 to §3.7.6, §3.8.4, §3.9).
#include <algorithm>
#include <vector>

#include "api/generalized.hpp"
#include "api/impl.hpp"
#include "api/request_calls.hpp"

namespace ranklet::api {

namespace {

// The rank's communicator with that context, null if it was freed.
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

}  // namespace

void blame_context(Rank& self, std::uint32_t context) noexcept
{
  if (const CommRef comm = find_comm(self, context)) blame(*comm);
}

void report_late_errors(Rank& self)
{
  RankState& state = *self.api;
  for (const p2p::LateError& late : p2p::take_late_errors(self)) {
    const int code = state.codes.remember(late.error.error_class(), late.error.message());
    // As of any operation that belongs to no object where its communicator is gone (§9.3).
    const Communicator& comm = late.comm ? *late.comm : comm::self(self);
    call_errhandler(state, comm.errhandler.get(), Subject::comm, handle_value(state.comms.handle_of(comm)),
                    code);
  }
}

namespace {

struct Result {
  ErrorClass error = ErrorClass::success;
  std::string message;
  std::uint32_t context = 0;
};

// Ends a complete request whose handle `retire` takes away; inactive ones stay as they are.
template <class Retire>
Result finish(Request& request, Status* status, Retire&& retire)
{
  Result result;
  result.context = request.context();
  Status reaped;
  result.error = request.reap(&reaped);
  if (result.error != ErrorClass::success) [[unlikely]]
    result.message = request.error_message();
  write_status(status, reaped);
  if (!request.persistent()) {
    retire();
    request.release();
  }
  return result;
}

// Throws what the operation failed with.
void check(Rank& self, const Result& result)
{
  if (result.error == ErrorClass::success) [[likely]]
    return;
  blame_context(self, result.context);
  throw Error(result.error, result.message);
}

void finish_and_check(Rank& self, RequestRef place, Request& request, Status* status)
{
  check(self, finish(request, status, [&] { place.retire(); }));
}

void finish_and_check(Rank& self, const RequestArray& requests, int i, Status* status)
{
  check(self, finish(*requests[i], status, [&] { requests.retire(i); }));
}

// The errors of the calls that complete several requests: the statuses have one code each, and the call fails
// with MPI_ERR_IN_STATUS (§3.7.5).
class Errors {
 public:
  explicit Errors(Rank& self) noexcept : self_(self) {}

  void add(int slot, const Result& result)
  {
    if (result.error == ErrorClass::success) [[likely]]
      return;
    if (codes_.empty()) first_ = result;
    codes_.emplace_back(slot, self_.api->codes.remember(result.error, result.message));
  }

  // used: how many statuses the call has filled.
  void check(Status* statuses, int used)
  {
    if (codes_.empty()) [[likely]]
      return;
    if (statuses) {
      for (int i = 0; i < used; ++i) statuses[i].error = 0;
      for (const auto& [slot, code] : codes_) statuses[slot].error = code;
    }
    blame_context(self_, first_.context);
    const std::string text =
        first_.message.empty() ? self_.api->codes.text(static_cast<int>(first_.error)) : first_.message;
    fail(ErrorClass::in_status, "%zu of the operations failed, the first because %s", codes_.size(),
         text.c_str());
  }

 private:
  Rank& self_;
  Result first_;
  std::vector<std::pair<int, int>> codes_;
};

Status* at(Status* statuses, int i) noexcept
{
  return statuses ? statuses + i : nullptr;
}

// Looks up all handles, so that a bad one is found before anything is changed; and says whether one is
// active.
bool any_active(const RequestArray& requests)
{
  bool active = false;
  for (int i = 0; i < requests.size(); ++i) active = is_active(requests[i]) || active;
  return active;
}

// The first active request that is complete, or -1; works on all until then.
int find_complete(const RequestArray& requests)
{
  for (int i = 0; i < requests.size(); ++i) {
    Request* const request = requests[i];
    if (is_active(request) && request->advance()) return i;
  }
  return -1;
}

bool some_ready(const RequestArray& requests)
{
  for (int i = 0; i < requests.size(); ++i) {
    const Request* const request = requests[i];
    if (is_active(request) && (request->complete() || request->ready_to_advance())) return true;
  }
  return false;
}

int wait_for_one(Rank& self, const RequestArray& requests)
{
  int found = -1;
  wait_until(
      self, self.parking, [&] { return (found = find_complete(requests)) >= 0; },
      [&] { return some_ready(requests); });
  return found;
}

// Ends all active requests from `first` on that are complete; `first` is known to be.
int finish_some(Rank& self, const RequestArray& requests, int first, int* indices, Status* statuses)
{
  Errors errors(self);
  int count = 0;
  for (int i = first; i < requests.size(); ++i) {
    Request* const request = requests[i];
    if (!is_active(request) || !request->advance()) continue;
    errors.add(count, finish(*request, at(statuses, count), [&] { requests.retire(i); }));
    indices[count++] = i;
  }
  errors.check(statuses, count);
  return count;
}

}  // namespace

namespace impl {

void Wait(Rank& self, RequestRef place, Status* status)
{
  attend_to_late_errors(self);
  Request* const request = place.get();
  if (!is_active(request)) {
    write_empty_status(status);
    return;
  }
  wait(self, *request);
  finish_and_check(self, place, *request, status);
}

void Test(Rank& self, RequestRef place, int& flag, Status* status)
{
  attend_to_late_errors(self);
  Request* const request = place.get();
  flag = true;
  if (!is_active(request)) {
    write_empty_status(status);
    return;
  }
  flag = request->advance();
  if (flag)
    finish_and_check(self, place, *request, status);
  else
    after_fruitless_test(self);
}

void Waitany(Rank& self, int, const RequestArray& requests, int& index, Status* status)
{
  attend_to_late_errors(self);
  index = undefined;
  if (!any_active(requests)) {
    write_empty_status(status);
    return;
  }
  index = wait_for_one(self, requests);
  finish_and_check(self, requests, index, status);
}

void Testany(Rank& self, int, const RequestArray& requests, int& index, int& flag, Status* status)
{
  attend_to_late_errors(self);
  index = undefined;
  flag = true;
  if (!any_active(requests)) {
    write_empty_status(status);
    return;
  }
  const int found = find_complete(requests);
  flag = found >= 0;
  if (!flag) {
    after_fruitless_test(self);
    return;
  }
  index = found;
  finish_and_check(self, requests, found, status);
}

void Waitall(Rank& self, int, const RequestArray& requests, Status* statuses)
{
  attend_to_late_errors(self);
  Errors errors(self);
  any_active(requests);
  for (int i = 0; i < requests.size(); ++i) {
    Request* const request = requests[i];
    if (!is_active(request)) {
      write_empty_status(at(statuses, i));
      continue;
    }
    wait(self, *request);
    errors.add(i, finish(*request, at(statuses, i), [&] { requests.retire(i); }));
  }
  errors.check(statuses, requests.size());
}

void Testall(Rank& self, int, const RequestArray& requests, int& flag, Status* statuses)
{
  attend_to_late_errors(self);
  flag = true;
  for (int i = 0; i < requests.size(); ++i) {
    Request* const request = requests[i];
    if (is_active(request) && !request->advance()) flag = false;
  }
  if (flag)
    Waitall(self, requests.size(), requests, statuses);
  else
    after_fruitless_test(self);
}

void Waitsome(Rank& self, int, const RequestArray& requests, int& outcount, int* indices, Status* statuses)
{
  attend_to_late_errors(self);
  outcount = undefined;
  if (any_active(requests))
    outcount = finish_some(self, requests, wait_for_one(self, requests), indices, statuses);
}

void Testsome(Rank& self, int, const RequestArray& requests, int& outcount, int* indices, Status* statuses)
{
  attend_to_late_errors(self);
  outcount = undefined;
  if (!any_active(requests)) return;
  outcount = finish_some(self, requests, 0, indices, statuses);
  if (outcount == 0) after_fruitless_test(self);
}

namespace {

// Errors of what is done to the request belong to its communicator (§9.3).
template <class Do>
void blaming(Rank& self, const Request& request, Do&& act)
{
  const std::uint32_t context = request.context();
  try {
    act();
  } catch (const Error&) {
    blame_context(self, context);
    throw;
  }
}

}  // namespace

void Request_free(Rank& self, RequestRef place)
{
  Request* const request = place.get();
  if (!request) fail(ErrorClass::request, "the request is MPI_REQUEST_NULL");
  blaming(self, *request, [&] {
    if (request->active()) request->check_may_be_let_go();
  });
  if (auto* const generalized = request_cast<GeneralizedRequest>(*request)) {
    // Copies of the handle stay valid for MPI_Grequest_complete (§13.2).
    if (generalized->let_go())
      dispose(*self.api, place.address(), *generalized);
    else
      *place.address() = MPI_REQUEST_NULL;
    return;
  }
  place.retire();
  if (request->active())
    p2p::let_go(*request, find_comm(self, request->context()));
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
  for (int i = 0; i < requests.size(); ++i) requests[i]->start();
}

}  // namespace impl
}  // namespace ranklet::api
