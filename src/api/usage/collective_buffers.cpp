// Which memory a collective call reads and writes (MPI 5.0 §6): for the comparison with buffers under way.
#include <algorithm>

#include "api/usage/arguments.hpp"
#include "api/usage/buffer_uses.hpp"
#include "comm/virtual_topology.hpp"
#include "datatype/checked.hpp"

namespace ranklet::api {

namespace {

using check::BufferUse;

class Collector {
 public:
  Collector(const Arguments& arguments, const CallRecordRef& record) : arguments_(arguments), record_(record)
  {
  }

  void add(Word address, Count count, const Datatype* type, bool written)
  {
    if (!type || count <= 0 || (address == 0 && type->is_predefined())) return;
    uses_.push_back({reinterpret_cast<const void*>(address), count, Ref<const Datatype>(*type), written,
                     Ref<const RecordedCall>(*record_)});
  }

  // n blocks of the side "send" or "recv", whose buffer is not MPI_IN_PLACE. peers: of neighbourhoods; a
  // missing neighbour's block is not used.
  void add_blocks(const std::string& side, int n, const std::vector<int>* peers = nullptr)
  {
    const bool written = side == "recv";
    const Word address = arguments_.word((side + "buf").c_str());
    const std::string one = side + "count", many = one + "s", type = side + "type", types = type + "s";
    const auto is_used = [&](int i) { return !peers || (*peers)[static_cast<std::size_t>(i)] != proc_null; };
    if (arguments_.has(one.c_str())) {
      const Count count = arguments_.word(one.c_str());
      const Datatype* const block = arguments_.type(arguments_.word(type.c_str()));
      if (!peers) add(address, checked_mul(count, n), block, written);
      if (!peers || !block) return;
      const Count step = checked_mul(count, block->extent());
      for (int i = 0; i < n; ++i)
        if (is_used(i)) add(checked_add(address, checked_mul(i, step)), count, block, written);
      return;
    }
    const bool each = arguments_.has(types.c_str());
    const std::string displs = arguments_.has("displs") ? "displs" : std::string(1, side[0]) + "displs";
    if (arguments_.word(many.c_str()) == 0 || arguments_.word(displs.c_str()) == 0) return;
    if (each && arguments_.word(types.c_str()) == 0) return;
    for (int i = 0; i < n; ++i) {
      if (!is_used(i)) continue;
      const Datatype* const block =
          arguments_.type(each ? reinterpret_cast<const Word*>(arguments_.word(types.c_str()))[i]
                               : arguments_.word(type.c_str()));
      if (!block) return;
      const Count place = checked_mul(arguments_.element(displs.c_str(), i), each ? 1 : block->extent());
      add(checked_add(address, place), arguments_.element(many.c_str(), i), block, written);
    }
  }

  std::vector<BufferUse> take() { return std::move(uses_); }

 private:
  const Arguments& arguments_;
  const CallRecordRef& record_;
  std::vector<BufferUse> uses_;
};

}  // namespace

std::vector<check::BufferUse> collective_uses(RankState& state, const Call& call, const CallPlan& plan,
                                              const CallRecordRef& record)
{
  using enum CollectivePattern;
  const Communicator* const comm = comm_of(state, call);
  if (plan.pattern == none || plan.pattern == order || !comm || comm->is_inter()) return {};
  const Arguments arguments(state, call);
  Collector collector(arguments, record);
  const bool is_root = !arguments.has("root") || arguments.word("root") == comm->rank();
  const int n = comm->size();
  const auto side = [&](const char* name, int blocks) {
    if (!arguments.in_place((std::string(name) + "buf").c_str())) collector.add_blocks(name, blocks);
  };
  switch (plan.pattern) {
    case none:
    case order:
      break;
    case bcast:
      // One member alone moves nothing.
      if (n > 1)
        collector.add(arguments.word("buffer"), arguments.word("count"),
                      arguments.type(arguments.word("datatype")), !is_root);
      break;
    case gather:
      side("send", 1);
      if (is_root) side("recv", n);
      break;
    case scatter:
      if (is_root) side("send", n);
      side("recv", 1);
      break;
    case allgather:
      side("send", 1);
      side("recv", n);
      break;
    case alltoall:
      side("send", n);
      side("recv", n);
      break;
    case neighbor_allgather:
    case neighbor_alltoall: {
      if (!comm->topology) break;
      const std::vector<int>& sources = comm->topology->sources;
      const std::vector<int>& destinations = comm->topology->destinations;
      const auto is_there = [](int peer) { return peer != proc_null; };
      if (plan.pattern == neighbor_alltoall)
        collector.add_blocks("send", static_cast<int>(destinations.size()), &destinations);
      else if (std::ranges::any_of(destinations, is_there))
        collector.add_blocks("send", 1);
      collector.add_blocks("recv", static_cast<int>(sources.size()), &sources);
      break;
    }
    case operands: {
      const Datatype* const type = arguments.type(arguments.word("datatype"));
      Count all = 0, mine = 0;
      if (arguments.has("count")) {
        all = mine = arguments.word("count");
      } else if (arguments.has("recvcount")) {
        mine = arguments.word("recvcount");
        all = checked_mul(mine, n);
      } else if (arguments.word("recvcounts") != 0) {
        mine = arguments.element("recvcounts", comm->rank());
        for (int i = 0; i < n; ++i) all = checked_add(all, arguments.element("recvcounts", i));
      }
      const bool in_place = arguments.in_place("sendbuf");
      if (!in_place) collector.add(arguments.word("sendbuf"), all, type, false);
      const Word result = arguments.word("recvbuf");
      // Nothing comes before the first member (§6.11.2), whose receive buffer only gives, and if in place.
      const bool no_result = plan.is_exscan && comm->rank() == 0;
      if (is_root && (in_place || !no_result)) collector.add(result, in_place ? all : mine, type, !no_result);
      break;
    }
  }
  return collector.take();
}

}  // namespace ranklet::api
