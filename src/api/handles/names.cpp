#include "api/handles/names.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

namespace ranklet::api {
namespace {

constexpr std::size_t longest_string = 60;  // characters of a string argument that a message shows

std::string hexadecimal(std::uint64_t value)
{
  char text[24];
  std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(value));
  return text;
}

std::string pointer_text(const KindInfo& kind, Word word)
{
  if (kind.sort == ArgumentSort::buffer) {
    if (word == 0) return "MPI_BOTTOM";
    if (word == 1) return "MPI_IN_PLACE";
  }
  if (word == 0) return std::strcmp(kind.name, "status") == 0 ? "MPI_STATUS_IGNORE" : "NULL";
  return hexadecimal(static_cast<std::uint64_t>(word));
}

std::string flags_text(const KindInfo& kind, std::int64_t value)
{
  std::string text;
  for (const NamedValue& flag : kind.values) {
    if (flag.value != 0 && (value & flag.value) == flag.value) {
      text += (text.empty() ? "" : "|") + std::string(flag.name);
      value &= ~flag.value;
    }
  }
  if (value != 0 || text.empty()) text += (text.empty() ? "" : "|") + std::to_string(value);
  return text;
}

std::string string_text(const char* string)
{
  const std::size_t length = strnlen(string, longest_string + 1);
  std::string text = "\"" + std::string(string, std::min(length, longest_string)) + "\"";
  if (length > longest_string) text += "…";
  return text;
}

}  // namespace

const char* constant_of_handle(std::uintptr_t value) noexcept
{
  for (const KindInfo& kind : all_kinds()) {
    if (kind.sort < ArgumentSort::comms) continue;
    if (const char* name = constant_name(kind, static_cast<std::int64_t>(value))) return name;
  }
  return nullptr;
}

const char* handle_kind_name(std::uintptr_t code) noexcept
{
  constexpr const char* names[] = {nullptr,    "communicator", "group",       "datatype",
                                   "operator", "request",      "info object", "error handler",
                                   "message",  "session",      "window",      "file"};
  return code < std::size(names) ? names[code] : nullptr;
}

const char* constant_name(const KindInfo& kind, std::int64_t value) noexcept
{
  for (const NamedValue& constant : kind.values)
    if (constant.value == value) return constant.name;
  return nullptr;
}

namespace {

// The constant's name, or the object's with the handle's number.
std::string handle_text(std::uintptr_t handle, const std::string* name)
{
  if (handle < first_dynamic_handle) {
    if (const char* constant = constant_of_handle(handle)) return constant;
  }
  if (name && !name->empty()) return "'" + *name + "' (" + hexadecimal(handle) + ")";
  return hexadecimal(handle);
}

}  // namespace

std::string comm_text(RankState& state, std::uintptr_t handle)
{
  CommRef* const comm = state.comms.look_up(state.comms.make(handle));
  return handle_text(handle, comm ? &(*comm)->name : nullptr);
}

std::string win_text(RankState& state, std::uintptr_t handle)
{
  Window** const window = state.wins.look_up(state.wins.make(handle));
  return handle_text(handle, window ? &(*window)->name : nullptr);
}

std::string routine_name(const FunctionInfo& function, bool large, bool fortran)
{
  std::string name = function.name;
  if (fortran)
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  else if (large)
    name += "_c";
  return name;
}

std::string argument_text(RankState* state, const ParameterInfo& parameter, Word word)
{
  const KindInfo& kind = *parameter.kind;
  if (kind.sort == ArgumentSort::string && !parameter.pointer && word != 0)
    return string_text(reinterpret_cast<const char*>(word));
  if (parameter.pointer || kind.sort == ArgumentSort::string) return pointer_text(kind, word);
  if (kind.sort == ArgumentSort::comms && state) return comm_text(*state, static_cast<std::uintptr_t>(word));
  if (kind.sort == ArgumentSort::wins && state) return win_text(*state, static_cast<std::uintptr_t>(word));
  if (kind.flags) return flags_text(kind, word);
  if (const char* name = constant_name(kind, word)) return name;
  switch (kind.sort) {
    case ArgumentSort::number:
    case ArgumentSort::boolean:
      return std::to_string(word);
    default:
      return hexadecimal(static_cast<std::uint64_t>(word));
  }
}

}  // namespace ranklet::api
