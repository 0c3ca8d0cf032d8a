// Answers for the deadlock report: the ranks that may end a wait, as far as the call that waits tells, and
// the messages that nobody receives.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ranks/ranks.hpp"
#include "terms/call_note.hpp"

namespace ranklet::api {

// To be called by the thread that waits in the call.
WaitPartners partners(Rank& self, const CallNote& note);

// All of these: lines, by any thread, while the rank's own wait.
// "unmatched: a message from rank 0 with tag 3 on MPI_COMM_WORLD, 4 bytes": of those that have come and that
// no receive takes.
std::vector<std::string> unmatched_messages(Rank& rank);
// "waits for a receive from rank 1 with tag 0 on MPI_COMM_WORLD": each request that is not complete, of those
// that the call was given. "rank 3 has not come to it": of a collective, also of a request's.
std::vector<std::string> awaited_requests(Rank& rank, const CallNote& note);
// "not started: a send to rank 0 with tag 3 on MPI_COMM_WORLD": persistent requests.
std::vector<std::string> requests_not_started(Rank& rank);

// Lines for calls in which ranks wait for each other, if all are one collective, on different communicators;
// else empty.
std::string crossed_collectives(const std::vector<std::pair<Rank*, const CallNote*>>& calls);

}  // namespace ranklet::api
