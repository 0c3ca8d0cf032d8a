#include "api/state.hpp"

#include <cstring>
#include <mutex>

#include "api/call.hpp"
#include "base/config.hpp"

namespace ranklet::api {
namespace {

// The core knows the predefined types and operators by the names of mpi.h.
void install_types(HandleTable<TypeHandle>& types)
{
  for (const KindInfo& kind : all_kinds()) {
    if (std::strcmp(kind.name, "type") != 0) continue;
    for (const NamedValue& constant : kind.values) {
      for (int i = 1; i < basic_count; ++i) {
        Datatype& type = predefined(static_cast<Basic>(i));
        if (type.name() == constant.name)
          types.install(types.make(static_cast<std::uintptr_t>(constant.value)), Ref<Datatype>(type));
      }
    }
  }
}

void install_ops(HandleTable<OpHandle>& ops)
{
  for (const KindInfo& kind : all_kinds()) {
    if (std::strcmp(kind.name, "op") != 0) continue;
    for (const NamedValue& constant : kind.values) {
      for (int i = 0; i < predefined_op_count; ++i) {
        Op& op = predefined(static_cast<OpKind>(i));
        if (std::strcmp(op.name(), constant.name) == 0)
          ops.install(ops.make(static_cast<std::uintptr_t>(constant.value)), Ref<Op>(op));
      }
    }
  }
}

}  // namespace

RankState::RankState(Rank& in_rank) : rank(in_rank)
{
  groups.install(MPI_GROUP_EMPTY, Group::empty());
  install_types(types);
  install_ops(ops);
  messages.install(MPI_MESSAGE_NO_PROC, p2p::Message{nullptr, &rank});
  using enum Errhandler::Action;
  errhandlers.install(MPI_ERRORS_ARE_FATAL, std::make_shared<Errhandler>(abort_job));
  errhandlers.install(MPI_ERRORS_ABORT, std::make_shared<Errhandler>(abort_comm));
  errhandlers.install(MPI_ERRORS_RETURN, std::make_shared<Errhandler>(give_code));
  if (config().initial_errhandler == "mpi_errors_return")
    initial_handler = *errhandlers.look_up(MPI_ERRORS_RETURN);
  else if (config().initial_errhandler == "mpi_errors_abort")
    initial_handler = *errhandlers.look_up(MPI_ERRORS_ABORT);
  // §9.3: MPI_COMM_WORLD and MPI_COMM_SELF start with the initial error handler as well.
  if (rank.comm) rank.comm->world->errhandler = rank.comm->self->errhandler = initial_handler;
  if (rank.comm) rank.comm->last_used_code = codes.last_used();
  file_handler = *errhandlers.look_up(MPI_ERRORS_RETURN);
  infos.install(MPI_INFO_ENV, std::make_unique<Info>());
}

RankState::~RankState() = default;

void RankState::open_instance(ThreadLevel level)
{
  const std::lock_guard guard(instances_lock_);
  // Whoever uses the other instances does not know of this one: calls may come from several threads at once,
  // whatever the levels are.
  if (instances_++ > 0) level = ThreadLevel::multiple;
  // Not written again, as other threads may read them.
  if (rank.thread_level != level) rank.thread_level = level;
  if (ready) return;
  ready = true;
  rank.job.set_phase(rank, Phase::active);
}

void RankState::close_instance()
{
  const std::lock_guard guard(instances_lock_);
  if (--instances_ > 0) return;
  ready = false;
  rank.job.set_phase(rank, Phase::finalized);
}

bool RankState::is_last_instance()
{
  const std::lock_guard guard(instances_lock_);
  return instances_ == 1;
}

Extension extension() noexcept
{
  return {
      .create = [](Rank& rank) { rank.api = new RankState(rank); },
      .destroy =
          [](Rank& rank) noexcept {
            delete rank.api;
            rank.api = nullptr;
          },
  };
}

}  // namespace ranklet::api
