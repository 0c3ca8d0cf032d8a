#include "fortran/pending.hpp"

#include "fortran/mutex.hpp"

namespace ranklet::fortran {

struct Operation {
  Operation* next;
  MPI_Request request;
  bool persistent, active;
  Partition partition;
  Copy* copies[2];
};

namespace {

Mutex operations_mutex;
Operation* operations RANKLET_GUARDED_BY(operations_mutex);

Operation* find(MPI_Request request) RANKLET_REQUIRES(operations_mutex)
{
  Operation* operation = operations;
  while (operation != nullptr && operation->request != request) operation = operation->next;
  return operation;
}

void take_out(Operation* operation, std::atomic<int>& count) RANKLET_REQUIRES(operations_mutex)
{
  Operation** place = &operations;
  while (*place != operation) place = &(*place)->next;
  *place = operation->next;
  count.fetch_sub(1, std::memory_order_relaxed);  // a thread that still sees it finds nothing in the list
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
  const Partition& partition = operation.partition;
  const MPI_Count begin = partition.distance * first + partition.begin,
                  end = partition.distance * last + partition.end;
  if (begin < 0 || first > last) return;
  for (Copy* copy : operation.copies)
    if (copy != nullptr) move(*copy, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
}

void store(const Operation& operation)
{
  for (Copy* copy : operation.copies)
    if (copy != nullptr && copy->out) copy->scatter(0, copy->bytes());
}

}  // namespace

std::atomic<int> Pending::count = 0;

void Pending::add(MPI_Request request, bool persistent, const Partition& partition, Copy** copies, int n)
{
  auto* const operation = static_cast<Operation*>(std::calloc(1, sizeof(Operation)));
  if (operation == nullptr) std::abort();
  operation->request = request;
  operation->persistent = persistent;
  operation->active = !persistent;
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
    Operation* const operation = find(requests[i]);
    if (operation == nullptr) continue;
    operation->active = true;
    // Partitions of a send are gathered as they become ready.
    if (operation->partition && !operation->copies[0]->out) continue;
    for (const Copy* copy : operation->copies)
      if (copy != nullptr) copy->gather();
  }
}

Operation* Pending::of(MPI_Request request)
{
  const Locked locked(operations_mutex);
  return find(request);
}

void Pending::complete(Operation* operation, bool freed)
{
  const Locked locked(operations_mutex);
  if (!freed && !operation->persistent) return;
  if (operation->active) store(*operation);  // of an inactive one the section may have changed since
  operation->active = false;
  if (!freed) return;
  take_out(operation, count);
  free_copies(operation);
}

void Pending::forget(Operation* operation)
{
  const Locked locked(operations_mutex);
  take_out(operation, count);
  if (!operation->active) free_copies(operation);
}

void Pending::ready(MPI_Request request, int first, int last)
{
  const Locked locked(operations_mutex);
  const Operation* const operation = find(request);
  if (operation == nullptr || !operation->partition) return;
  for_partitions(*operation, first, last,
                 [](const Copy& copy, std::size_t begin, std::size_t end) { copy.gather_part(begin, end); });
}

void Pending::arrived(MPI_Request request, int partition)
{
  const Locked locked(operations_mutex);
  const Operation* const operation = find(request);
  if (operation == nullptr || !operation->active) return;
  if (partition < 0 || !operation->partition) {
    store(*operation);
    return;
  }
  for_partitions(*operation, partition, partition, [](const Copy& copy, std::size_t begin, std::size_t end) {
    if (copy.out) copy.scatter(begin, end);
  });
}

}  // namespace ranklet::fortran
