#include "rma/window.hpp"

#include <algorithm>
#include <climits>

#include "coll/coll.hpp"
#include "terms/error.hpp"

namespace ranklet {

namespace rma {

void Regions::attach(char* base, Count size)
{
  const Holder guard(lock_);
  const char* const end = base + size;
  const auto next = ends_.upper_bound(base);
  const bool meets_next = next != ends_.end() && next->first < end;
  const bool meets_previous =
      next != ends_.begin() && (std::prev(next)->second > base || std::prev(next)->first == base);
  if (meets_next || meets_previous)
    fail(ErrorClass::rma_attach, "the memory at %p of %lld bytes overlaps memory that is attached",
         static_cast<void*>(base), static_cast<long long>(size));
  ends_.emplace(base, end);
}

void Regions::detach(const char* base)
{
  const Holder guard(lock_);
  if (ends_.erase(base) == 0)
    fail(ErrorClass::rma_attach, "no memory is attached at %p", static_cast<const void*>(base));
}

bool Regions::contain(const char* begin, const char* end)
{
  const Holder guard(lock_);
  auto region = ends_.upper_bound(begin);
  if (region == ends_.begin()) return false;
  --region;
  // Neighbours that touch may be used as one.
  const char* reached = region->second;
  while (reached < end && ++region != ends_.end() && region->first == reached) reached = region->second;
  return begin >= std::prev(ends_.upper_bound(begin))->first && end <= reached;
}

}  // namespace rma

using rma::Access;

Window::Window(CommRef comm, std::shared_ptr<rma::WindowShared> shared, rma::Hints in_hints)
    : hints(std::move(in_hints)),
      fences_meet(coll::members_look_at_all(*comm)),
      epoch_counts(shared->epochs, comm->rank()),
      comm_(std::move(comm)),
      shared_(std::move(shared)),
      paths_(static_cast<std::size_t>(comm_->size())),
      targets_(shared_->targets.get()),
      size_(comm_->size())
{
  own_size = own().size;
  own_disp_unit = own().disp_unit > INT_MAX ? undefined : static_cast<int>(own().disp_unit);
  flavor = static_cast<int>(shared_->flavor);
  model = 0;
}

void Window::fill(Path& there, int rank) const noexcept
{
  there.base = shared_->flavor == rma::Flavor::dynamic ? nullptr : target(rank).base;
  there.size = target(rank).size;
  there.disp_unit = target(rank).disp_unit;
  there.known = true;
}

void Window::know_all() noexcept
{
  for (int i = 0; i < size_ && !all_known_; ++i) know(i);
  all_known_ = true;
}

// In the epoch of a fence the first operation to a target opens the way to it: the fence may not have waited
// for the target's (MPI_MODE_NOPRECEDE, §12.5.1).
void Window::open_late(int rank)
{
  if (epoch() != Epoch::fence)
    fail(
        ErrorClass::rma_sync,
        "no access epoch is open to target rank %d: MPI_Win_fence, MPI_Win_start or MPI_Win_lock comes first",
        rank);
  const auto has_come = [&] { return shared_->fences.has_come(rank, fences); };
  if (!has_come()) wait_until(self(), shared_->fences.parking(rank), has_come);
  const Holder guard(fence_lock);
  fence_used = true;
  know(rank).set_access(Access::fenced);
  path(rank).open.set();
}

void Window::check_passive(int rank) const
{
  const Access access = path(rank).access();
  if (epoch() == Epoch::lock_all || access == Access::shared || access == Access::exclusive) return;
  fail(ErrorClass::rma_sync,
       "no passive target epoch is open to rank %d: MPI_Win_lock or MPI_Win_lock_all comes first", rank);
}

void Window::check_passive() const
{
  if (epoch() == Epoch::lock_all || holds_any_lock()) return;
  fail(ErrorClass::rma_sync, "no passive target epoch is open: MPI_Win_lock or MPI_Win_lock_all comes first");
}

bool Window::holds_any_lock() const noexcept
{
  for (int i = 0; i < size(); ++i)
    if (path(i).access() == Access::shared || path(i).access() == Access::exclusive) return true;
  return false;
}

bool Window::is_valid() const noexcept
{
  if (epoch() == Epoch::lock_all && (!all_known_ || holds_any_lock())) return false;
  for (int i = 0; i < size(); ++i) {
    const rma::Access access = path(i).access();
    if (path(i).open.is_set() != (access != rma::Access::none)) return false;
    if (path(i).open.is_set() && !path(i).known) return false;
    if (access == rma::Access::fenced && epoch() != Epoch::fence) return false;
  }
  return true;
}

void Window::check_no_access(const char* call) const
{
  if (epoch() == Epoch::lock_all) fail(ErrorClass::rma_sync, "%s inside the epoch of MPI_Win_lock_all", call);
  if (started.are_open()) fail(ErrorClass::rma_sync, "%s between MPI_Win_start and MPI_Win_complete", call);
  if (epoch() == Epoch::fence && fence_used)
    fail(ErrorClass::rma_sync, "%s before MPI_Win_fence has ended the epoch of the last operations", call);
}

}  // namespace ranklet
