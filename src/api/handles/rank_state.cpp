#include "api/handles/rank_state.hpp"

#include <bit>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "api/handles/functions.hpp"
#include "base/config.hpp"
#include "rma/element_ops.hpp"

namespace ranklet::api {
namespace {

// The core knows the predefined types and operators by the names of mpi.h: which handles stand for which.
template <typename Object, typename Handle, typename At>
std::vector<std::pair<Handle, Object*>> find_by_name(const char* kind_name, int count, At&& at)
{
  std::map<std::string_view, Object*> objects;
  for (int i = 0; i < count; ++i) {
    Object& object = at(i);
    objects.emplace(object.name(), &object);
  }
  std::vector<std::pair<Handle, Object*>> found;
  for (const KindInfo& kind : all_kinds()) {
    if (std::strcmp(kind.name, kind_name) != 0) continue;
    for (const NamedValue& constant : kind.values)
      if (const auto object = objects.find(constant.name); object != objects.end())
        found.emplace_back(reinterpret_cast<Handle>(static_cast<std::uintptr_t>(constant.value)),
                           object->second);
  }
  return found;
}

RankState::WordType word_of(const Datatype& type)
{
  if (!type.is_contiguous() || type.size() > 8 || !std::has_single_bit(std::uint64_t(type.size()))) return {};
  const BasicInfo& basic = info(type.basic());
  const bool is_number = basic.group == TypeGroup::c_integer || basic.group == TypeGroup::floating ||
                         basic.group == TypeGroup::fortran_integer ||
                         basic.group == TypeGroup::multi_language;
  const rma::ElementOp sum(OpKind::sum, basic.repr);
  RankState::WordType word{static_cast<std::uint8_t>(type.size())};
  if (is_number && sum.adds_words()) word.sum = RankState::WordType::Sum::integers;
  if (is_number && sum.adds_reals()) word.sum = RankState::WordType::Sum::reals;
  return word;
}

void install_types(HandleTable<TypeHandle>& types, RankState::WordType* words)
{
  static const auto predefined_types = find_by_name<Datatype, MPI_Datatype>(
      "type", basic_count - 1, [](int i) -> Datatype& { return predefined(static_cast<Basic>(i + 1)); });
  for (const auto& [handle, type] : predefined_types) {
    types.install(handle, Ref<Datatype>(*type));
    words[handle_value(handle) - TypeHandle::first] = word_of(*type);
  }
}

void install_ops(HandleTable<OpHandle>& ops)
{
  static const auto predefined_ops = find_by_name<Op, MPI_Op>(
      "op", predefined_op_count, [](int i) -> Op& { return predefined(static_cast<OpKind>(i)); });
  for (const auto& [handle, op] : predefined_ops) ops.install(handle, Ref<Op>(*op));
}

}  // namespace

RankState::RankState(Rank& in_rank) : rank(in_rank)
{
  groups.install(MPI_GROUP_EMPTY, Group::empty());
  install_types(types, words);
  install_ops(ops);
  messages.install(MPI_MESSAGE_NO_PROC, p2p::Message{nullptr, &rank});
  using enum Errhandler::Action;
  errhandlers.install(MPI_ERRORS_ARE_FATAL, std::make_shared<Errhandler>(abort_job));
  errhandlers.install(MPI_ERRORS_ABORT, std::make_shared<Errhandler>(abort_comm));
  errhandlers.install(MPI_ERRORS_RETURN, std::make_shared<Errhandler>(give_code));
  set_initial_handler(config().initial_errhandler);
  if (rank.comm) rank.comm->last_used_code = codes.last_used();
  file_handler = *errhandlers.look_up(MPI_ERRORS_RETURN);
  infos.install(MPI_INFO_ENV, std::make_unique<Info>());
}

void RankState::set_initial_handler(std::string_view name)
{
  const MPI_Errhandler handler = name == "mpi_errors_return"  ? MPI_ERRORS_RETURN
                                 : name == "mpi_errors_abort" ? MPI_ERRORS_ABORT
                                                              : MPI_ERRORS_ARE_FATAL;
  initial_handler = handler == MPI_ERRORS_ARE_FATAL ? nullptr : *errhandlers.look_up(handler);
  // §9.3: MPI_COMM_WORLD and MPI_COMM_SELF start with the initial error handler as well.
  if (rank.comm) rank.comm->world->errhandler = rank.comm->self->errhandler = initial_handler;
}

RankState::~RankState()
{
  // What the program has not freed, or could not when its job was stopped.
  requests.for_each([](MPI_Request, Request* request) { request->discard(); });
  messages.for_each([](MPI_Message, const std::optional<p2p::Message>& message) { p2p::discard(*message); });
  wins.for_each([](MPI_Win, Window* window) { delete window; });
  files.for_each([](MPI_File, File* file) { delete file; });
}

Communicator& RankState::keeper_of_errors() noexcept
{
  return world_handler_set && !self_handler_set ? comm::world(rank) : comm::self(rank);
}

void RankState::open_instance(ThreadLevel level)
{
  const Holder guard(instances_lock_);
  // Users of the other instances do not know of this one: calls may come from several threads at once,
  // whatever the levels are.
  if (instances_++ > 0) level = ThreadLevel::multiple;
  if (rank.thread_level() != level) {
    rank.set_thread_level(level);
    wins.outdate();  // some remember the level with their window
  }
  // Not written again, as other threads may read them.
  if (ready) return;
  ready = true;
  unobserved = observers.empty();
  // Else handles that are kept by mistake, or for ever, are found.
  if (unobserved && rank.p2p)
    requests.install(requests.make(RequestHandle::common), &p2p::copied_sends(rank));
  rank.job.set_phase(rank, Phase::active);
}

void RankState::close_instance()
{
  const Holder guard(instances_lock_);
  if (--instances_ > 0) return;
  ready = unobserved = false;
  wins.outdate();
  rank.job.set_phase(rank, Phase::finalized);
}

bool RankState::is_last_instance()
{
  const Holder guard(instances_lock_);
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
