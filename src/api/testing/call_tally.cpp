#include "api/testing/call_tally.hpp"

#include <cstring>
#include <vector>

namespace ranklet::api {
namespace {

// Where a function's parameters say what it sends; -1: nowhere.
struct Message {
  int dest = -1;
  int count = -1;
  int type = -1;
};

Message message_of(const FunctionInfo& function)
{
  Message message;
  // Sends begin with their buffer; initializations of persistent ones send nothing yet.
  if (std::strcmp(function.chapter->key, "p2p") != 0 || std::strstr(function.name, "_init") != nullptr)
    return {};
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const ParameterInfo& parameter = function.parameters[i];
    const int index = static_cast<int>(i);
    if (std::strcmp(parameter.name, "dest") == 0) message.dest = index;
    // The first ones: MPI_Sendrecv has those of its receive behind them.
    if (message.type < 0 && parameter.kind->sort == ArgumentSort::types) {
      message.type = index;
      message.count = index - 1;
    }
  }
  return message.dest < 0 || message.count < 0 ? Message() : message;
}

const Message& cached_message_of(const FunctionInfo& function)
{
  static const std::vector<Message> messages = [] {
    std::vector<Message> all;
    for (const FunctionInfo& each : all_functions()) all.push_back(message_of(each));
    return all;
  }();
  return messages[static_cast<std::size_t>(&function - all_functions().data())];
}

}  // namespace

void CallTally::leave(const Call& call, bool success) noexcept
{
  if (!success) return;
  const Message& message = cached_message_of(call.function());
  if (message.dest < 0 || call.word_of(message.dest) == MPI_PROC_NULL) return;
  const auto handle = static_cast<std::uintptr_t>(call.word_of(message.type));
  RankState& state = *current_rank()->api;
  const Ref<Datatype>* const type = state.types.look_up(state.types.make(handle));
  if (!type) return;
  messages.take();
  bytes.take(call.word_of(message.count) * (*type)->size());
}

}  // namespace ranklet::api
