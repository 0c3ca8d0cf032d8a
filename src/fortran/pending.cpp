#include "fortran/pending.hpp"

#include "fortran/mutex.hpp"

namespace ranklet::fortran {
namespace {

struct Operation {
  Operation* next;
  MPI_Request request;
  bool persistent;
  std::size_t partition;
  Copy* copies[2];
};

Mutex operations_mutex;
Operation* operations RANKLET_GUARDED_BY(operations_mutex);

Operation** find(MPI_Request request) RANKLET_REQUIRES(operations_mutex)
{
  Operation** place = &operations;
  while (*place != nullptr && (*place)->request != request) place = &(*place)->next;
  return place;
}

void free_copies(Operation* operation)
{
  for (Copy* copy : operation->copies) {
    if (copy == nullptr) continue;
    std::free(copy->memory);
    std::free(copy);
  }
  std::free(operation);
}

// The bytes of partitions [first, last] of a copy.
template <class Move>
void for_partitions(const Operation& operation, int first, int last, Move move)
{
  for (Copy* copy : operation.copies) {
    if (copy == nullptr) continue;
    move(*copy, operation.partition * static_cast<std::size_t>(first),
         operation.partition * static_cast<std::size_t>(last + 1));
  }
}

void store(const Operation& operation)
{
  for (Copy* copy : operation.copies)
    if (copy != nullptr && copy->out) copy->scatter(0, copy->bytes());
}

}  // namespace

std::atomic<int> Pending::count = 0;

void Pending::add(MPI_Request request, bool persistent, std::size_t partition, Copy** copies, int n)
{
  auto* const operation = static_cast<Operation*>(std::calloc(1, sizeof(Operation)));
  if (operation == nullptr) std::abort();
  operation->request = request;
  operation->persistent = persistent;
  operation->partition = partition;
  for (int i = 0; i < n; ++i) operation->copies[i] = copies[i];
  const Locked locked(operations_mutex);
  operation->next = operations;
  operations = operation;
  count.fetch_add(1, std::memory_order_release);  // pairs with the load in any()
}

void Pending::start(const MPI_Request* requests, int n)
{
  const Locked locked(operations_mutex);
  for (int i = 0; i < n; ++i) {
    const Operation* const operation = *find(requests[i]);
    // Partitions of a send are gathered as they become ready.
    if (operation == nullptr || (operation->partition > 0 && !operation->copies[0]->out)) continue;
    for (const Copy* copy : operation->copies)
      if (copy != nullptr) copy->gather();
  }
}

void Pending::complete(MPI_Request request)
{
  const Locked locked(operations_mutex);
  Operation** const place = find(request);
  Operation* const operation = *place;
  if (operation == nullptr) return;
  store(*operation);
  if (operation->persistent) return;
  *place = operation->next;
  count.fetch_sub(1, std::memory_order_relaxed);  // a thread that still sees it finds nothing in the list
  free_copies(operation);
}

void Pending::forget(MPI_Request request)
{
  const Locked locked(operations_mutex);
  Operation** const place = find(request);
  Operation* const operation = *place;
  // The memory of an active operation stays: the operation goes on, and nobody sees its end (MPI 5.0 §3.7.3).
  if (operation == nullptr) return;
  *place = operation->next;
  count.fetch_sub(1, std::memory_order_relaxed);  // a thread that still sees it finds nothing in the list
  if (operation->persistent) free_copies(operation);
}

void Pending::ready(MPI_Request request, int first, int last)
{
  const Locked locked(operations_mutex);
  const Operation* const operation = *find(request);
  if (operation == nullptr || operation->partition == 0) return;
  for_partitions(*operation, first, last,
                 [](const Copy& copy, std::size_t begin, std::size_t end) { copy.gather_part(begin, end); });
}

void Pending::arrived(MPI_Request request, int partition)
{
  const Locked locked(operations_mutex);
  const Operation* const operation = *find(request);
  if (operation == nullptr) return;
  if (partition < 0 || operation->partition == 0) {
    store(*operation);
    return;
  }
  for_partitions(*operation, partition, partition, [](const Copy& copy, std::size_t begin, std::size_t end) {
    if (copy.out) copy.scatter(begin, end);
  });
}

}  // namespace ranklet::fortran
