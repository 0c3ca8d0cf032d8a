#include "api/entry/argument_rules.hpp"

#include <algorithm>
#include <string_view>

namespace ranklet::api {

namespace {

constexpr std::string_view no_parameter = "-";

// That the text begins with; null: none.
const ParameterInfo* parameter_of(const FunctionInfo& function, std::string_view text)
{
  const std::string_view name = text.substr(0, text.find(' '));
  const auto found = std::ranges::find_if(
      function.parameters, [&](const ParameterInfo& parameter) { return parameter.name == name; });
  return found == function.parameters.end() ? nullptr : &*found;
}

// A null handle, or a value that is none of that kind (§2.5.1).
bool is_no_handle(const ParameterInfo& parameter, std::string_view text)
{
  if (parameter.kind->sort < ArgumentSort::comms) return false;
  const auto has = [&](const char* words) { return text.find(words) != text.npos; };
  return (has(" is MPI_") && text.ends_with("_NULL")) || has(", which is no ") || has(" is not a ") ||
         has(" was never given out");
}

// The section that a function's error is about: by its class, the function's chapter, the kind of the
// parameter that the text begins with, and words of the text.
std::string_view section_of(ErrorClass error, const FunctionInfo& function, std::string_view kind,
                            std::string_view text)
{
  using enum ErrorClass;
  constexpr int all = 0;
  constexpr std::string_view any = "", none = no_parameter;
  static constexpr struct {
    ErrorClass error;
    int chapter;
    std::string_view kind;
    std::string_view words;
    std::string_view section;
  } rules[] = {
      // Between members of a communicator, also where a call on requests tells of it.
      {truncate, all, none, "member ", "6.1"},
      {other, all, none, "member ", "6.14"},
      {root, 3, none, "member ", "6.14"},
      {root, 7, none, "member ", "6.14"},
      {root, 11, none, "member ", "6.14"},
      {op, 3, none, "member ", "6.14"},
      {op, 7, none, "member ", "6.14"},
      {op, 11, none, "member ", "6.14"},
      {topology, all, none, " does not have this rank as a destination", "8.5.4"},

      // The message: its data and its envelope (§3.2.2, §3.2.3).
      {truncate, 3, any, any, "3.2.4"},
      {truncate, 4, any, any, "3.2.4"},
      {rank, all, any, "communicator's info says", "7.4.4"},
      {tag, all, any, "communicator's info says", "7.4.4"},
      {count, all, none, "mpi_assert_exact_length", "7.4.4"},
      {rank, 3, any, any, "3.2.3"},
      {tag, 3, any, any, "3.2.3"},
      {count, 3, "count", any, "3.2.2"},
      {buffer, 3, "buf", any, "3.2.2"},
      {buffer, 3, none, any, "3.6"},

      // Handles that were freed; null ones are apart.
      {type, all, "datatype", any, "5.1.9"},
      {type, all, "type", "freed", "5.1.9"},
      {comm, all, "comm", "freed", "7.4.3"},
      {group, all, "group", "freed", "7.3.3"},
      {op, all, "op", "freed", "6.9.5"},
      {op, all, none, "is not defined for", "6.9.2"},
      {request, all, "request", "freed", "3.7.3"},
      {win, all, "win", "freed", "12.2.5"},
      {win, all, "win", any, "12.2"},
      {file, all, "file", "freed", "14.2.2"},
      {file, all, "file", any, "14.2"},
      {info, all, any, any, "10"},
      {errhandler, all, any, any, "9.3"},
      {session, all, any, any, "11.3"},

      // Windows.
      {rma_sync, all, any, any, "12.5"},
      {rma_attach, all, any, any, "12.2.4"},
      {rma_shared, all, any, any, "12.2.3"},
      {assert, all, any, any, "12.5.5"},

      // When functions may be called.
      {other, all, none, " was not called before", "11.4.1"},
      {other, all, none, "MPI_Finalize was called before", "11.4.1"},
  };
  // The section of the function, which is as fine as the table of functions.
  static constexpr ErrorClass about_arguments[] = {
      buffer,    count,      type,       tag,        comm, rank,     request,    root,
      group,     op,         topology,   dims,       arg,  truncate, amode,      base,
      disp,      info_key,   info_nokey, info_value, info, keyval,   locktype,   rma_conflict,
      rma_range, rma_flavor, size,       win,        file, session,  errhandler,
  };
  const auto rule = std::ranges::find_if(rules, [&](const auto& row) {
    return row.error == error && (row.chapter == all || row.chapter == function.chapter->number) &&
           (row.kind == any || row.kind == kind) && text.find(row.words) != text.npos;
  });
  if (rule != std::end(rules)) return rule->section;
  return std::ranges::find(about_arguments, error) != std::end(about_arguments) ? function.section : "";
}

}  // namespace

std::string argument_rule(const FunctionInfo& function, const Error& error)
{
  const std::string_view text = error.message();
  if (text.find("§") != text.npos) return {};
  const ParameterInfo* const parameter = parameter_of(function, text);
  const std::string_view section =
      parameter && is_no_handle(*parameter, text)
          ? "2.5.1"
          : section_of(error.error_class(), function, parameter ? parameter->kind->name : no_parameter, text);
  return section.empty() ? std::string() : "MPI 5.0 §" + std::string(section);
}

}  // namespace ranklet::api
