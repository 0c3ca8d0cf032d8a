// Looking at requests without finishing them (MPI 5.0 §3.7.6).
#include "api/impl.hpp"
#include "api/request_calls.hpp"

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

Status* at(Status* statuses, int i) noexcept
{
  return statuses ? statuses + i : nullptr;
}

}  // namespace

void Request_get_status(Rank& self, Request* request, bool& flag, Status* status)
{
  flag = !is_active(request) || request->advance();
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
  for (int i = 0; i < requests.size() && index == undefined; ++i) {
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
  flag = true;
  for (int i = 0; i < requests.size(); ++i) {
    Request* const request = requests[i];
    if (is_active(request) && !request->advance()) flag = false;
  }
  if (!flag) {
    after_fruitless_test(self);
    return;
  }
  for (int i = 0; i < requests.size(); ++i) look(requests[i], at(statuses, i));
}

void Request_get_status_some(Rank& self, int, const RequestArray& requests, int& outcount, int* indices,
                             Status* statuses)
{
  bool active = false;
  int found = 0;
  for (int i = 0; i < requests.size(); ++i) {
    Request* const request = requests[i];
    if (!is_active(request)) continue;
    active = true;
    if (!request->advance()) continue;
    indices[found] = i;
    look(request, at(statuses, found));
    ++found;
  }
  outcount = active ? found : undefined;
  if (active && found == 0) after_fruitless_test(self);
}

}  // namespace ranklet::api::impl
