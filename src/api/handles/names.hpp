// Names of constants and values as users write them, for error messages.
#pragma once

#include <cstdint>
#include <string>

#include "api/handles/functions.hpp"
#include "api/handles/rank_state.hpp"

namespace ranklet::api {

// "MPI_COMM_WORLD"; null if no predefined handle has that value.
const char* constant_of_handle(std::uintptr_t value) noexcept;
// "communicator" for 1 …; null if no kind of dynamic handle has that number.
const char* handle_kind_name(std::uintptr_t code) noexcept;
// The name of a constant of a kind of parameter; null if it has none.
const char* constant_name(const KindInfo& kind, std::int64_t value) noexcept;

// "MPI_COMM_WORLD", "'rows' (0x8000001)" or "0x8000001".
std::string comm_text(RankState& state, std::uintptr_t handle);
std::string win_text(RankState& state, std::uintptr_t handle);
// "MPI_Send_c", or "MPI_SEND" if a routine of Fortran has made the call.
std::string routine_name(const FunctionInfo& function, bool large, bool fortran);
// One argument as in a call: "MPI_INT", "7", "MPI_MODE_CREATE|MPI_MODE_RDWR", "\"text\"", "0x7ffe…".
std::string argument_text(RankState* state, const ParameterInfo& parameter, Word word);

}  // namespace ranklet::api
