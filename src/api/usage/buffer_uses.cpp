#include "api/usage/buffer_uses.hpp"

namespace ranklet::api {

CallRecordRef record_of(RankState& state, const Call& call)
{
  auto* const made = new CallRecord(state.rank, call);
  for (const BufferPlan& buffer : plan_of(call.function()).buffers) {
    const Ref<Datatype>* const type =
        state.types.look_up(state.types.make(static_cast<std::uintptr_t>(call.word_of(buffer.type))));
    if (!type) continue;
    const Amount amount{call.word_of(buffer.count), Ref<const Datatype>(**type)};
    if (buffer.read) made->sent = amount;
    if (buffer.written) made->room = amount;
  }
  return CallRecordRef::adopt(made);
}

// The buffers of a call whose arguments are right, as far as they are used.
std::vector<check::BufferUse> uses_of(RankState& state, const Call& call, const CallRecordRef& record)
{
  const CallPlan& plan = plan_of(call.function());
  if (plan.is_partitioned) return partition_uses(state, call, record);
  if (plan.buffers.empty()) return collective_uses(state, call, plan, record);
  const auto is_nobody = [&](int peer) { return peer >= 0 && call.word_of(peer) == proc_null; };
  std::vector<check::BufferUse> uses;
  for (const BufferPlan& buffer : plan.buffers) {
    const Count count = call.word_of(buffer.count);
    const Word address = call.word_of(buffer.address);
    const Ref<Datatype>* const type =
        state.types.look_up(state.types.make(static_cast<std::uintptr_t>(call.word_of(buffer.type))));
    const auto* const message =
        buffer.message < 0 ? nullptr : reinterpret_cast<const MPI_Message*>(call.word_of(buffer.message));
    const bool read = buffer.read && !is_nobody(buffer.dest);
    const bool written =
        buffer.written && !is_nobody(buffer.source) && (!message || *message != MPI_MESSAGE_NO_PROC);
    if (!type || !(*type)->committed() || count <= 0 || !(read || written)) continue;
    if (address == 0 && (*type)->is_predefined()) continue;
    uses.push_back({reinterpret_cast<const void*>(address), count, Ref<const Datatype>(**type), written,
                    Ref<const RecordedCall>(*record)});
  }
  return uses;
}

Communicator* comm_of(RankState& state, const Call& call)
{
  const auto parameters = call.function().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto handle = static_cast<std::uintptr_t>(call.word_of(static_cast<int>(i)));
    if (parameters[i].kind->sort == ArgumentSort::comms &&
        (!parameters[i].pointer || parameters[i].input_too)) {
      const auto value =
          parameters[i].pointer && handle ? *reinterpret_cast<const std::uintptr_t*>(handle) : handle;
      CommRef* const comm = state.comms.look_up(state.comms.make(value));
      return comm ? comm->get() : nullptr;
    }
    if (parameters[i].kind->sort == ArgumentSort::wins) {
      const auto value =
          parameters[i].pointer && handle ? *reinterpret_cast<const std::uintptr_t*>(handle) : handle;
      Window** const window = state.wins.look_up(state.wins.make(value));
      return window ? &(*window)->comm() : nullptr;
    }
    if (parameters[i].kind->sort == ArgumentSort::files) {
      File* const file = file_of(state, call);
      return file ? &file->comm() : nullptr;
    }
  }
  return nullptr;
}

Window* window_of(RankState& state, const Call& call)
{
  const int win = find_parameter(call.function(), "win");
  if (win < 0) return nullptr;
  auto handle = static_cast<std::uintptr_t>(call.word_of(win));
  if (call.function().parameters[static_cast<std::size_t>(win)].pointer)
    handle = handle ? *reinterpret_cast<const std::uintptr_t*>(handle) : 0;
  Window** const window = state.wins.look_up(state.wins.make(handle));
  return window ? *window : nullptr;
}

File* file_of(RankState& state, const Call& call)
{
  const int fh = find_parameter(call.function(), "fh");
  if (fh < 0) return nullptr;
  auto handle = static_cast<std::uintptr_t>(call.word_of(fh));
  if (call.function().parameters[static_cast<std::size_t>(fh)].pointer)
    handle = handle ? *reinterpret_cast<const std::uintptr_t*>(handle) : 0;
  File** const file = state.files.look_up(state.files.make(handle));
  return file ? *file : nullptr;
}

std::vector<check::BufferUse> origin_uses(RankState& state, const Call& call, const CallRecordRef& record)
{
  std::vector<check::BufferUse> uses;
  const Arguments arguments(state, call);
  if (arguments.word("target_rank") == proc_null) return uses;
  const auto add = [&](const char* address, const char* count, const char* type_name, bool written) {
    if (!arguments.has(address)) return;
    const Word where = arguments.word(address);
    const Count elements = arguments.has(count) ? arguments.word(count) : 1;
    const Datatype* const type =
        arguments.type(arguments.word(arguments.has(type_name) ? type_name : "datatype"));
    if (!type || elements <= 0 || (where == 0 && type->is_predefined())) return;
    uses.push_back({reinterpret_cast<const void*>(where), elements, Ref<const Datatype>(*type), written,
                    Ref<const RecordedCall>(*record)});
  };
  const bool reads = !arguments.has("op") || arguments.word("op") != reinterpret_cast<Word>(MPI_NO_OP);
  if (reads)
    add("origin_addr", "origin_count", "origin_datatype",
        std::string_view(call.function().name).ends_with("et"));
  add("compare_addr", "", "", false);
  add("result_addr", "result_count", "result_datatype", true);
  return uses;
}

std::optional<check::BufferUse> target_use(RankState& state, const Call& call, const Window& window,
                                           const CallRecordRef& record)
{
  const Arguments arguments(state, call);
  const Word target = arguments.word("target_rank");
  if (target < 0 || target >= window.size()) return std::nullopt;
  const bool single = !arguments.has("target_count");
  const Datatype* const type = arguments.type(arguments.word(single ? "datatype" : "target_datatype"));
  if (!type) return std::nullopt;
  const rma::Target& there = window.target(static_cast<int>(target));
  const Word disp = arguments.word("target_disp");
  const std::uintptr_t address = window.shared().flavor == rma::Flavor::dynamic
                                     ? static_cast<std::uintptr_t>(disp)
                                     : reinterpret_cast<std::uintptr_t>(there.base) +
                                           static_cast<std::uintptr_t>(disp * there.disp_unit);
  return check::BufferUse{reinterpret_cast<const void*>(address), single ? 1 : arguments.word("target_count"),
                          Ref<const Datatype>(*type), true, Ref<const RecordedCall>(*record)};
}

rma::Access epoch_of(const Window& window, int target)
{
  return window.epoch() == Window::Epoch::lock_all ? rma::Access::shared : window.path(target).access();
}

}  // namespace ranklet::api
