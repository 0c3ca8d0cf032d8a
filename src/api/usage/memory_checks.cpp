// Buffers and arrays against what is known of the memory that they lie in: the program's variables, by symbol
// tables and debug information, and the blocks of the heap. Where nothing is known nothing is said.
#include <dlfcn.h>

#include <algorithm>

#include "api/usage/arguments.hpp"
#include "api/usage/rank_checks.hpp"
#include "base/sanitizer_runtime.hpp"
#include "base/variables.hpp"
#include "base/wording.hpp"
#include "heap/heap.hpp"

namespace ranklet::api {

namespace {

// Whether all data of the type are to lie in one variable. Displacements in bytes may lead from one to
// another, as in a structure's type that was made of the addresses of several.
bool stays_in_one_variable(const Datatype& type)
{
  switch (type.contents().combiner) {
    case Combiner::hvector:
    case Combiner::hindexed:
    case Combiner::hindexed_block:
    case Combiner::structure:
      return false;
    default:
      return std::ranges::all_of(type.contents().types,
                                 [](const Ref<Datatype>& part) { return stays_in_one_variable(*part); });
  }
}

// Null where the library that knows the heap is not loaded.
heap::Find* find_block()
{
  static auto* const find = reinterpret_cast<heap::Find*>(dlsym(RTLD_DEFAULT, heap::find_symbol));
  return find;
}

}  // namespace

void RankChecks::allocates_for_mpi(bool inside)
{
  static auto* const tell = reinterpret_cast<heap::InMpi*>(dlsym(RTLD_DEFAULT, heap::in_mpi_symbol));
  if (tell != nullptr) tell(inside);
}

void RankChecks::check_room(const std::string& what, check::Range range, const char* rule,
                            const RecordedCall& call)
{
  if (range.empty() || range.begin == 0) return;
  const auto too_long = [&](std::uintptr_t end, const std::string& whose) {
    if (range.end > end)
      report(check::Finding::Weight::error,
             what + " reaches " + counted(range.end - end, "byte") + " past the end of " + whose, rule,
             &call);
  };
  if (const std::optional<Variable> variable = find_variable(range.begin))
    return too_long(variable->begin + variable->size,
                    "the variable " + variable->name + ", which has " + counted(variable->size, "byte"));
  if (const std::uintptr_t bad = first_poisoned(range.begin, range.end); bad != 0)
    return report(
        check::Finding::Weight::error,
        what + " has memory that is not the program's, as AddressSanitizer knows, from its " +
            (bad > range.begin ? "byte " + std::to_string(bad - range.begin) : std::string("first byte")) +
            " on",
        rule, &call);
  heap::Block block{};
  if (find_block() == nullptr || !find_block()(range.begin, &block)) return;
  if (!block.freed)
    too_long(block.begin + block.size, "a block of " + counted(block.size, "byte") + " on the heap");
  else
    report(check::Finding::Weight::error,
           what + " lies in a block of " + counted(block.size, "byte") + " on the heap that was freed", rule,
           &call);
}

void RankChecks::check_room_of_buffers(const std::vector<check::BufferUse>& uses, const RecordedCall& call)
{
  for (const check::BufferUse& use : uses)
    if (stays_in_one_variable(*use.type))
      check_room(buffer_name(use), check::hull(use), "MPI 5.0 §3.2.2", call);
}

// The arrays of a call on requests, of a collective's counts and displacements, and the memory of a window.
void RankChecks::check_room_of_arrays(const Call& call, const CallPlan& plan, Open& open)
{
  const auto parameters = call.function().parameters;
  const auto check = [&](const std::string& name, Word address, std::size_t bytes) {
    const auto begin = static_cast<std::uintptr_t>(address);
    if (!open.record) open.record = record(call);
    check_room(name, {begin, begin + bytes}, "MPI 5.0 §2.5.3", *open.record);
  };
  if (plan.request >= 0 && plan.length >= 0 && call.word_of(plan.length) > 0) {
    const auto number = static_cast<std::size_t>(call.word_of(plan.length));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string_view name = parameters[i].name;
      const Word address = call.word_of(static_cast<int>(i));
      const std::size_t size = name == "array_of_requests"   ? sizeof(MPI_Request)
                               : name == "array_of_statuses" ? sizeof(MPI_Status)
                               : name == "array_of_indices"  ? sizeof(int)
                                                             : 0;
      if (size == 0 || address == reinterpret_cast<Word>(MPI_STATUSES_IGNORE)) continue;
      check("the array " + std::string(name), address, number * size);
    }
  }
  if (plan.pattern > CollectivePattern::order)
    for (const GivenArray& array : arrays_of(call, plan))
      check("the array " + std::string(array.name), array.address, array.held.size());
  if (const Arguments arguments(state_, call); std::string_view(call.function().name) == "MPI_Win_create")
    check("the window", arguments.word("base"), static_cast<std::size_t>(arguments.word("size")));
}

void RankChecks::check_memory_of(const Call& call, const Window& window)
{
  const auto begin = reinterpret_cast<std::uintptr_t>(window.own().base);
  heap::Block block{};
  if (find_block() == nullptr || !find_block()(begin, &block) || !block.freed) return;
  report(check::Finding::Weight::error, "the window's memory was freed before the window", "MPI 5.0 §12.2.5",
         record(call).get());
}

}  // namespace ranklet::api
