// Starting programs as ranks of a new job (MPI 5.0 §11.8).
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "terms/error.hpp"

namespace ranklet::comm {

struct SpawnRequest {
  ProgramToStart program;
  int most = 0;  // processes that were asked for: at least program.ranks, which are started
};

// The same at all members.
struct Spawned {
  CommRef comm;  // the intercommunicator to them; null after an error
  // Of each program; empty if the requests themselves were wrong.
  struct RankCount {
    int asked, started;
  };
  std::vector<RankCount> counts;
  std::optional<Error> error;
};

// Collective over `local`, an intracommunicator. The root alone calls plan(), for what is to be started, and
// prepare() for each new rank before it runs, with the number of its program. Returns when all of them have
// come to MPI, or with Error{spawn} if a program cannot be started or one ends before that. Errors: comm.
Spawned spawn(Communicator& local, int root, const std::function<std::vector<SpawnRequest>()>& plan,
              const std::function<void(Rank&, std::size_t program)>& prepare);

// §11.8.1: how many processes to start where at most `most` were asked for: the largest number of the set
// "a:b:c,d:e,f" (from a to b in steps of c) that is not above. Errors: spawn, if there is none; info_value,
// for another text.
int choose_from_soft(std::string_view text, int most);

}  // namespace ranklet::comm
