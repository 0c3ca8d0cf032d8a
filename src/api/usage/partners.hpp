// What the deadlock report asks: who may end a wait, as far as the call that waits tells, and which messages
// nobody receives.
#pragma once

#include <string>
#include <vector>

#include "ranks/ranks.hpp"
#include "terms/call_note.hpp"

namespace ranklet::api {

// To be called by the thread that waits in the call.
WaitPartners partners(Rank& self, const CallNote& note);

// "a message from rank 0 with tag 3 on MPI_COMM_WORLD, 4 bytes": of those that have come and that no receive
// takes. Any thread, while the rank's own wait.
std::vector<std::string> unmatched_messages(Rank& rank);

}  // namespace ranklet::api
