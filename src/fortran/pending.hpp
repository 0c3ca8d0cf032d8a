// Copies of sections that live until a request is complete: of nonblocking, persistent and partitioned
// operations that Copied made (sections.hpp). Completion is seen by the Fortran routines that complete
// requests. While there is no copy, each of them looks at one byte.
#pragma once

#include <atomic>

#include <mpi.h>

#include "fortran/sections.hpp"
#include "fortran/values.hpp"

namespace ranklet::fortran {

// What a partition of a partitioned operation has of the copy, by which the copy moves to and from the
// section: partition p has [p * distance + begin, p * distance + end). Nothing for other operations.
struct Partition {
  MPI_Count distance = 0, begin = 0, end = 0;  // in bytes

  Partition() = default;
  Partition(MPI_Count count, MPI_Datatype datatype)
  {
    MPI_Count lb = 0, extent = 0, true_extent = 0;
    if (count <= 0 || PMPI_Type_get_extent_c(datatype, &lb, &extent) != MPI_SUCCESS) return;
    PMPI_Type_get_true_extent_c(datatype, &begin, &true_extent);
    distance = count * extent;
    end = begin + (count - 1) * extent + true_extent;
  }
  explicit operator bool() const { return end > begin; }
};

struct Operation;

class Pending {
 public:
  static bool any() { return count.load(std::memory_order_acquire) != 0; }  // pairs with the store in add()

  static void add(MPI_Request request, bool persistent, const Partition& partition, Copy** copies, int n);
  static void start(const MPI_Request* requests, int n);
  // The operation of a request; nullptr if there is no copy for it.
  static Operation* of(MPI_Request request);
  // A call has completed the operation, or failed: data goes to the section if `freed`, or if the operation
  // is persistent; with the request the copy goes away.
  static void complete(Operation* operation, bool freed);
  // Its request is freed. The memory of an active operation stays: it goes on, and nobody sees its end
  // (MPI 5.0 §3.7.3).
  static void forget(Operation* operation);
  static void ready(MPI_Request request, int first, int last);
  static void arrived(MPI_Request request, int partition);  // -1: all

 private:
  static std::atomic<int> count;
};

template <class... Buffers>
void keep(MPI_Request request, bool persistent, const Partition& partition, Buffers&... buffers)
{
  Copy* copies[] = {buffers.release()...};
  bool any = false;
  for (const Copy* copy : copies) any = any || copy != nullptr;
  if (any) Pending::add(request, persistent, partition, copies, static_cast<int>(sizeof...(buffers)));
}

// The operations of requests that a call may complete: found before it, as another thread may start an
// operation that gets the handle of a request which the call has freed.
class Completions {
 public:
  Completions(const MPI_Request* requests, int n) : operations_(Pending::any() ? n : 0)
  {
    for (std::size_t i = 0; i < operations_.size(); ++i) operations_.data()[i] = Pending::of(requests[i]);
  }
  // Of MPI_Request_free.
  void forget(const MPI_Request* requests) const
  {
    if (operations_.size() > 0 && operations_.data()[0] != nullptr && requests[0] == MPI_REQUEST_NULL)
      Pending::forget(operations_.data()[0]);
  }
  // The others take the requests as the call left them: those that failed may go on (MPI_ERR_PENDING).
  void done(int i, const MPI_Request* requests) const
  {
    if (static_cast<std::size_t>(i) < operations_.size() && operations_.data()[i] != nullptr)
      Pending::complete(operations_.data()[i], requests[i] == MPI_REQUEST_NULL);
  }
  void all(const MPI_Request* requests) const
  {
    for (std::size_t i = 0; i < operations_.size(); ++i) done(static_cast<int>(i), requests);
  }

 private:
  Scratch<Operation*, 32> operations_;
};

}  // namespace ranklet::fortran
