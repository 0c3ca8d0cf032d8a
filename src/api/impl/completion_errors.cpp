#include "api/impl/completion_errors.hpp"

namespace ranklet::api {

Failure failure_of(Request& request, ErrorClass error)
{
  const auto* const access = request_cast<io::FileRequest>(request);
  return {error, request.is_mismatch(), request.error_message(), request.context(),
          access ? &access->file() : nullptr};
}

void blame_object(Rank& self, const Failure& failure)
{
  if (failure.file)
    blame(*failure.file);
  else
    blame_context(self, failure.context);
}

void CompletionErrors::add(int slot, const Failure& failure)
{
  if (codes_.empty()) first_ = failure;
  first_.is_mismatch = first_.is_mismatch && failure.is_mismatch;
  codes_.emplace_back(slot, self_.api->codes.remember(failure.error, failure.message));
}

void CompletionErrors::fail_with(Status* statuses, int used) const
{
  if (statuses) {
    for (int i = 0; i < used; ++i) statuses[i].error = 0;
    for (const auto& [slot, code] : codes_) statuses[slot].error = code;
  }
  blame_object(self_, first_);
  const std::string text =
      first_.message.empty() ? self_.api->codes.text(static_cast<int>(first_.error)) : first_.message;
  throw Error(ErrorClass::in_status,
              std::to_string(codes_.size()) + " of the operations failed, the first because " + text,
              first_.is_mismatch);
}

}  // namespace ranklet::api
