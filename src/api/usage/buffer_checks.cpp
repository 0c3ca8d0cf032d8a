// The buffers of a call beside each other, and beside those of operations that are not complete.
#include <algorithm>

#include "api/usage/rank_checks.hpp"

namespace ranklet::api {

namespace {

const CallPlan& plan_of(const check::BufferUse& use)
{
  return plan_of(static_cast<const CallRecord&>(*use.call).function());
}

}  // namespace

const char* RankChecks::buffer_name(const check::BufferUse& use)
{
  const CallPlan& plan = plan_of(use);
  if (plan.is_file_call) return use.written ? "the buffer to read into" : "the data to write";
  if (plan.is_window_call) return use.written ? "the result buffer" : "the origin buffer";
  return use.written ? "the receive buffer" : "the data to send";
}

// What keeps the program from using it.
const char* RankChecks::buffer_rule(const check::BufferUse& use)
{
  const CallPlan& plan = plan_of(use);
  return plan.is_file_call ? "MPI 5.0 §14.4.1" : plan.is_window_call ? "MPI 5.0 §12.3" : "MPI 5.0 §3.7.2";
}

void RankChecks::check_buffers(const std::vector<check::BufferUse>& uses, const RecordedCall& call)
{
  check_room_of_buffers(uses, call);
  for (const check::BufferUse& use : uses) {
    for (const check::BufferUse* const known : pending_.conflicts(use)) {
      const char* const relation = use.written ? " overlaps " : " lies in ";
      const char* const theirs = use.written && known->written ? "one" : buffer_name(*known);
      report(check::Finding::Weight::error,
             std::string(buffer_name(use)) + relation + theirs + " of an operation that is not complete",
             buffer_rule(*known), &call, known->call.get());
    }
  }
  for (const check::BufferUse& use : uses)
    if (use.written && check::overlaps_itself(use))
      report(check::Finding::Weight::error,
             std::string(buffer_name(use)) + " has a datatype whose entries overlap", "MPI 5.0 §5.1.11",
             &call);
  // Of one call (MPI_Sendrecv, collectives): arguments may not be aliases where one is written.
  for (const check::BufferUse& read : uses) {
    if (read.written || std::ranges::none_of(uses, [&](const check::BufferUse& written) {
          return written.written && check::overlap(read, written);
        }))
      continue;
    report(check::Finding::Weight::error, "the send buffer and the receive buffer overlap", "MPI 5.0 §2.3",
           &call);
    break;
  }
}

}  // namespace ranklet::api
