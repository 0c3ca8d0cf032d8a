// Numbers that every layer shares with the public interface. api/ asserts that they agree with mpi.h.
#pragma once

#include <cstdint>

namespace ranklet {

// MPI_Count, MPI_Aint and MPI_Offset alike: inside the library every count and displacement is 64 bits wide.
using Count = std::int64_t;

inline constexpr int any_source = -1;
inline constexpr int any_tag = -2;
inline constexpr int proc_null = -3;
inline constexpr int intercomm_root = -4;  // MPI_ROOT
inline constexpr int undefined = -32766;
inline constexpr int tag_ub = 0x7fffffff;

// MPI_Init_thread's levels (MPI 5.0 §11.2.1).
enum class ThreadLevel : int { single = 0, funneled = 1024, serialized = 2048, multiple = 4096 };

// Users' statuses are aligned like int only, so the wide words are declared to be no better.
using UnalignedCount [[gnu::aligned(4)]] = Count;

// The layout of MPI_Status in the ABI: three public fields and five reserved words. Ranklet keeps the
// received bytes and the cancelled flag in the reserved part.
struct Status {
  int source = any_source;
  int tag = any_tag;
  int error = 0;
  std::int32_t cancelled = 0;
  UnalignedCount bytes = 0;
  UnalignedCount reserved = 0;
};
static_assert(sizeof(Status) == 32 && alignof(Status) == 4);

// Into a status argument (null: ignored). Calls that return one status leave its error field alone (§3.2.5).
inline void write_status(Status* status, Status result) noexcept
{
  if (!status) return;
  result.error = status->error;
  *status = result;
}

}  // namespace ranklet
