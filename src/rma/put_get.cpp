#include "rma/put_get.hpp"

#include <cstring>

#include "datatype/copy.hpp"
#include "rma/target_place.hpp"

namespace ranklet::rma {

namespace {

void move(const void* from, Count from_count, const Datatype& from_type, void* to, Count to_count,
          const Datatype& to_type, bool to_target)
{
  const Count bytes = amount(from_count, from_type, to_count, to_type);
  if (from_type.is_contiguous() && to_type.is_contiguous()) {
    if (bytes == 0 || move_single(from, to, bytes, to_target)) return;
    // An origin may put from its own window's very place.
    std::memmove(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  copy(from, from_count, from_type, to, to_count, to_type);
}

}  // namespace

void put(Window& window, const OriginData& origin, const TargetData& target)
{
  if (target.rank == proc_null) return;
  char* const to = place(window, target.rank, target.disp, target.count, *target.type);
  move(origin.address, origin.count, *origin.type, to, target.count, *target.type, true);
}

void get(Window& window, const OriginData& origin, const TargetData& target)
{
  if (target.rank == proc_null) return;
  const char* const from = place(window, target.rank, target.disp, target.count, *target.type);
  move(from, target.count, *target.type, origin.address, origin.count, *origin.type, false);
}

}  // namespace ranklet::rma
