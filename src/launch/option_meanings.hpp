// What mpiexec's options do. `values` are those of the option that state.option names; all throw Error{arg},
// with that name, on values that it does not take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/option_rules.hpp"

namespace ranklet::launch {

using Values = const std::vector<std::string>&;

// A number from `least` on.
int number(const std::string& option, const std::string& text, int least);
void set_setting(ParseState& state, std::string_view name, const std::string& value);

void set_ranks(ParseState& state, Values values);
void set_ranks_per_node(ParseState& state, Values values);
void set_ranks_per_socket(ParseState& state, Values values);
void add_hosts(ParseState& state, Values values);
void add_host_file(ParseState& state, Values values);

void set_variable(EnvironmentRules& rules, const std::string& option, const std::string& name,
                  const std::string& value);
std::vector<std::string> variable_names(const std::string& option, const std::string& text);
void inherit(EnvironmentRules& rules, bool all, std::vector<std::string> names = {});
void export_variables(ParseState& state, Values values);

void set_output(ParseState& state, Values values);
void set_display(ParseState& state, Values values);
void set_cpu_bind(ParseState& state, Values values);
void cpus_per_rank(ParseState& state, Values values);

// What asks for a placement that cannot be had: the user is told.
void note_placement(ParseState& state, const std::string& what);
void use_rank_file(ParseState& state, Values values);
void check_nodes(ParseState& state, Values values);

}  // namespace ranklet::launch
