// Which memory a call uses, by its arguments: for those who watch calls. Memory that wrong arguments name
// is left out, as the call will fail.
#pragma once

#include <optional>
#include <vector>

#include "api/entry/call.hpp"
#include "api/usage/arguments.hpp"
#include "api/usage/call_plan.hpp"
#include "api/usage/call_record.hpp"
#include "check/check.hpp"

namespace ranklet::api {

CallRecordRef record_of(RankState& state, const Call& call);

// What the call says of these objects; null if it is given none, or a wrong one.
Communicator* comm_of(RankState& state, const Call& call);
Window* window_of(RankState& state, const Call& call);
File* file_of(RankState& state, const Call& call);

// The buffers of messages, partitions, collectives and files, as far as the call uses them.
std::vector<check::BufferUse> uses_of(RankState& state, const Call& call, const CallRecordRef& record);
// collective_buffers.cpp
std::vector<check::BufferUse> collective_uses(RankState& state, const Call& call, const CallPlan& plan,
                                              const CallRecordRef& record);
// partition_checks.cpp: one for each partition, or none at all.
std::vector<check::BufferUse> partition_uses(RankState& state, const Call& call, const CallRecordRef& record);

// f(partition) for those that a call of MPI_Pready or its like names.
template <class F>
void for_each_partition(const Arguments& arguments, F&& f)
{
  if (arguments.has("partition")) {
    f(arguments.word("partition"));
  } else if (arguments.has("array_of_partitions")) {
    const auto* const array = reinterpret_cast<const int*>(arguments.word("array_of_partitions"));
    for (Word i = 0; array && i < arguments.word("length"); ++i) f(array[i]);
  } else {
    for (Word i = arguments.word("partition_low"); i <= arguments.word("partition_high"); ++i) f(i);
  }
}

// Of one-sided calls: the buffers at the origin, and the data at the target.
std::vector<check::BufferUse> origin_uses(RankState& state, const Call& call, const CallRecordRef& record);
std::optional<check::BufferUse> target_use(RankState& state, const Call& call, const Window& window,
                                           const CallRecordRef& record);
// In which kind of epoch the rank stands to the target.
rma::Access epoch_of(const Window& window, int target);

}  // namespace ranklet::api
