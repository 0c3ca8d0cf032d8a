#include "ranks/context_ids.hpp"

#include "ranks/request.hpp"
#include "terms/error.hpp"

namespace ranklet {

std::uint32_t ContextIds::take()
{
  const Holder guard(lock_);
  // The one that means none is never given out.
  if (used_.size() == Request::no_context) fail(ErrorClass::other, "all context ids are in use");
  while (next_ == Request::no_context || used_.contains(next_)) ++next_;
  used_.insert(next_);
  return next_++;
}

void ContextIds::give_back(std::uint32_t id) noexcept
{
  const Holder guard(lock_);
  used_.erase(id);
}

}  // namespace ranklet
