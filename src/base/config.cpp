#include "base/config.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include <unistd.h>

namespace ranklet {
namespace {

// Variables that Ranklet itself sets for the ranks and its own parts: read elsewhere or by users' programs
// only.
constexpr std::array<std::string_view, 10> set_by_ranklet = {
    "RANKLET_RANK",        "RANKLET_SIZE",          "RANKLET_LOCAL_RANK", "RANKLET_LOCAL_SIZE",
    "RANKLET_VERSION",     "RANKLET_UNIVERSE_SIZE", "RANKLET_JOB_FD",     "RANKLET_UNDER",
    "RANKLET_LIBRARY_DIR", "RANKLET_HANDOVER"};

std::string unknown_variable(std::string_view name)
{
  std::vector<std::string_view> candidates;
  for (const ConfigOption& option : config_options()) candidates.push_back(option.name);
  std::string text = "unknown variable " + std::string(name);
  const std::string_view near = closest_word(name.substr(8), candidates);
  if (!near.empty()) text += " (did you mean " + find_config_option(near)->variable() + "?)";
  return text;
}

}  // namespace

std::string ConfigOption::variable() const
{
  std::string text = "RANKLET_";
  for (char c : name) text += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

Config read_config(const char* const* environment)
{
  Config result;
  constexpr std::string_view prefix = "RANKLET_";
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with(prefix) || equals == entry.npos) continue;
    const std::string_view name = entry.substr(0, equals);
    const std::string_view value = entry.substr(equals + 1);
    if (std::ranges::find(set_by_ranklet, name) != set_by_ranklet.end()) continue;
    const ConfigOption* option = find_config_option(name.substr(prefix.size()));
    if (option == nullptr) {
      result.warnings.push_back(unknown_variable(name));
    } else if (value.empty()) {
      continue;  // VARIABLE= is the shell's way to unset
    } else if (!option->set(result, value)) {
      const std::string_view expected = option->is_switch() ? "yes or no" : option->argument;
      result.warnings.push_back(std::string(name) + "=" + std::string(value) +
                                " is not understood: it takes " + std::string(expected) + "; using " +
                                option->get(Config{}));
    }
  }
  return result;
}

std::size_t Config::eager_bytes() const noexcept
{
  switch (sends) {
    case SendMode::synchronise:
      return no_message;
    case SendMode::buffer:
      return std::numeric_limits<std::int64_t>::max();
    case SendMode::automatic:
      break;
  }
  return static_cast<std::size_t>(eager_limit);
}

std::size_t Config::unexpected_bytes() const noexcept
{
  if (sends == SendMode::buffer || unexpected_limit == 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(unexpected_limit);
}

std::string Config::portability() const
{
  std::string text;
  for (const std::string_view name : {"sends", "collectives", "delays"}) {
    const ConfigOption& option = *find_config_option(name);
    const std::string value = option.get(*this);
    if (value != "auto") text += (text.empty() ? "--" : " --") + std::string(name) + " " + value;
  }
  return text;
}

const Config& config()
{
  static const Config settings = read_config(environ);
  return settings;
}

const char* environment_variable(const char* name)
{
  const std::string_view wanted = name;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.size() > wanted.size() && text.starts_with(wanted) && text[wanted.size()] == '=')
      return *entry + wanted.size() + 1;
  }
  return nullptr;
}

std::string config_help()
{
  const Config defaults;
  std::string text;
  for (const ConfigOption& option : config_options()) {
    text += "  --" + std::string(option.name);
    if (!option.is_switch()) text += " " + std::string(option.argument);
    text += "\n      " + option.variable();
    const std::string value = option.get(defaults);
    text += value.empty() ? ", not set" : ", default " + value;
    text += "\n";
    std::string_view rest = option.help;
    while (!rest.empty()) {  // wrap at 80 columns
      std::size_t length = rest.size();
      if (length > 74) {
        length = rest.rfind(' ', 74);
        if (length == rest.npos) length = rest.size();
      }
      text += "      " + std::string(rest.substr(0, length)) + "\n";
      rest.remove_prefix(std::min(rest.size(), length + 1));
    }
  }
  return text;
}

}  // namespace ranklet
