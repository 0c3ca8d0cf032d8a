// What works here, and in MPICH and Open MPI, but is not what the standard says: advice.
#include "api/usage/arguments.hpp"
#include "api/usage/rank_checks.hpp"
#include "datatype/op.hpp"

namespace ranklet::api {

void RankChecks::check_operator(const Call& call)
{
  const Arguments arguments(state_, call);
  const char* const name = arguments.has("datatype") ? "datatype" : "target_datatype";
  const Datatype* const type = arguments.type(arguments.word(name));
  const auto handle = static_cast<std::uintptr_t>(arguments.word("op"));
  const Ref<Op>* const op = state_.ops.look_up(state_.ops.make(handle));
  if (!type || !op || !is_beyond_standard(**op, *type)) return;
  report(check::Finding::Weight::advice,
         std::string("the standard does not define ") + (*op)->name() + " for " + info(type->basic()).name +
             ", though MPICH and Open MPI take it as well",
         "MPI 5.0 §6.9.2", record(call).get());
}

void RankChecks::error_goes_to_world(const Call& call, const Error& error) noexcept
{
  const Holder guard(lock_);
  report(check::Finding::Weight::advice,
         "an error that belongs to no object (" +
             (error.message().empty() ? describe_class(static_cast<int>(error.error_class()))
                                      : error.message()) +
             ") went to the error handler of MPI_COMM_WORLD, as MPI_COMM_SELF was given none; since MPI-4 it "
             "belongs to that of MPI_COMM_SELF",
         "MPI 5.0 §9.3", record(call).get());
}

}  // namespace ranklet::api
