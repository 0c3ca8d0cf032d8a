#include "machine/binding_policy.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>

#include "base/config.hpp"
#include "terms/error.hpp"

namespace ranklet {
namespace {

std::vector<std::string_view> split(std::string_view text, const char* separators)
{
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

int positive(std::string_view text)
{
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
}

[[noreturn]] void unknown(const char* option, const std::string& text)
{
  fail(ErrorClass::arg, "--%s takes %s, not \"%s\"", option, find_config_option(option)->argument.data(),
       text.c_str());
}

// Modifiers of MPICH and Open MPI that ask for what Ranklet does anyway.
bool is_harmless_modifier(std::string_view word)
{
  static constexpr std::string_view known[] = {
      "overload-allowed", "if-supported", "no-overload",  "oversubscribe", "nooversubscribe", "span",
      "corecpus",         "display",      "displayalloc", "nolocal",       "inherit",         "noinherit",
      "ordered",          "report",       "limit"};
  return std::ranges::find(known, word) != std::end(known);
}

void parse_bind_to(const std::string& text, BindingPolicy& policy)
{
  const std::vector<std::string_view> words = split(text, ":,");
  const std::string_view what = words[0];
  if (what == "auto" || what.empty()) {
    policy.automatic = true;
  } else if (what == "none" || what == "cpu-list" || what == "cpuset") {
    policy.pinned = false;
  } else if (what == "rr") {
    policy.bind_level = Level::core;
  } else if (!parse_level(what, policy.bind_level)) {
    unknown("bind-to", text);
  }
  for (const std::string_view word : std::span(words).subspan(1)) {
    if (positive(word) > 0)
      policy.bind_width = positive(word);
    else if (!is_harmless_modifier(word))
      unknown("bind-to", text);
  }
}

void parse_map_by(const std::string& text, BindingPolicy& policy)
{
  std::span<const std::string_view> words;
  const std::vector<std::string_view> all = split(text, ":,");
  words = all;
  const std::string_view what = words[0];
  words = words.subspan(1);
  Level level = Level::machine;
  if (what == "auto" || what == "compact" || what == "bunch" || what.empty()) {
    policy.filling = BindingPolicy::Filling::neighbours;
  } else if (what == "scatter" || what == "spread") {
    policy.filling = BindingPolicy::Filling::scattered;
  } else if (what == "ppr" && words.size() >= 2 && positive(words[0]) > 0 && parse_level(words[1], level)) {
    policy.filling = BindingPolicy::Filling::blocks;
    policy.block = positive(words[0]);
    policy.turn_level = level;
    words = words.subspan(2);
  } else if (parse_level(what, level)) {
    policy.filling =
        level <= Level::core ? BindingPolicy::Filling::neighbours : BindingPolicy::Filling::by_turns;
    policy.turn_level = level;
    policy.map_hwthreads = level == Level::hwthread;
  } else {
    unknown("map-by", text);
  }
  for (const std::string_view word : words) {
    const bool width = word.starts_with("pe=") || word.starts_with("PE=");
    if (width && positive(word.substr(3)) > 0) {
      policy.units_per_rank = positive(word.substr(3));
    } else if (positive(word) > 0) {
      policy.units_per_rank = positive(word);  // MPICH: core:2
    } else if (word == "hwtcpus" || word == "HWTCPUS") {
      policy.map_hwthreads = true;
    } else {
      std::string small(word);
      std::ranges::transform(small, small.begin(),
                             [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      if (!is_harmless_modifier(small)) unknown("map-by", text);
    }
  }
}

void parse_rank_by(const std::string& text, BindingPolicy& policy)
{
  const std::string_view what = split(text, ":,")[0];
  Level level = Level::machine;
  if (what == "auto" || what == "map" || what == "span" || what.empty()) {
    policy.numbering = BindingPolicy::Numbering::mapped;
  } else if (what == "fill" || what == "compact") {
    policy.numbering = BindingPolicy::Numbering::machine;
  } else if (parse_level(what, level)) {
    policy.numbering = level <= Level::core || level == Level::machine ? BindingPolicy::Numbering::machine
                                                                       : BindingPolicy::Numbering::by_turns;
    policy.number_level = level;
  } else {
    unknown("rank-by", text);
  }
}

}  // namespace

BindingPolicy read_policy(const BindingRequest& request)
{
  BindingPolicy policy;
  policy.units_per_rank = std::max(1, request.threads_per_rank);
  parse_bind_to(request.bind_to, policy);
  parse_map_by(request.map_by, policy);
  parse_rank_by(request.rank_by, policy);
  // A mapping asked for explicitly means that it shall be kept.
  if (policy.automatic && request.map_by != "auto") policy.automatic = false;
  return policy;
}

}  // namespace ranklet
