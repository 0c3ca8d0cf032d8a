// Copies of sections that live until a request is complete: of nonblocking, persistent and partitioned operations that
// Copied made (sections.hpp). Completion is seen by the Fortran routines that complete requests. While there is no copy,
// each of them looks at one byte.
#pragma once

#include <atomic>

#include <mpi.h>

#include "fortran/sections.hpp"
#include "fortran/values.hpp"

namespace ranklet::fortran {

class Pending {
 public:
  static bool any() { return count.load(std::memory_order_acquire) != 0; }  // pairs with the store in add()

  // `partition` > 0: the copy moves to and from the section by partitions of so many bytes.
  static void add(MPI_Request request, bool persistent, std::size_t partition, Copy** copies, int n);
  static void start(const MPI_Request* requests, int n);
  // The operation is complete: data goes to the section; unless persistent, the copy goes away.
  static void complete(MPI_Request request);
  static void forget(MPI_Request request);
  static void ready(MPI_Request request, int first, int last);
  static void arrived(MPI_Request request, int partition);  // -1: all

 private:
  static std::atomic<int> count;
};

// The bytes of a partition: `count` elements.
inline std::size_t partition_bytes(MPI_Count count, MPI_Datatype datatype)
{
  MPI_Count lb = 0, extent = 0;
  PMPI_Type_get_extent_c(datatype, &lb, &extent);
  return static_cast<std::size_t>(count * extent);
}

template <class... Buffers>
void keep(MPI_Request request, bool persistent, std::size_t partition, Buffers&... buffers)
{
  Copy* copies[] = {buffers.release()...};
  bool any = false;
  for (const Copy* copy : copies) any = any || copy != nullptr;
  if (any) Pending::add(request, persistent, partition, copies, static_cast<int>(sizeof...(buffers)));
}

// The requests as they were before a call that may complete them and set them to MPI_REQUEST_NULL.
class Completions {
 public:
  Completions(const MPI_Request* requests, int n) : requests_(Pending::any() ? n : 0)
  {
    for (std::size_t i = 0; i < requests_.size(); ++i) requests_.data()[i] = requests[i];
  }
  void done(int i) const
  {
    if (static_cast<std::size_t>(i) < requests_.size()) Pending::complete(requests_.data()[i]);
  }
  void all() const
  {
    for (std::size_t i = 0; i < requests_.size(); ++i) Pending::complete(requests_.data()[i]);
  }

 private:
  Scratch<MPI_Request, 32> requests_;
};

}  // namespace ranklet::fortran
