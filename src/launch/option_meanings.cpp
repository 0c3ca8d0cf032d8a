#include "launch/option_meanings.hpp"

#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "machine/topology.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
int number(const std::string& option, const std::string& text, int least)
{
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least)
    fail(ErrorClass::arg, "%s takes a number from %d on, not \"%s\"", option.c_str(), least, text.c_str());
  return value;
}

void too_many_ranks()
{
  fail(ErrorClass::arg, "a job has at most %d ranks", std::numeric_limits<int>::max());
}

void set_ranks(ParseState& state, Values values)
{
  state.program.ranks = number(state.option, values[0], 1);
}

void set_setting(ParseState& state, std::string_view name, const std::string& value)
{
  const ConfigOption* const option = find_config_option(name);
  Config scratch;
  if (value.empty() || !option->set(scratch, value))
    fail(ErrorClass::arg, "--%s takes %s, not \"%s\"", option->name.data(), option->argument.data(),
         value.c_str());
  state.line.settings[option] = value;
}

namespace {

std::vector<std::string> split(const std::string& text, char separator)
{
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

bool is_this_machine(const std::string& host)
{
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  const std::string own = name;
  return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == own ||
         own.starts_with(host + ".") || host.starts_with(own + ".");
}

// Only addresses of this machine can be bound.
bool leads_here(const std::string& host)
{
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) return false;
  bool here = false;
  for (const addrinfo* entry = found; entry != nullptr && !here; entry = entry->ai_next) {
    const int socket = ::socket(entry->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    here = socket >= 0 && ::bind(socket, entry->ai_addr, entry->ai_addrlen) == 0;
    if (socket >= 0) ::close(socket);
  }
  ::freeaddrinfo(found);
  return here;
}

void check_host(const std::string& host)
{
  if (is_this_machine(host) || leads_here(host)) return;
  fail(ErrorClass::arg,
       "%s is another machine, and all ranks run on this one: on a cluster the same program runs under "
       "another "
       "MPI with the standard ABI, such as MPICH 5 or Open MPI 6 (docs/launching.md)",
       host.c_str());
}

}  // namespace

// "localhost:8,localhost": slots are counted, one for each name without a number.
void add_hosts(ParseState& state, Values values)
{
  for (const std::string& entry : split(values[0], ',')) {
    const std::size_t colon = entry.rfind(':');
    const bool numbered = colon != entry.npos && colon + 1 < entry.size() &&
                          entry.find_first_not_of("0123456789", colon + 1) == entry.npos;
    check_host(numbered ? entry.substr(0, colon) : entry);
    const int slots = numbered ? number(state.option, entry.substr(colon + 1), 1) : 1;
    if (__builtin_add_overflow(state.slots, slots, &state.slots)) too_many_ranks();
  }
}

// Lines "name", "name:4" (MPICH) or "name slots=4" (Open MPI).
void add_host_file(ParseState& state, Values values)
{
  std::ifstream file(values[0]);
  if (!file) fail(ErrorClass::no_such_file, "the host file %s cannot be read", values[0].c_str());
  for (std::string line; std::getline(file, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    std::istringstream words(line);
    std::string host;
    if (!(words >> host)) continue;
    std::string slots;
    for (std::string word; words >> word;)
      if (word.starts_with("slots=")) slots = word.substr(6);
    add_hosts(state, {slots.empty() ? host : host + ":" + slots});
  }
}

namespace {

// Names as shells and their functions have them: no '=', no separators, nothing that looks like an option.
void check_variable_name(const std::string& option, const std::string& name)
{
  const bool begins_well = !name.empty() && name[0] != '-' && (name[0] < '0' || name[0] > '9');
  if (!begins_well || name.find_first_of("= \t\n,;:/\"'$") != name.npos)
    fail(ErrorClass::arg, "%s takes the name of a variable, not \"%s\"", option.c_str(), name.c_str());
}

}  // namespace

void set_variable(EnvironmentRules& rules, const std::string& option, const std::string& name,
                  const std::string& value)
{
  check_variable_name(option, name);
  rules.set.emplace_back(name, value);
}

// "A,B,C"
std::vector<std::string> variable_names(const std::string& option, const std::string& text)
{
  std::vector<std::string> names = split(text, ',');
  if (names.empty()) check_variable_name(option, text);
  for (const std::string& name : names) check_variable_name(option, name);
  return names;
}

void inherit(EnvironmentRules& rules, bool all, std::vector<std::string> names)
{
  rules.inherit_said = true;
  rules.inherit_all = all;
  rules.inherit_names = std::move(names);
}

// -x NAME, -x A,B, -x NAME=value
void export_variables(ParseState& state, Values values)
{
  const std::size_t equals = values[0].find('=');
  if (equals != values[0].npos)
    set_variable(state.exports, state.option, values[0].substr(0, equals), values[0].substr(equals + 1));
  else
    for (const std::string& name : variable_names(state.option, values[0]))
      state.exports.exported.push_back(name);
}

// Open MPI 5: --output tag,timestamp,merge,file=NAME
void set_output(ParseState& state, Values values)
{
  const std::vector<std::string> words = split(values[0], ',');
  const auto value_of = [](const std::string& word) { return word.substr(word.find('=') + 1); };
  bool known = !words.empty();
  for (const std::string& word : words) {
    if (word == "tag" || word == "tag-detailed" || word == "tag-fullname")
      set_setting(state, "tag-output", "yes");
    else if (word == "timestamp")
      set_setting(state, "timestamp-output", "yes");
    else if (word == "merge" || word == "merge-stderr-to-stdout")
      set_setting(state, "merge-stderr-to-stdout", "yes");
    else if ((word.starts_with("file=") || word.starts_with("filename=")) && !value_of(word).empty())
      set_setting(state, "output-filename", value_of(word));
    else if ((word.starts_with("dir=") || word.starts_with("directory=")) && !value_of(word).empty())
      set_setting(state, "output-filename", value_of(word) + "/output");
    else
      known = false;
  }
  if (!known)
    fail(ErrorClass::arg,
         "--output takes tag, timestamp, merge, file=FILE or dir=DIR, separated by commas, not \"%s\"",
         values[0].c_str());
}

// Open MPI 5: --display map,bind
void set_display(ParseState& state, Values values)
{
  for (const std::string& word : split(values[0], ',')) {
    if (word == "map" || word == "bind" || word == "map-devel" || word == "topo")
      set_setting(state, "report-bindings", "yes");
    else if (word != "allocation" && word != "cpus" && word != "parseable" && word != "parsable")
      fail(ErrorClass::arg, "--display takes map, bind, topo or allocation, separated by commas, not \"%s\"",
           values[0].c_str());
  }
}

// srun's --cpu-bind=[verbose,]cores
void set_cpu_bind(ParseState& state, Values values)
{
  static constexpr std::pair<std::string_view, std::string_view> policies[] = {
      {"none", "none"},        {"no", "none"},        {"cores", "core"}, {"rank", "core"},
      {"threads", "hwthread"}, {"sockets", "socket"}, {"ldoms", "numa"}, {"rank_ldom", "numa"}};
  for (const std::string& word : split(values[0], ',')) {
    if (word == "verbose" || word == "v") {
      set_setting(state, "report-bindings", "yes");
    } else if (word != "quiet" && word != "q") {
      const auto* const policy =
          std::ranges::find(policies, word, &std::pair<std::string_view, std::string_view>::first);
      if (policy == std::end(policies))
        fail(ErrorClass::arg,
             "--cpu-bind takes cores, threads, sockets, ldoms, rank or none here, not \"%s\"",
             values[0].c_str());
      set_setting(state, "bind-to", std::string(policy->second));
    }
  }
}

void set_ranks_per_node(ParseState& state, Values values)
{
  state.per_object = number(state.option, values[0], 1);
  state.object = "node";
}

void set_ranks_per_socket(ParseState& state, Values values)
{
  state.per_object = number(state.option, values[0], 1);
  state.object = "socket";
}

void cpus_per_rank(ParseState& state, Values values)
{
  set_setting(state, "map-by", "slot:pe=" + std::to_string(number(state.option, values[0], 1)));
}

// A script for a cluster may say where each rank goes: here --bind-to and --map-by do.
void note_placement(ParseState& state, const std::string& what)
{
  state.line.notes.push_back(what + " is not used: --bind-to and --map-by say where ranks run");
}

void use_rank_file(ParseState& state, Values values)
{
  if (!std::ifstream(values[0]))
    fail(ErrorClass::no_such_file, "%s takes a file that can be read, not \"%s\"", state.option.c_str(),
         values[0].c_str());
  note_placement(state, state.option + " " + values[0]);
}

void check_nodes(ParseState&, Values values)
{
  if (values[0] != "1" && values[0] != "1-1")
    fail(ErrorClass::arg, "--nodes takes 1, not \"%s\": all ranks run on this machine", values[0].c_str());
}

int ranks_per_object(int ranks, const std::string& object)
{
  if (object == "node" || object == "board" || object == "machine") return ranks;
  Level level = Level::machine;
  if (!parse_level(object, level))
    fail(ErrorClass::arg, "there is no \"%s\" to put ranks on: node, socket, numa, l3cache, core or hwthread",
         object.c_str());
  int all = 0;
  if (__builtin_mul_overflow(ranks, Topology::machine().objects(level).size(), &all)) too_many_ranks();
  return all;
}

int ranks_by_mapping(const std::string& map_by)
{
  if (!map_by.starts_with("ppr:")) return 0;
  const std::vector<std::string> words = split(map_by, ':');
  if (words.size() < 3)
    fail(ErrorClass::arg, "--map-by ppr takes a number and an object (ppr:2:socket), not \"%s\"",
         map_by.c_str());
  return ranks_per_object(number("--map-by ppr", words[1], 1), words[2].substr(0, words[2].find(',')));
}

}  // namespace ranklet::launch
