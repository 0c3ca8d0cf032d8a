// Synchronisation of windows (MPI 5.0 §12.5).
#include "api/entry/request_calls.hpp"
#include "api/impl/arbitrated_requests.hpp"
#include "api/impl/impl.hpp"

namespace ranklet::api::impl {

static_assert(rma::nocheck == MPI_MODE_NOCHECK && rma::nostore == MPI_MODE_NOSTORE &&
              rma::noput == MPI_MODE_NOPUT && rma::noprecede == MPI_MODE_NOPRECEDE &&
              rma::nosucceed == MPI_MODE_NOSUCCEED);

void Win_fence(Rank&, int assertion, Window& win)
{
  rma::fence(win, assertion);
}

void Win_start(Rank&, const GroupPtr& group, int assertion, Window& win)
{
  rma::start(win, group, assertion);
}

void Win_complete(Rank&, Window& win)
{
  rma::complete(win);
}

void Win_post(Rank&, const GroupPtr& group, int assertion, Window& win)
{
  rma::post(win, group, assertion);
}

void Win_wait(Rank&, Window& win)
{
  rma::wait(win);
}

void Win_test(Rank& self, Window& win, bool& flag)
{
  const auto look = [&] { return rma::test(win); };
  flag = has_arbiter(self) ? arbitrate_look(self, look) : look();
  if (!flag) after_fruitless_test(self);
}

// Calls at MPI_PROC_NULL do nothing, as operations on it.
void Win_lock(Rank&, int lock_type, int rank, int assertion, Window& win)
{
  if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED)
    fail(ErrorClass::locktype, "lock_type %d is neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED", lock_type);
  if (rank != proc_null) rma::lock(win, lock_type == MPI_LOCK_EXCLUSIVE, rank, assertion);
}

void Win_unlock(Rank&, int rank, Window& win)
{
  if (rank != proc_null) rma::unlock(win, rank);
}

void Win_lock_all(Rank&, int assertion, Window& win)
{
  rma::lock_all(win, assertion);
}

void Win_unlock_all(Rank&, Window& win)
{
  rma::unlock_all(win);
}

void Win_flush(Rank&, int rank, Window& win)
{
  if (rank != proc_null) rma::flush(win, rank);
}

void Win_flush_all(Rank&, Window& win)
{
  rma::flush_all(win);
}

void Win_flush_local(Rank&, int rank, Window& win)
{
  if (rank != proc_null) rma::flush_local(win, rank);
}

void Win_flush_local_all(Rank&, Window& win)
{
  rma::flush_local_all(win);
}

void Win_sync(Rank&, Window& win)
{
  rma::sync(win);
}

}  // namespace ranklet::api::impl
