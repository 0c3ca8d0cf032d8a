#include "api/entry/call.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "api/entry/argument_rules.hpp"
#include "api/entry/joining.hpp"
#include "api/entry/report.hpp"
#include "api/handles/names.hpp"
#include "base/fortran_site.hpp"

namespace ranklet::api {
namespace {

// The object whose error handler a failed call uses (MPI 5.0 §9.3).
struct Target {
  Subject subject = Subject::none;
  std::uintptr_t handle = 0;  // what the user's function gets
  ErrhandlerPtr handler;      // null: the default, which ends the job
  // To be named in the report.
  Communicator* comm = nullptr;
  Window* window = nullptr;
};

RankState* current_state() noexcept
{
  Rank* const rank = current_rank();
  return rank ? rank->api : nullptr;
}

// Calls without an object, or whose object is the error, use the handler of MPI_COMM_SELF, or of
// MPI_COMM_WORLD; before MPI_Init and after MPI_Finalize, also while a session is open, the initial one.
Target default_target(RankState& state, const Call& call)
{
  if (!state.initialized || state.finalized) return {.handler = state.initial_handler};
  Communicator& keeper = state.keeper_of_errors();
  const bool is_self = &keeper == &comm::self(state.rank);
  if (!is_self)
    for (CallObserver* const observer : state.observers) observer->error_goes_to_world(call);
  return {.subject = Subject::comm,
          .handle = handle_value(is_self ? MPI_COMM_SELF : MPI_COMM_WORLD),
          .handler = keeper.errhandler};
}

// Calls that make an object from nothing but groups and names are told which error handler is to be called if
// they fail (§11.3.1, §7.4.2); there is no object yet that it could get.
std::optional<Target> given_target(RankState& state, const Call& call)
{
  const auto parameters = call.function().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind->sort != ArgumentSort::errhandlers || parameters[i].pointer) continue;
    const auto value = static_cast<std::uintptr_t>(call.word_of(static_cast<int>(i)));
    const ErrhandlerPtr* const handler = state.errhandlers.look_up(state.errhandlers.make(value));
    const bool session = parameters.back().kind->sort == ArgumentSort::sessions;
    const Subject subject = session ? Subject::session : Subject::comm;
    if (!handler || !(*handler)->serves(subject)) return std::nullopt;
    return Target{.subject = subject,
                  .handle = session ? handle_value(MPI_SESSION_NULL) : handle_value(MPI_COMM_NULL),
                  .handler = *handler};
  }
  return std::nullopt;
}

Target target_of(RankState& state, const Call& call, Communicator* blamed, File* blamed_file)
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
  } else if (std::optional<Target> given = given_target(state, call)) {
    return *given;
  }
  return default_target(state, call);
}

// "communicator  MPI_COMM_WORLD, rank 1 of 4", or the same for a window; empty for other targets.
std::string subject_line(RankState& state, const Target& target)
{
  if (target.comm)
    return "communicator  " + comm_text(state, target.handle) + ", rank " +
           std::to_string(target.comm->rank()) + " of " + std::to_string(target.comm->size());
  if (target.window)
    return "window        " + win_text(state, target.handle) + ", rank " +
           std::to_string(target.window->rank()) + " of " + std::to_string(target.window->size());
  return {};
}

std::string class_name(RankState& state, int code)
{
  const std::string text = state.codes.text(state.codes.class_of(code));
  return text.substr(0, text.find(':'));
}

// What the code says beyond its class.
std::string reason_of(RankState& state, int code)
{
  const std::string text = state.codes.text(code);
  const std::size_t colon = text.find(':');
  const std::string reason = colon == std::string::npos ? text : text.substr(colon + 2);
  return reason.empty() ? "error code " + std::to_string(code) : reason;
}

// Of the mismatch that the call fails with: "rank 3", or empty.
std::string who_has_told(const RankState& state, const Call& call, Communicator* blamed)
{
  for (CallObserver* const observer : state.observers)
    if (std::string who = observer->told_by(call, blamed); !who.empty()) return who;
  return {};
}

// Ends the job with the report, or the process if the thread belongs to no rank. Does not return.
[[noreturn]] void end_job(RankState* state, int code, const std::string& report)
{
  if (!state) {
    std::fputs(report.c_str(), stderr);
    std::exit(EXIT_FAILURE);
  }
  Job& job = state->rank.job;
  if (!job.options().on_abort) std::fputs(report.c_str(), stderr);
  job.abort(&state->rank, code, report);
}

}  // namespace

Word Call::word_of(int index) const noexcept
{
  int position = 0;
  for (int i = 0; i < index; ++i)
    if (large_ || !function_.parameters[static_cast<std::size_t>(i)].large_only) ++position;
  return words_[position];
}

std::string Call::describe(const CallNote& note)
{
  const Call& call = static_cast<const Call&>(note);
  RankState* const state = current_state();
  std::string text = routine_name(call.function_, call.large_, is_in_fortran_library(call.site)) + "(";
  const char* separator = "";
  int position = 0;
  for (const ParameterInfo& parameter : call.function_.parameters) {
    if (parameter.large_only && !call.large_) continue;
    text += separator;
    text += parameter.name;
    text += "=";
    text += argument_text(state, parameter, call.words_[position++]);
    separator = ", ";
  }
  return text + ")";
}

RankState& Call::enter_slowly(bool needs_mpi)
{
  Rank* rank = current_rank();
  if (!rank) rank = join_process();
  if (!rank || !rank->api) fail(ErrorClass::other, "the calling thread belongs to no MPI process");
  if (rank->api->run && rank->job.enter(*rank)) watched_ = counted_ = true;
  if (needs_mpi && rank->job.cancelled()) rank->job.stop();
  if (!needs_mpi || rank->api->ready) {
    for (CallObserver* const observer : rank->api->observers) {
      watched_ = true;
      ++told_;
      observer->enter(*this, needs_mpi);
    }
    return *rank->api;
  }
  if (rank->api->finalized) fail(ErrorClass::other, "MPI_Finalize was called before");
  fail(ErrorClass::other, "MPI_Init was not called before");
}

void Call::leave_watched() noexcept
{
  const RankState& state = *current_rank()->api;
  while (told_ > 0) state.observers[--told_]->leave(*this, !failed_);
  if (counted_) Job::leave_mpi();
}

int Call::failed()
{
  failed_ = true;
  try {
    return handle_exception();
  } catch (const JobCancelled&) {
    // A destructor may not be left by an exception, neither while the stack is unwound nor, mostly,
    // otherwise.
    if (std::uncaught_exceptions() == 0 && !function_.frees) throw;
    return static_cast<int>(ErrorClass::proc_aborted);
  }
}

int Call::handle_exception()
{
  try {
    throw;
  } catch (const Error& error) {
    return raise(error);
  } catch (const std::bad_alloc&) {
    return raise(Error(ErrorClass::no_mem, "no memory left"));
  } catch (const std::length_error& error) {
    return raise(Error(ErrorClass::no_mem, error.what()));
  }
}

int Call::raise(const Error& error)
{
  RankState* const state = current_state();
  if (!state) {
    const std::string words = describe_class(static_cast<int>(error.error_class()));
    end_job(nullptr, 1,
            report_text(*this, nullptr, "", words.substr(0, words.find(':')), error.message(),
                        argument_rule(function(), error)));
  }
  const int code = state->codes.remember(error.error_class(), error.message());
  // Asked in any case: it decides what later errors are taken for.
  const std::string told_by = error.is_mismatch() ? who_has_told(*state, *this, blamed_) : std::string();
  const Target target = target_of(*state, *this, blamed_, blamed_file_);
  const auto action = target.handler ? target.handler->action() : Errhandler::Action::abort_job;
  if (action == Errhandler::Action::give_code) return code;
  if (action == Errhandler::Action::call_user) return target.handler->call(target.handle, code);
  if (!told_by.empty())
    end_job(state, state->codes.class_of(code),
            reference_text(*this, *state, class_name(*state, code), told_by));
  end_job(state, state->codes.class_of(code),
          report_text(*this, state, subject_line(*state, target), class_name(*state, code),
                      error.message().empty() ? reason_of(*state, code) : error.message(),
                      argument_rule(function(), error)));
}

void call_errhandler(RankState& state, const Errhandler* handler, Subject subject, std::uintptr_t handle,
                     int code)
{
  const auto action = handler ? handler->action() : Errhandler::Action::abort_job;
  if (action == Errhandler::Action::give_code) return;
  if (action == Errhandler::Action::call_user) {
    handler->call(handle, code);
    return;
  }
  const auto& call = static_cast<const Call&>(*current_call());
  CommRef* const comm = subject == Subject::comm ? state.comms.look_up(state.comms.make(handle)) : nullptr;
  Window** const window = subject == Subject::win ? state.wins.look_up(state.wins.make(handle)) : nullptr;
  Target target;
  target.handle = handle;
  if (comm) target.comm = comm->get();
  if (window) target.window = *window;
  end_job(&state, state.codes.class_of(code),
          report_text(call, &state, subject_line(state, target), class_name(state, code),
                      reason_of(state, code)));
}

void blame(Communicator& comm) noexcept
{
  // Notes are made by entry points only, and their Call is not const.
  if (const CallNote* const note = current_call())
    static_cast<Call*>(const_cast<CallNote*>(note))->blame(comm);
}

void blame(File& file) noexcept
{
  if (const CallNote* const note = current_call())
    static_cast<Call*>(const_cast<CallNote*>(note))->blame(file);
}

int Errhandler::call(std::uintptr_t handle, int code) const
{
  // Copies: the function may write to what it gets.
  switch (subject_) {
    case Subject::comm: {
      MPI_Comm copy = HandleTable<CommHandle>::make(handle);
      reinterpret_cast<MPI_Comm_errhandler_function*>(function_)(&copy, &code);
      return code;
    }
    case Subject::win: {
      MPI_Win copy = HandleTable<WinHandle>::make(handle);
      reinterpret_cast<MPI_Win_errhandler_function*>(function_)(&copy, &code);
      return code;
    }
    case Subject::file: {
      MPI_File copy = HandleTable<FileHandle>::make(handle);
      reinterpret_cast<MPI_File_errhandler_function*>(function_)(&copy, &code);
      return code;
    }
    case Subject::session: {
      MPI_Session copy = HandleTable<SessionHandle>::make(handle);
      reinterpret_cast<MPI_Session_errhandler_function*>(function_)(&copy, &code);
      return code;
    }
    case Subject::none:
      break;
  }
  return code;
}

}  // namespace ranklet::api
