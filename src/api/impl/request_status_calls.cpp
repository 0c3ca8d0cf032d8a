// Looking at requests without finishing them (MPI 5.0 §3.7.6).
#include <algorithm>

#include "api/entry/request_calls.hpp"
#include "api/impl/arbitrated_requests.hpp"
#include "api/impl/impl.hpp"

namespace ranklet::api::impl {
namespace {

// The status of a complete or inactive request.
void look(const Request* request, Status* status)
{
  if (!is_active(request)) {
    write_empty_status(status);
    return;
  }
  Status result;
  request->peek(&result);
  write_status(status, result);
}

}  // namespace

void Request_get_status(Rank& self, Request* request, bool& flag, Status* status)
{
  flag = !is_active(request) ||
         (has_arbiter(self) ? arbitrate(self, ChoiceKind::test, *request) : request->advance());
  if (flag)
    look(request, status);
  else
    after_fruitless_test(self);
}

// Without an active request there is none to name: the index is MPI_UNDEFINED, the status empty.
void Request_get_status_any(Rank& self, int, const RequestArray& requests, int& index, bool& flag,
                            Status* status)
{
  bool active = false;
  index = undefined;
  if (has_arbiter(self) && any_active(requests)) {
    active = true;
    const Outcome outcome = arbitrate(self, ChoiceKind::testany, requests);
    if (!outcome.empty()) index = outcome[0];
  }
  for (int i = 0; !has_arbiter(self) && i < requests.size() && index == undefined; ++i) {
    Request* const request = requests[i];
    if (!is_active(request)) continue;
    active = true;
    if (request->advance()) index = i;
  }
  flag = !active || index != undefined;
  if (flag)
    look(index == undefined ? nullptr : requests[index], status);
  else
    after_fruitless_test(self);
}

void Request_get_status_all(Rank& self, int, const RequestArray& requests, bool& flag, Status* statuses)
{
  flag = all_complete(self, requests);
  if (!flag) {
    after_fruitless_test(self);
    return;
  }
  for (int i = 0; i < requests.size(); ++i) look(requests[i], status_at(statuses, i));
}

void Request_get_status_some(Rank& self, int, const RequestArray& requests, int& outcount, int* indices,
                             Status* statuses)
{
  const bool active = any_active(requests);
  int found = 0;
  const bool asks = active && has_arbiter(self);
  const Outcome outcome = asks ? arbitrate(self, ChoiceKind::testsome, requests) : Outcome();
  for (int i = 0; i < requests.size(); ++i) {
    Request* const request = requests[i];
    if (!is_active(request) || (asks && std::ranges::find(outcome, i) == outcome.end())) continue;
    if (!request->advance()) continue;
    indices[found] = i;
    look(request, status_at(statuses, found));
    ++found;
  }
  outcount = active ? found : undefined;
  if (active && found == 0) after_fruitless_test(self);
}

}  // namespace ranklet::api::impl
