// How mpiexec tells ranklet-interpreter what to open.
#pragma once

namespace ranklet::launch {

// "LIBRARY:FUNCTION".
inline constexpr const char* interpreter_variable = "RANKLET_INTERPRETER_LIBRARY";

}  // namespace ranklet::launch
