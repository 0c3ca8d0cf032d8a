#include "api/entry/call.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include "api/entry/argument_rules.hpp"
#include "api/entry/error_target.hpp"
#include "api/entry/joining.hpp"
#include "api/entry/report.hpp"
#include "api/handles/names.hpp"
#include "base/fortran_site.hpp"

namespace ranklet::api {
namespace {

RankState* current_state() noexcept
{
  Rank* const rank = current_rank();
  return rank ? rank->api : nullptr;
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
  const CommRef blamed = CommRef::adopt(std::exchange(blamed_, nullptr));
  const std::string told_by = error.is_mismatch() ? who_has_told(*state, *this, blamed.get()) : std::string();
  const ErrorTarget target = target_of(*state, *this, error, blamed.get(), blamed_file_);
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
  ErrorTarget target;
  target.handle = handle;
  if (comm) target.comm = comm->get();
  if (window) target.window = *window;
  end_job(&state, state.codes.class_of(code),
          report_text(call, &state, subject_line(state, target), class_name(state, code),
                      reason_of(state, code)));
}

void Call::blame(Communicator& comm) noexcept
{
  const CommRef before = CommRef::adopt(std::exchange(blamed_, CommRef(comm).detach()));
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
