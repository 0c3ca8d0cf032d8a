// Completion of requests of all kinds (MPI 5.0 §3.7.3 to §3.7.5).
#include <algorithm>
#include <optional>

#include "api/entry/request_calls.hpp"
#include "api/impl/arbitrated_requests.hpp"
#include "api/impl/completion_errors.hpp"
#include "api/impl/impl.hpp"

namespace ranklet::api {

namespace {

// Gives a complete request back, and its handle by `retire`; persistent ones stay.
template <class Retire>
[[gnu::always_inline]] inline void give_back(Request& request, Retire&& retire)
{
  if (!request.ends_quietly()) [[unlikely]] {
    if (request.watched()) stop_watching(request, true);
    if (request.persistent()) return;
  }
  retire();
  request.release();
}

// Ends a complete request whose handle `retire` takes away; inactive ones stay as they are. Errors go to
// `failed`.
template <class Retire, class Failed>
void finish(Request& request, Status* status, Retire&& retire, Failed&& failed)
{
  ErrorClass error;
  if (status) {
    Status reaped;
    error = request.reap(&reaped);
    write_status(status, reaped);
  } else {
    error = request.reap(nullptr);
  }
  if (error == ErrorClass::success) [[likely]]
    return give_back(request, retire);
  const Failure failure = failure_of(request, error);
  give_back(request, retire);
  failed(failure);
}

template <class Retire>
void finish_and_check(Rank& self, Request& request, Status* status, Retire&& retire)
{
  finish(request, status, retire, [&](const Failure& failure) {
    blame_object(self, failure);
    throw Error(failure.error, failure.message, failure.is_mismatch);
  });
}

void finish_and_check(Rank& self, RequestRef place, Request& request, Status* status)
{
  finish_and_check(self, request, status, [&] { place.retire(); });
}

void finish_and_check(Rank& self, const RequestArray& requests, int i, Status* status)
{
  finish_and_check(self, *requests[i], status, [&] { requests.retire(i); });
}

// Ends those from i on that are complete and need no more than that. The first that is left.
int finish_run(const RequestArray& requests, int i, Status* statuses)
{
  return requests.retire_while(i, [&](Request& request, int n, const Section& alone) {
    if (!request.complete() || !request.active() || !request.ends_quietly()) return false;
    if (!statuses) return request.end_at_once(alone, nullptr);
    Status reaped;
    if (!request.end_at_once(alone, &reaped)) return false;
    write_status(status_at(statuses, n), reaped);
    return true;
  });
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

// Ends all active requests from `first` on that are complete and `chosen`; `first` is known to be. Their
// number and indices are told also when some have failed (§3.7.5).
template <class Chosen>
void finish_some(Rank& self, const RequestArray& requests, int first, int& outcount, int* indices,
                 Status* statuses, Chosen&& chosen)
{
  CompletionErrors errors(self);
  int count = 0;
  for (int i = first; i < requests.size(); ++i) {
    Request* const request = requests[i];
    if (!is_active(request) || !chosen(i) || !request->advance()) continue;
    finish(
        *request, status_at(statuses, count), [&] { requests.retire(i); },
        [&](const Failure& failure) { errors.add(count, failure); });
    indices[count++] = i;
  }
  outcount = count;
  errors.check(statuses, count);
}

// As the arbiter chooses them.
void finish_chosen(Rank& self, const RequestArray& requests, ChoiceKind kind, int& outcount, int* indices,
                   Status* statuses)
{
  const Outcome outcome = arbitrate(self, kind, requests);
  finish_some(self, requests, 0, outcount, indices, statuses,
              [&](int i) { return std::find(outcome.begin(), outcome.end(), i) != outcome.end(); });
}

constexpr auto all = [](int) { return true; };

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
  flag = has_arbiter(self) ? arbitrate(self, ChoiceKind::test, *request) : request->advance();
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
  index =
      has_arbiter(self) ? arbitrate(self, ChoiceKind::waitany, requests)[0] : wait_for_one(self, requests);
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
  int found = -1;
  if (has_arbiter(self)) {
    const Outcome outcome = arbitrate(self, ChoiceKind::testany, requests);
    if (!outcome.empty()) found = outcome[0];
  } else {
    found = find_complete(requests);
  }
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
  CompletionErrors errors(self);
  requests.check();
  // Else each wait counts towards the next try of a yield (ranks/yielding.hpp).
  const bool spins = self.job.wait_policy().spins > 0;
  for (int i = 0; i < requests.size(); ++i) {
    Request* const request = requests[i];
    if (!is_active(request)) {
      write_empty_status(status_at(statuses, i));
      continue;
    }
    if (!spins || !request->complete()) wait(self, *request);
    if (spins) {
      const int rest = finish_run(requests, i, statuses);
      if (rest > i) {
        i = rest - 1;
        continue;
      }
    }
    finish(
        *request, status_at(statuses, i), [&] { requests.retire(i); },
        [&](const Failure& failure) { errors.add(i, failure); });
  }
  errors.check(statuses, requests.size());
}

void Testall(Rank& self, int, const RequestArray& requests, int& flag, Status* statuses)
{
  attend_to_late_errors(self);
  flag = all_complete(self, requests);
  if (flag)
    Waitall(self, requests.size(), requests, statuses);
  else
    after_fruitless_test(self);
}

void Waitsome(Rank& self, int, const RequestArray& requests, int& outcount, int* indices, Status* statuses)
{
  attend_to_late_errors(self);
  outcount = undefined;
  if (!any_active(requests)) return;
  if (has_arbiter(self))
    finish_chosen(self, requests, ChoiceKind::waitsome, outcount, indices, statuses);
  else
    finish_some(self, requests, wait_for_one(self, requests), outcount, indices, statuses, all);
}

void Testsome(Rank& self, int, const RequestArray& requests, int& outcount, int* indices, Status* statuses)
{
  attend_to_late_errors(self);
  outcount = undefined;
  if (!any_active(requests)) return;
  if (has_arbiter(self))
    finish_chosen(self, requests, ChoiceKind::testsome, outcount, indices, statuses);
  else
    finish_some(self, requests, 0, outcount, indices, statuses, all);
  if (outcount == 0) after_fruitless_test(self);
}

}  // namespace impl
}  // namespace ranklet::api
