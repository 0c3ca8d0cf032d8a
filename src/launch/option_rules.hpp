// The table of mpiexec's options that describe the programs of one job. Settings of Ranklet (base/config.hpp)
// are options too and are not repeated here.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/command_line.hpp"

namespace ranklet::launch {

// What -genv… says for all programs or -env… for one.
struct EnvironmentRules {
  bool inherit_said = false;
  bool inherit_all = true;
  std::vector<std::string> inherit_names;
  std::vector<std::string> exported;  // -x NAME: inherited even under -genvnone
  std::vector<std::pair<std::string, std::string>> set;

  void adopt(const EnvironmentRules& other)
  {
    exported.insert(exported.end(), other.exported.begin(), other.exported.end());
    set.insert(set.end(), other.set.begin(), other.set.end());
  }
};

struct ParseState {
  CommandLine line;
  ProgramRequest program;    // the one that is being read
  EnvironmentRules global;   // -genv…
  EnvironmentRules local;    // -env… of this program
  EnvironmentRules exports;  // -x of this program
  int slots = 0;             // from -host and -hostfile
  int per_object = 0;        // ranks for each of these objects, from -N and its like; 0: not said
  std::string object;        // "node", "socket"
  std::string option;        // that is being read, as it was written
  std::string config_file;   // set by -configfile, taken by the parser
  bool in_config_file = false;
};

struct OptionRule {
  std::string_view names;   // without hyphens, separated by spaces; the first is shown
  std::string_view values;  // words for --help: "N", "NAME VALUE"; empty: none
  std::string_view help;    // empty: accepted for the sake of scripts made for other launchers
  void (*apply)(ParseState&, const std::vector<std::string>& values);

  std::size_t value_count() const
  {
    return values.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(values, ' '));
  }
};

const OptionRule* find_rule(std::string_view name);

// The number of ranks if there are so many on each object of this machine ("node", "socket", "core"). Throws
// Error{arg} for others.
int ranks_per_object(int ranks, const std::string& object);
// The same for --map-by ppr:2:socket; 0 for other values.
int ranks_by_mapping(const std::string& map_by);
// Throws Error{arg}: they are more than an int holds.
[[noreturn]] void too_many_ranks();
std::vector<std::string_view> rule_names();

}  // namespace ranklet::launch
