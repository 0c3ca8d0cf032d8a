// Words by which code tells clang which lock guards what: see guarded.hpp, which has the locks.
//
// Attributes are macros, as g++ does not know them. Nothing else is here, for libraries without our core.
#pragma once

#if defined(__clang__)
#define RANKLET_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define RANKLET_THREAD_SAFETY(attribute)
#endif

// A class that is a lock, and its functions.
#define RANKLET_LOCK RANKLET_THREAD_SAFETY(capability("lock"))
#define RANKLET_ACQUIRES(...) RANKLET_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define RANKLET_TRIES(...) RANKLET_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define RANKLET_RELEASES(...) RANKLET_THREAD_SAFETY(release_capability(__VA_ARGS__))
// A class whose objects hold a lock while they live.
#define RANKLET_HOLDER RANKLET_THREAD_SAFETY(scoped_lockable)
// A member that is used under the lock only, or what it points to.
#define RANKLET_GUARDED_BY(lock) RANKLET_THREAD_SAFETY(guarded_by(lock))
#define RANKLET_POINTEE_GUARDED_BY(lock) RANKLET_THREAD_SAFETY(pt_guarded_by(lock))
// A function that is called under the lock, or not under it.
#define RANKLET_REQUIRES(...) RANKLET_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define RANKLET_EXCLUDES(...) RANKLET_THREAD_SAFETY(locks_excluded(__VA_ARGS__))
// A function that clang cannot follow: it locks under a condition, or uses what nobody else can see. Says
// why.
#define RANKLET_UNCHECKED RANKLET_THREAD_SAFETY(no_thread_safety_analysis)
