#include "launch/option_rules.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "base/error.hpp"

namespace ranklet::launch {
namespace {

using Values = const std::vector<std::string>&;

// --- meanings that several options share

int number(const std::string& text, const char* option, int least)
{
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least)
    fail(ErrorClass::arg, "%s takes a number from %d on, not \"%s\"", option, least, text.c_str());
  return value;
}

void set_ranks(ParseState& state, Values values)
{
  state.program.ranks = number(values[0], "-n", 1);
}

void set_setting(ParseState& state, std::string_view name, const std::string& value)
{
  const ConfigOption* const option = find_config_option(name);
  Config scratch;
  if (!option->set(scratch, value))
    fail(ErrorClass::arg, "--%s takes %s, not \"%s\"", option->name.data(), option->argument.data(),
         value.c_str());
  state.line.settings[option] = value;
}

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

void note_host(ParseState& state, const std::string& host)
{
  if (is_this_machine(host)) return;
  state.line.notes.push_back("all ranks run on this machine; host " + host + " is not used");
}

// "localhost:8,localhost": slots are counted, one for each name without a number.
void add_hosts(ParseState& state, Values values)
{
  for (const std::string& entry : split(values[0], ',')) {
    const std::size_t colon = entry.rfind(':');
    const bool numbered = colon != entry.npos && colon + 1 < entry.size() &&
                          entry.find_first_not_of("0123456789", colon + 1) == entry.npos;
    note_host(state, numbered ? entry.substr(0, colon) : entry);
    state.slots += numbered ? number(entry.substr(colon + 1), "-host", 1) : 1;
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

void set_variable(EnvironmentRules& rules, const std::string& name, const std::string& value)
{
  if (name.empty() || name.find('=') != name.npos)
    fail(ErrorClass::arg, "\"%s\" is not the name of a variable", name.c_str());
  rules.set.emplace_back(name, value);
}

void inherit(EnvironmentRules& rules, bool all, std::vector<std::string> names = {})
{
  rules.inherit_said = true;
  rules.inherit_all = all;
  rules.inherit_names = std::move(names);
}

// -x NAME, -x NAME=value, -x "A,B=2"
void export_variables(ParseState& state, Values values)
{
  const std::size_t equals = values[0].find('=');
  if (equals != values[0].npos)
    set_variable(state.exports, values[0].substr(0, equals), values[0].substr(equals + 1));
  else
    for (const std::string& name : split(values[0], ',')) state.exports.exported.push_back(name);
}

// Open MPI 5: --output tag,timestamp,merge,file=NAME
void set_output(ParseState& state, Values values)
{
  for (const std::string& word : split(values[0], ',')) {
    if (word.starts_with("tag"))
      set_setting(state, "tag-output", "yes");
    else if (word.starts_with("timestamp"))
      set_setting(state, "timestamp-output", "yes");
    else if (word.starts_with("merge"))
      set_setting(state, "merge-stderr-to-stdout", "yes");
    else if (word.starts_with("file="))
      set_setting(state, "output-filename", word.substr(5));
    else if (word.starts_with("dir="))
      set_setting(state, "output-filename", word.substr(4) + "/output");
  }
}

void cpus_per_rank(ParseState& state, Values values)
{
  set_setting(state, "map-by", "slot:pe=" + std::to_string(number(values[0], "--cpus-per-rank", 1)));
}

void ignore(ParseState&, Values) {}

// --- the table

const std::vector<OptionRule>& table()
{
  static const std::vector<OptionRule> rules = {
      {"n np c ntasks", "N", "number of ranks (default: the number of usable cores)", set_ranks},
      {"wdir wd D", "DIR", "directory in which the program runs",
       [](ParseState& state, Values values) { state.program.directory = values[0]; }},
      {"path", "DIRS", "where to look for the program, instead of $PATH",
       [](ParseState& state, Values values) { state.program.search_path = values[0]; }},
      {"configfile", "FILE",
       "read programs and their options from FILE, one program a line; # begins a comment, \\ continues a "
       "line",
       [](ParseState& state, Values values) { state.config_file = values[0]; }},

      {"x", "NAME[=VALUE]", "give the programs this variable", export_variables},
      {"genv", "NAME VALUE", "set a variable for all programs",
       [](ParseState& state, Values values) { set_variable(state.global, values[0], values[1]); }},
      {"genvlist", "NAMES", "all programs inherit only these variables (A,B,C)",
       [](ParseState& state, Values values) { inherit(state.global, false, split(values[0], ',')); }},
      {"genvall", "", "all programs inherit the whole environment (the default)",
       [](ParseState& state, Values) { inherit(state.global, true); }},
      {"genvnone", "", "all programs inherit nothing",
       [](ParseState& state, Values) { inherit(state.global, false); }},
      {"env", "NAME VALUE", "set a variable for this program",
       [](ParseState& state, Values values) { set_variable(state.local, values[0], values[1]); }},
      {"envlist", "NAMES", "this program inherits only these variables",
       [](ParseState& state, Values values) { inherit(state.local, false, split(values[0], ',')); }},
      {"envall", "", "this program inherits the whole environment",
       [](ParseState& state, Values) { inherit(state.local, true); }},
      {"envnone", "", "this program inherits nothing",
       [](ParseState& state, Values) { inherit(state.local, false); }},

      {"host hosts H", "NAMES", "localhost:8 means 8 ranks if -n is not given; all ranks run on this machine",
       add_hosts},
      {"hostfile machinefile f default-hostfile", "FILE", "the same from a file", add_host_file},
      {"usize", "N", "the value of MPI_UNIVERSE_SIZE",
       [](ParseState& state, Values values) {
         if (values[0] != "SYSTEM" && values[0] != "INFINITE")
           state.line.universe_size = number(values[0], "-usize", 1);
       }},

      {"l prepend-rank", "", "the same as --tag-output",
       [](ParseState& state, Values) { set_setting(state, "tag-output", "yes"); }},
      {"output", "WORDS", "tag, timestamp, merge, file=FILE, separated by commas", set_output},
      {"print-all-exitcodes", "", "tell the exit code of every rank",
       [](ParseState& state, Values) { state.line.print_all_exit_codes = true; }},
      {"v verbose", "", "tell what is started and how",
       [](ParseState& state, Values) { state.line.verbose = true; }},
      {"q quiet", "", "no warnings", [](ParseState& state, Values) { state.line.quiet = true; }},
      {"help h ?", "", "this text",
       [](ParseState& state, Values) { state.line.action = CommandLine::Action::help; }},
      {"help-options", "", "all settings, with their RANKLET_* variables and defaults",
       [](ParseState& state, Values) { state.line.action = CommandLine::Action::help_options; }},
      {"version V info", "", "version of Ranklet",
       [](ParseState& state, Values) { state.line.action = CommandLine::Action::version; }},

      // What other launchers call settings that exist here.
      {"bind-to-core", "", "", [](ParseState& state, Values) { set_setting(state, "bind-to", "core"); }},
      {"bind-to-socket", "", "", [](ParseState& state, Values) { set_setting(state, "bind-to", "socket"); }},
      {"bind-to-none", "", "", [](ParseState& state, Values) { set_setting(state, "bind-to", "none"); }},
      {"bind-to-hwthread", "", "",
       [](ParseState& state, Values) { set_setting(state, "bind-to", "hwthread"); }},
      {"binding", "POLICY", "",
       [](ParseState& state, Values values) { set_setting(state, "bind-to", values[0]); }},
      {"bysocket", "", "", [](ParseState& state, Values) { set_setting(state, "map-by", "socket"); }},
      {"bycore byslot", "", "", [](ParseState& state, Values) { set_setting(state, "map-by", "core"); }},
      {"cpus-per-proc cpus-per-rank", "N", "", cpus_per_rank},
      {"outfile", "FILE", "",
       [](ParseState& state, Values values) { set_setting(state, "outfile-pattern", values[0]); }},
      {"errfile", "FILE", "",
       [](ParseState& state, Values values) { set_setting(state, "errfile-pattern", values[0]); }},

      // What has no meaning for ranks in one process.
      {"mca gmca omca pmixmca prtemca", "NAME VALUE", "", ignore},
      {"am tune prefix app-prefix tmpdir personality runtime-options launch-agent rankfile rf ompi-server "
       "report-pid report-uri report-events max-restarts max-vm-size dvm dvm-uri xterm stream-buffering "
       "with-ft "
       "display display-allocation-options cpu-set cpu-list slot-list npernode N npersocket ppn "
       "perhost num-proxies grr rr iface launcher launcher-exec bootstrap bootstrap-exec rmk demux "
       "order-nodes "
       "localhost gpus-per-proc gpu-subdevs-per-proc membind topolib nameserver soft arch file "
       "memory-alloc-kinds "
       "ckpoint-interval ckpoint-prefix ckpointlib forward-signals pmi-port-range mpi job-name partition",
       "VALUE", "", ignore},
      {"oversubscribe use-hwthread-cpus nooversubscribe allow-run-as-root display-map display-allocation "
       "display-devel-map "
       "display-topo do-not-launch-daemons nolocal bynode pernode loadbalance hetero-nodes noprefix "
       "leave-session-attached debug-daemons debug-devel debug-daemons-file preload-binary show-progress "
       "get-stack-traces report-state-on-timeout enable-recovery disable-recovery continuous novm "
       "index-argv-by-rank use-regexp stop-on-exec stop-in-init stop-in-app parsable parseable xml "
       "report-child-jobs-separately fwd-mpirun-port set-cwd-to-session-dir do-not-resolve "
       "tv debug disable-auto-cleanup dac enable-x disable-x disable-hostname-propagation pmi-port "
       "skip-launch-node local nompi",
       "", "", ignore},
  };
  return rules;
}

bool has_name(std::string_view names, std::string_view wanted)
{
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == wanted) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width)
{
  std::string result;
  while (!text.empty()) {
    std::size_t length = text.size();
    if (length > width) {
      length = text.rfind(' ', width);
      if (length == text.npos) length = text.size();
    }
    result += std::string(indent, ' ') + std::string(text.substr(0, length)) + "\n";
    text.remove_prefix(std::min(text.size(), length + 1));
  }
  return result;
}

}  // namespace

const OptionRule* find_rule(std::string_view name)
{
  for (const OptionRule& rule : table())
    if (has_name(rule.names, name)) return &rule;
  return nullptr;
}

std::vector<std::string_view> rule_names()
{
  std::vector<std::string_view> names;
  for (const OptionRule& rule : table()) {
    std::string_view rest = rule.names;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      names.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return names;
}

std::string help_text()
{
  std::string text =
      "usage: mpiexec [options] program [arguments] [: [options] program [arguments]]...\n\n"
      "Runs an MPI program on ranks that are threads of one process, or any other program as processes.\n"
      "Options may begin with one hyphen or two; a value may follow '='.\n\n";
  for (const OptionRule& rule : table()) {
    if (rule.help.empty()) continue;
    std::string line = "  ";
    std::string_view names = rule.names;
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(' '), names.size());
      line += (line.size() > 2 ? ", -" : "-") + std::string(end > 1 ? "-" : "") +
              std::string(names.substr(0, end));
      names.remove_prefix(std::min(end + 1, names.size()));
    }
    text +=
        line + (rule.values.empty() ? "" : " " + std::string(rule.values)) + "\n" + wrapped(rule.help, 6, 74);
  }
  text += "\nSettings (each also as a variable, see --help-options):\n\n";
  for (const ConfigOption& option : config_options()) {
    text += "  --" + std::string(option.name);
    text += option.is_switch() ? "\n" : " " + std::string(option.argument) + "\n";
    text += wrapped(option.help, 6, 74);
  }
  text +=
      "\nThe options of MPICH's and Open MPI's mpiexec that mean nothing here (--oversubscribe, --mca x y,\n"
      "--allow-run-as-root ...) are accepted and ignored.\n"
      "Exit code: that of the failing rank; 128 + n after signal n; 124 after --timeout.\n";
  return text;
}

std::string version_text()
{
  return "mpiexec (Ranklet) " RANKLET_VERSION
         "\nMPI 5.0, ABI of the standard; ranks are threads of one process\n";
}

}  // namespace ranklet::launch
