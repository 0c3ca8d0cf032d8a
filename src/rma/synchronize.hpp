// The synchronising calls on windows (MPI 5.0 §12.5). Which orders each establishes between whom, and by
// which atomics, is said in docs/memory-model.md.
//
// `assertion` is a sum of the bits below; errors: assert, for a bit that the call does not have. Errors of
// all: rma_sync, if the call does not fit the epochs that are open.
#pragma once

#include "rma/window.hpp"

namespace ranklet::rma {

// MPI_MODE_*, with the ABI's values; api/ asserts that they agree.
enum Assertion : int {
  nocheck = 1024,
  noprecede = 2048,
  noput = 4096,
  nostore = 8192,
  nosucceed = 16384,
};

// All members. Every access before it, at any member, comes before every access after it at any other. With
// noprecede it waits for nobody: the first operation to a target waits until that target has called it.
void fence(Window& window, int assertion);

// Errors: group, if a member is not in the window's group.
// post waits for nobody, start for the posts of its targets (not with nocheck), complete for nobody, wait for
// the completes of the origins.
void post(Window& window, const GroupPtr& origins, int assertion);
void start(Window& window, const GroupPtr& targets, int assertion);
void complete(Window& window);
void wait(Window& window);
bool test(Window& window);

// Waits until the target's lock is held, in the order of arrival; with nocheck there is no lock.
void lock(Window& window, bool exclusive, int rank, int assertion);
void unlock(Window& window, int rank);
void lock_all(Window& window, int assertion);
void unlock_all(Window& window);

// Operations are complete when their call returns, so these only order: after a flush, as after any
// completion at the target, comes what the origin does next, also its loads.
void flush(Window& window, int rank);
void flush_all(Window& window);
// For the origin's buffers, which are free already.
void flush_local(Window& window, int rank);
void flush_local_all(Window& window);
// A processor-memory barrier (§12.5.4), or what the hint ranklet_win_sync asks for.
void sync(Window& window);

}  // namespace ranklet::rma
