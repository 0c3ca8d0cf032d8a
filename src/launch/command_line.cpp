#include "launch/command_line.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "launch/option_rules.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

bool is_option(const std::string& word)
{
  return word.size() > 1 && word[0] == '-';
}

std::string_view without_hyphens(std::string_view word)
{
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word;
}

[[noreturn]] void unknown_option(const std::string& word)
{
  std::vector<std::string_view> names = rule_names();
  for (const ConfigOption& option : config_options()) names.push_back(option.name);
  const std::string_view name = without_hyphens(word);
  const std::string_view near = closest_word(name.substr(0, name.find('=')), names);
  if (!near.empty())
    fail(ErrorClass::arg, "unknown option %s (did you mean --%s?)", word.c_str(), std::string(near).c_str());
  fail(ErrorClass::arg, "unknown option %s (mpiexec --help lists the options)", word.c_str());
}

void set_config(CommandLine& line, const ConfigOption& option, const std::string& value)
{
  Config scratch;
  if (value.empty() || !option.set(scratch, value)) {
    fail(ErrorClass::arg, "--%s takes %s, not \"%s\"", option.name.data(),
         option.is_switch() ? "yes or no" : std::string(option.argument).c_str(), value.c_str());
  }
  line.settings[&option] = value;
}

class RemainingWords {
 public:
  explicit RemainingWords(std::vector<std::string> words) : words_(std::move(words)) {}
  bool at_end() const { return next_ == words_.size(); }
  const std::string& peek() const { return words_[next_]; }
  std::string take() { return words_[next_++]; }
  std::vector<std::string> take_values(std::size_t number, const std::string& option)
  {
    if (words_.size() - next_ < number) {
      fail(ErrorClass::arg, "%s needs %s after it", option.c_str(), number == 1 ? "a value" : "two values");
    }
    std::vector<std::string> values;
    while (values.size() < number) values.push_back(take());
    return values;
  }
  // Replaces what is left.
  void continue_with(std::vector<std::string> words)
  {
    words_ = std::move(words);
    next_ = 0;
  }

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

void parse_option(ParseState& state, RemainingWords& words)
{
  const std::string word = words.take();
  std::string name(without_hyphens(word));
  std::vector<std::string> attached;
  if (const std::size_t equals = name.find('='); equals != name.npos) {
    attached.push_back(name.substr(equals + 1));
    name.erase(equals);
  }
  state.option = word.substr(0, word.find('='));
  if (const OptionRule* rule = find_rule(name)) {
    const std::size_t needed = rule->value_count();
    if (attached.size() > needed) fail(ErrorClass::arg, "%s takes no value", ("--" + name).c_str());
    for (std::string& value : words.take_values(needed - attached.size(), word))
      attached.push_back(std::move(value));
    rule->apply(state, attached);
    if (!state.config_file.empty()) {
      if (!state.program.arguments.empty() || !state.line.programs.empty())
        fail(ErrorClass::arg, "-configfile cannot follow a program");
      if (std::exchange(state.in_config_file, true))
        fail(ErrorClass::arg, "a config file cannot name another");
      words.continue_with(read_config_file(std::exchange(state.config_file, std::string())));
    }
    return;
  }
  if (const ConfigOption* option = find_config_option(name)) {
    if (attached.empty())
      attached = option->is_switch() ? std::vector<std::string>{"yes"} : words.take_values(1, word);
    set_config(state.line, *option, attached[0]);
    return;
  }
  // -n4, -np4
  for (const std::string_view prefix : {"np", "n"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size() &&
        name.find_first_not_of("0123456789", prefix.size()) == name.npos) {
      state.option = "-" + std::string(prefix);
      find_rule(prefix)->apply(state, std::vector<std::string>{name.substr(prefix.size())});
      return;
    }
  }
  unknown_option(word);
}

// A program's environment: what it inherits, then what -genv, -x and -env set.
std::vector<std::string> environment_of(const EnvironmentRules& global, const EnvironmentRules& local,
                                        const char* const* inherited)
{
  std::map<std::string, std::string> variables;
  const EnvironmentRules& inherit = local.inherit_said ? local : global;
  for (; inherited != nullptr && *inherited != nullptr; ++inherited) {
    const std::string entry = *inherited;
    const std::size_t equals = entry.find('=');
    if (equals == entry.npos) continue;
    const std::string name = entry.substr(0, equals);
    const bool listed = std::ranges::find(inherit.inherit_names, name) != inherit.inherit_names.end() ||
                        std::ranges::find(global.exported, name) != global.exported.end() ||
                        std::ranges::find(local.exported, name) != local.exported.end();
    if (inherit.inherit_all || listed) variables[name] = entry.substr(equals + 1);
  }
  for (const EnvironmentRules* rules : {&global, &local})
    for (const auto& [name, value] : rules->set) variables[name] = value;
  std::vector<std::string> result;
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  return result;
}

bool has_variable(const char* const* environment, const std::string& name)
{
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (std::string_view(*environment).starts_with(name + "=")) return true;
  return false;
}

void finish_program(ParseState& state, const char* const* environment)
{
  if (state.program.arguments.empty()) {
    fail(ErrorClass::arg, state.line.programs.empty() ? "no program to run (mpiexec -n 4 ./app)"
                                                      : "there is no program after the last ':'");
  }
  int& ranks = state.program.ranks;
  if (ranks == 0 && state.per_object > 0) ranks = ranks_per_object(state.per_object, state.object);
  if (const auto mapping = state.line.settings.find(find_config_option("map-by"));
      ranks == 0 && mapping != state.line.settings.end())
    ranks = ranks_by_mapping(mapping->second);
  if (ranks == 0) ranks = state.slots;
  for (const std::string& name : state.exports.exported)
    if (!has_variable(environment, name))
      state.line.notes.push_back("-x " + name + ": there is no such variable to give to the program");
  // Open MPI's -x in front of the first program is meant for all.
  if (state.line.programs.empty())
    state.global.adopt(state.exports);
  else
    state.local.adopt(state.exports);
  state.program.environment = environment_of(state.global, state.local, environment);
  state.line.programs.push_back(std::exchange(state.program, {}));
  state.local = {};
  state.exports = {};
  state.slots = 0;
  state.per_object = 0;
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments, const char* const* environment)
{
  ParseState state;
  RemainingWords words(arguments);
  while (!words.at_end()) {
    const std::string& word = words.peek();
    if (word == ":") {
      words.take();
      finish_program(state, environment);
    } else if (!state.program.arguments.empty()) {
      state.program.arguments.push_back(words.take());
    } else if (word == "--") {
      words.take();
      if (words.at_end()) break;
      state.program.arguments.push_back(words.take());
    } else if (is_option(word)) {
      parse_option(state, words);
      if (state.line.action != CommandLine::Action::run) return std::move(state.line);
    } else {
      state.program.arguments.push_back(words.take());
    }
  }
  finish_program(state, environment);
  return std::move(state.line);
}

std::vector<std::string> read_config_file(const std::string& path)
{
  std::ifstream file(path);
  if (!file) fail(ErrorClass::no_such_file, "the config file %s cannot be read", path.c_str());
  std::vector<std::string> words;
  std::string logical;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\\')) {
      logical += line.substr(0, line.size() - 1) + " ";
      continue;
    }
    logical += line;
    std::vector<std::string> parts;
    std::string word;
    bool in_word = false;
    char quote = 0;
    for (const char c : logical) {
      if (quote != 0) {
        if (c == quote)
          quote = 0;
        else
          word += c;
      } else if (c == '"' || c == '\'') {
        quote = c;
        in_word = true;
      } else if (c == '#' && !in_word) {
        break;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        if (in_word) parts.push_back(std::exchange(word, std::string()));
        in_word = false;
      } else {
        word += c;
        in_word = true;
      }
    }
    if (in_word) parts.push_back(word);
    logical.clear();
    if (parts.empty()) continue;
    if (!words.empty() && words.back() != ":" && parts.front() != ":") words.push_back(":");
    words.insert(words.end(), parts.begin(), parts.end());
  }
  return words;
}

}  // namespace ranklet::launch
