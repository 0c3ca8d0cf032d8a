// What Ranklet says about itself, on stderr, one whole line per call. Not for errors of MPI calls
// (terms/error.hpp).
//
// One meaning per level: error, the job cannot go on; warning, something the user should change; info, what
// was decided (bindings, algorithms); debug, for those who work on Ranklet. RANKLET_LOG chooses.
#pragma once

#include "base/config.hpp"

namespace ranklet {

// Writes "ranklet: <printf-formatted text>\n" with one write(2) if the level is asked for. No allocation up
// to 1000 characters; what is longer is cut. Thread-safe; keeps errno.
[[gnu::cold, gnu::format(printf, 2, 3)]] void log(LogLevel level, const char* format, ...);

}  // namespace ranklet
