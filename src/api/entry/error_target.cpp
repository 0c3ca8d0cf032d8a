#include "api/entry/error_target.hpp"

#include <optional>

#include "api/handles/names.hpp"

namespace ranklet::api {
namespace {

// Calls without an object, or whose object is the error, use the handler of MPI_COMM_SELF, or of
// MPI_COMM_WORLD; before MPI_Init and after MPI_Finalize, also while a session is open, the initial one.
ErrorTarget default_target(RankState& state, const Call& call, const Error& error)
{
  if (!state.initialized || state.finalized) return {.handler = state.initial_handler};
  Communicator& keeper = state.keeper_of_errors();
  const bool is_self = &keeper == &comm::self(state.rank);
  if (!is_self)
    for (CallObserver* const observer : state.observers) observer->error_goes_to_world(call, error);
  return {.subject = Subject::comm,
          .handle = handle_value(is_self ? MPI_COMM_SELF : MPI_COMM_WORLD),
          .handler = keeper.errhandler};
}

// Calls that make an object from nothing but groups and names are told which error handler is to be called if
// they fail (§11.3.1, §7.4.2); there is no object yet that it could get.
std::optional<ErrorTarget> given_target(RankState& state, const Call& call)
{
  const auto parameters = call.function().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind->sort != ArgumentSort::errhandlers || parameters[i].pointer) continue;
    const auto value = static_cast<std::uintptr_t>(call.word_of(static_cast<int>(i)));
    const ErrhandlerPtr* const handler = state.errhandlers.look_up(state.errhandlers.make(value));
    const bool session = parameters.back().kind->sort == ArgumentSort::sessions;
    const Subject subject = session ? Subject::session : Subject::comm;
    if (!handler || !(*handler)->serves(subject)) return std::nullopt;
    return ErrorTarget{.subject = subject,
                       .handle = session ? handle_value(MPI_SESSION_NULL) : handle_value(MPI_COMM_NULL),
                       .handler = *handler};
  }
  return std::nullopt;
}

}  // namespace

ErrorTarget target_of(RankState& state, const Call& call, const Error& error, Communicator* blamed,
                      File* blamed_file)
{
  if (blamed_file)
    return {.subject = Subject::file,
            .handle = handle_value(state.files.handle_of(*blamed_file)),
            .handler = blamed_file->errhandler};
  if (blamed) {
    const std::uintptr_t handle = handle_value(state.comms.handle_of(*blamed));
    return {.subject = Subject::comm, .handle = handle, .handler = blamed->errhandler, .comm = blamed};
  }
  const FunctionInfo& function = call.function();
  if (function.handle == file_defaults)
    return {.subject = Subject::file, .handle = handle_value(MPI_FILE_NULL), .handler = state.file_handler};
  if (function.handle >= 0) {
    const ParameterInfo& parameter = function.parameters[static_cast<std::size_t>(function.handle)];
    auto handle = static_cast<std::uintptr_t>(call.word_of(function.handle));
    // A handle that the call frees is passed by its address.
    if (parameter.pointer) handle = handle ? *reinterpret_cast<const std::uintptr_t*>(handle) : 0;
    if (parameter.kind->sort == ArgumentSort::comms) {
      if (CommRef* const comm = state.comms.look_up(state.comms.make(handle)))
        return {
            .subject = Subject::comm, .handle = handle, .handler = (*comm)->errhandler, .comm = comm->get()};
    }
    if (parameter.kind->sort == ArgumentSort::sessions) {
      if (SessionPtr* const session = state.sessions.look_up(state.sessions.make(handle)))
        return {.subject = Subject::session, .handle = handle, .handler = (*session)->errhandler};
    }
    if (parameter.kind->sort == ArgumentSort::wins) {
      if (Window** const window = state.wins.look_up(state.wins.make(handle)))
        return {.subject = Subject::win,
                .handle = handle,
                .handler = (*window)->errhandler,
                .comm = nullptr,
                .window = *window};
    }
    if (parameter.kind->sort == ArgumentSort::files) {
      if (File** const file = state.files.look_up(state.files.make(handle)))
        return {.subject = Subject::file, .handle = handle, .handler = (*file)->errhandler};
      // A file that is none counts as MPI_FILE_NULL (§14.7).
      return {.subject = Subject::file, .handle = handle_value(MPI_FILE_NULL), .handler = state.file_handler};
    }
  } else if (std::optional<ErrorTarget> given = given_target(state, call)) {
    return *given;
  }
  return default_target(state, call, error);
}

std::string subject_line(RankState& state, const ErrorTarget& target)
{
  if (target.comm)
    return "communicator  " +
           (target.handle == handle_value(MPI_COMM_NULL) ? "freed before" : comm_text(state, target.handle)) +
           ", rank " + std::to_string(target.comm->rank()) + " of " + std::to_string(target.comm->size());
  if (target.window)
    return "window        " + win_text(state, target.handle) + ", rank " +
           std::to_string(target.window->rank()) + " of " + std::to_string(target.window->size());
  return {};
}

}  // namespace ranklet::api
