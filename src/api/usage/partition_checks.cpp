// What the usage checks follow partitioned communication for (MPI 5.0 §4.2): a part of a send is in use from
// MPI_Pready on, so that it may be filled in any way before; a part of a receive until MPI_Parrived has said
// that it is there.
#include "api/usage/arguments.hpp"
#include "api/usage/rank_checks.hpp"
#include "datatype/checked.hpp"

namespace ranklet::api {

// One use for each partition, or none at all.
std::vector<check::BufferUse> partition_uses(RankState& state, const Call& call, const CallRecordRef& record)
{
  std::vector<check::BufferUse> uses;
  const Arguments arguments(state, call);
  const bool written = arguments.has("source");
  const Word address = arguments.word("buf");
  const Count count = arguments.word("count");
  const Datatype* const type = arguments.type(arguments.word("datatype"));
  const bool nobody = arguments.word(written ? "source" : "dest") == proc_null;
  if (!type || count <= 0 || nobody || (address == 0 && type->is_predefined())) return uses;
  const Count step = checked_mul(count, type->extent());
  for (Word i = 0; i < arguments.word("partitions"); ++i)
    uses.push_back({reinterpret_cast<const void*>(checked_add(address, checked_mul(i, step))), count,
                    Ref<const Datatype>(*type), written, Ref<const RecordedCall>(*record)});
  return uses;
}

void RankChecks::partitions_ready(const Call& call, const Request& request)
{
  const KnownRequest* const known = find(request);
  if (!known || !known->sends_parts || !request.active()) return;
  for_each_partition(Arguments(state_, call), [&](Word partition) RANKLET_UNCHECKED {
    if (partition < 0 || partition >= static_cast<Word>(known->uses.size())) return;
    const check::BufferUse& use = known->uses[static_cast<std::size_t>(partition)];
    check_buffers({use}, *known->made);
    pending_.add(known->made.get(), use);
  });
}

void RankChecks::partition_arrived(const Open& open)
{
  const Arguments arguments(state_, *open.call);
  const Word partition = arguments.word("partition");
  if (!*reinterpret_cast<const int*>(arguments.word("flag"))) return;
  for (const Given& given : open.requests) {
    const KnownRequest* const known = find(*given.request);
    if (!known || partition < 0 || partition >= static_cast<Word>(known->uses.size())) continue;
    pending_.remove(known->made.get(), known->uses[static_cast<std::size_t>(partition)].address);
  }
}

}  // namespace ranklet::api
