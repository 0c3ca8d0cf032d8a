// Partitioned communication (MPI 5.0 chapter 4).
#include "api/entry/request_calls.hpp"
#include "api/impl/arbitrated_requests.hpp"
#include "api/impl/impl.hpp"
#include "p2p/p2p.hpp"

namespace ranklet::api::impl {

// No info key is known.
void Psend_init(Rank&, const void* buf, int partitions, Count count, Datatype& datatype, int dest, int tag,
                Communicator& comm, Info*, Request*& request)
{
  request = &p2p::partitioned_send_init(comm, buf, partitions, count, datatype, dest, tag);
}

void Precv_init(Rank&, void* buf, int partitions, Count count, Datatype& datatype, int source, int tag,
                Communicator& comm, Info*, Request*& request)
{
  request = &p2p::partitioned_receive_init(comm, buf, partitions, count, datatype, source, tag);
}

void Pready(Rank& self, int partition, Request& request)
{
  blaming(self, request, [&] { p2p::mark_ready(request, partition); });
}

void Pready_range(Rank& self, int partition_low, int partition_high, Request& request)
{
  blaming(self, request, [&] {
    if (partition_low > partition_high)
      fail(ErrorClass::arg, "partition_low is %d and partition_high only %d", partition_low, partition_high);
    for (Count i = partition_low; i <= partition_high; ++i) p2p::mark_ready(request, static_cast<int>(i));
  });
}

void Pready_list(Rank& self, int length, const int* array_of_partitions, Request& request)
{
  blaming(self, request, [&] {
    for (int i = 0; i < length; ++i) p2p::mark_ready(request, array_of_partitions[i]);
  });
}

// An inactive request, and none at all, has nothing to wait for (§4.2.2).
void Parrived(Rank& self, Request* request, int partition, bool& flag)
{
  flag = true;
  if (!request) return;
  const auto look = [&] { return p2p::has_arrived(*request, partition); };
  blaming(self, *request, [&] { flag = has_arbiter(self) ? arbitrate_look(self, look) : look(); });
  if (!flag) after_fruitless_test(self);
}

}  // namespace ranklet::api::impl
