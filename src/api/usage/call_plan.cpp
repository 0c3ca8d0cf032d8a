#include "api/usage/call_plan.hpp"

#include <cctype>
#include <map>

namespace ranklet::api {

namespace {

bool is_kind(const ParameterInfo& parameter, std::string_view name)
{
  return name == parameter.kind->name;
}

// The next parameter of that kind before another buffer, or -1.
int next_of(const FunctionInfo& function, int from, std::string_view kind)
{
  for (std::size_t i = static_cast<std::size_t>(from) + 1; i < function.parameters.size(); ++i) {
    const ParameterInfo& parameter = function.parameters[i];
    if (is_kind(parameter, kind)) return parameter.pointer ? -1 : static_cast<int>(i);
    if (is_kind(parameter, "buf")) return -1;
  }
  return -1;
}

void plan_requests(const FunctionInfo& function, CallPlan& plan)
{
  const std::string_view name = function.name;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const ParameterInfo& parameter = function.parameters[i];
    if (parameter.kind->sort != ArgumentSort::requests) continue;
    plan.request = static_cast<int>(i);
    const bool made = parameter.written && !parameter.input_too;
    if (std::string_view(parameter.name).starts_with("array")) plan.length = 0;
    if (made)
      plan.use =
          name.ends_with("_init") || name.ends_with("_init_c") ? RequestUse::prepares : RequestUse::makes;
    else if (name.starts_with("MPI_Start"))
      plan.use = RequestUse::starts;
    else if (name.starts_with("MPI_Wait") || name.starts_with("MPI_Test"))
      plan.use = RequestUse::completes;
    else if (name.starts_with("MPI_Request_get_status"))
      plan.use = RequestUse::asks;
    else if (name == "MPI_Request_free")
      plan.use = RequestUse::frees;
    else if (name.starts_with("MPI_Pready"))
      plan.use = RequestUse::readies;
    else if (name == "MPI_Parrived")
      plan.use = RequestUse::arrives;
    return;
  }
}

void plan_buffers(const FunctionInfo& function, CallPlan& plan)
{
  const std::string_view chapter = function.chapter->key;
  if (chapter != "p2p" && chapter != "io") return;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const ParameterInfo& parameter = function.parameters[i];
    if (!is_kind(parameter, "buf")) continue;
    const int at = static_cast<int>(i);
    BufferPlan buffer{at, next_of(function, at, "count"), next_of(function, at, "datatype")};
    buffer.written = parameter.written;
    buffer.read = !parameter.written || parameter.input_too;
    if (buffer.read) buffer.dest = find_parameter(function, "dest");
    if (buffer.written) {
      buffer.source = find_parameter(function, "source");
      buffer.message = find_parameter(function, "message");
    }
    if (buffer.count >= 0 && buffer.type >= 0) plan.buffers.push_back(buffer);
  }
}

// The name without MPI_, the mark of a persistent form and what tells variants apart: "igather" of
// MPI_Igatherv.
std::string family(std::string_view name)
{
  std::string text(name.substr(4));
  if (text.ends_with("_init")) text.resize(text.size() - 5);
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  for (const std::string_view base : {"gatherv", "scatterv", "alltoallv", "alltoallw"})
    if (text.ends_with(base)) text.pop_back();
  return text;
}

// §14: what all that have opened a file call together.
bool is_collective_on_file(std::string_view name)
{
  for (const char* const each :
       {"MPI_File_open", "MPI_File_close", "MPI_File_set_size", "MPI_File_preallocate", "MPI_File_set_info",
        "MPI_File_set_view", "MPI_File_seek_shared", "MPI_File_set_atomicity", "MPI_File_sync"})
    if (name == each) return true;
  return name.starts_with("MPI_File_") &&
         (name.find("_all") != name.npos || name.find("_ordered") != name.npos);
}

void plan_collective(const FunctionInfo& function, CallPlan& plan)
{
  using enum CollectivePattern;
  struct Known {
    CollectivePattern pattern = order;
    const char* rule = "";
  };
  static const std::map<std::string, Known> patterns = {
      {"bcast", {bcast, "MPI 5.0 §6.4"}},
      {"gather", {gather, "MPI 5.0 §6.5"}},
      {"scatter", {scatter, "MPI 5.0 §6.6"}},
      {"allgather", {allgather, "MPI 5.0 §6.7"}},
      {"alltoall", {alltoall, "MPI 5.0 §6.8"}},
      {"reduce", {operands, "MPI 5.0 §6.9.1"}},
      {"allreduce", {operands, "MPI 5.0 §6.9.6"}},
      {"reduce_scatter", {operands, "MPI 5.0 §6.10.2"}},
      {"reduce_scatter_block", {operands, "MPI 5.0 §6.10.1"}},
      {"scan", {operands, "MPI 5.0 §6.11.1"}},
      {"exscan", {operands, "MPI 5.0 §6.11.2"}},
      {"barrier", {}},
      {"neighbor_allgather", {neighbor_allgather}},
      {"neighbor_alltoall", {neighbor_alltoall}},
      {"comm_free", {}},
      {"comm_disconnect", {}},
      {"comm_dup", {}},
      {"comm_dup_with_info", {}},
      {"comm_idup", {}},
      {"comm_idup_with_info", {}},
      {"comm_create", {}},
      {"comm_split", {}},
      {"comm_split_type", {}},
      {"cart_create", {}},
      {"cart_sub", {}},
      {"graph_create", {}},
      {"dist_graph_create", {}},
      {"dist_graph_create_adjacent", {}},
      {"intercomm_merge", {}},
      {"win_create", {}},
      {"win_allocate", {}},
      {"win_allocate_shared", {}},
      {"win_create_dynamic", {}},
      {"win_fence", {order, "MPI 5.0 §12.5.5"}},
      {"win_free", {}},
  };
  if (is_collective_on_file(function.name)) {
    plan.pattern = order;
    plan.collective = function.name;
    return;
  }
  std::string name = family(function.name);
  auto found = patterns.find(name);
  // A nonblocking form, but not MPI_Intercomm_merge.
  if (found == patterns.end() && name[0] == 'i') found = patterns.find(name.erase(0, 1));
  if (found == patterns.end()) return;
  plan.pattern = found->second.pattern;
  plan.rule = found->second.rule;
  plan.is_exscan = name == "exscan";
  plan.collective = function.name;
}

CallPlan make_plan(const FunctionInfo& function)
{
  CallPlan plan;
  plan_requests(function, plan);
  plan_buffers(function, plan);
  plan_collective(function, plan);
  plan.uses_operator =
      find_parameter(function, "op") >= 0 &&
      (find_parameter(function, "datatype") >= 0 || find_parameter(function, "target_datatype") >= 0);
  plan.is_partitioned =
      plan.use == RequestUse::prepares && std::string_view(function.chapter->key) == "partitioned";
  plan.is_window_call = std::string_view(function.chapter->key) == "rma";
  plan.is_file_call = std::string_view(function.chapter->key) == "io";
  const std::string_view name = function.name;
  // §11.4.1; and the questions about threads are there for any thread to ask (§11.2.1).
  plan.any_thread = function.early || name == "MPI_Is_thread_main" || name == "MPI_Query_thread";
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (!is_kind(function.parameters[i], "keyval") || !function.parameters[i].written) continue;
    (name.find("free") != name.npos ? plan.freed_keyval : plan.made_keyval) = static_cast<int>(i);
  }
  return plan;
}

}  // namespace

int find_parameter(const FunctionInfo& function, std::string_view name)
{
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    if (name == function.parameters[i].name) return static_cast<int>(i);
  return -1;
}

const CallPlan& plan_of(const FunctionInfo& function)
{
  static const std::vector<CallPlan> plans = [] {
    std::vector<CallPlan> made;
    for (const FunctionInfo& each : all_functions()) made.push_back(make_plan(each));
    return made;
  }();
  return plans[static_cast<std::size_t>(&function - all_functions().data())];
}

}  // namespace ranklet::api
