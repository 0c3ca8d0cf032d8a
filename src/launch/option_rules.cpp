#include "launch/option_rules.hpp"

#include "launch/option_meanings.hpp"
#include "terms/error.hpp"

namespace ranklet::launch {
namespace {

void ignore(ParseState&, Values) {}

const std::vector<OptionRule>& table()
{
  static const std::vector<OptionRule> rules = {
      {"n np c ntasks", "N", "number of ranks (default: the number of usable cores)", set_ranks},
      {"N npernode ppn perhost ntasks-per-node", "N",
       "the same, where -n does not say it: all run on one machine", set_ranks_per_node},
      {"npersocket ntasks-per-socket", "N", "so many ranks for each socket, where -n does not say it",
       set_ranks_per_socket},
      {"wdir wd D chdir", "DIR", "directory in which the program runs",
       [](ParseState& state, Values values) { state.program.directory = values[0]; }},
      {"path", "DIRS", "where to look for the program, instead of $PATH",
       [](ParseState& state, Values values) { state.program.search_path = values[0]; }},
      {"configfile", "FILE",
       "read programs and their options from FILE, one program a line; # begins a comment, \\ continues a "
       "line",
       [](ParseState& state, Values values) { state.config_file = values[0]; }},

      {"x", "NAME[=VALUE]", "give the programs this variable", export_variables},
      {"genv", "NAME VALUE", "set a variable for all programs",
       [](ParseState& state, Values values) {
         set_variable(state.global, state.option, values[0], values[1]);
       }},
      {"genvlist", "NAMES", "all programs inherit only these variables (A,B,C)",
       [](ParseState& state, Values values) {
         inherit(state.global, false, variable_names(state.option, values[0]));
       }},
      {"genvall", "", "all programs inherit the whole environment (the default)",
       [](ParseState& state, Values) { inherit(state.global, true); }},
      {"genvnone", "", "all programs inherit nothing",
       [](ParseState& state, Values) { inherit(state.global, false); }},
      {"env", "NAME VALUE", "set a variable for this program",
       [](ParseState& state, Values values) {
         set_variable(state.local, state.option, values[0], values[1]);
       }},
      {"envlist", "NAMES", "this program inherits only these variables",
       [](ParseState& state, Values values) {
         inherit(state.local, false, variable_names(state.option, values[0]));
       }},
      {"envall", "", "this program inherits the whole environment",
       [](ParseState& state, Values) { inherit(state.local, true); }},
      {"envnone", "", "this program inherits nothing",
       [](ParseState& state, Values) { inherit(state.local, false); }},

      {"host hosts H nodelist w", "NAMES",
       "localhost:8 means 8 ranks if -n is not given; names of other machines are an error", add_hosts},
      {"hostfile machinefile f default-hostfile", "FILE", "the same from a file", add_host_file},
      {"usize", "N", "the value of MPI_UNIVERSE_SIZE",
       [](ParseState& state, Values values) {
         if (values[0] != "SYSTEM" && values[0] != "INFINITE")
           state.line.universe_size = number(state.option, values[0], 1);
       }},

      {"l prepend-rank label", "", "the same as --tag-output",
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
      {"cpus-per-proc cpus-per-rank cpus-per-task", "N", "", cpus_per_rank},
      {"print-rank-map display-map display-devel-map display-topo", "", "",
       [](ParseState& state, Values) { set_setting(state, "report-bindings", "yes"); }},
      {"display", "WORDS", "", set_display},
      {"cpu-bind", "POLICY", "", set_cpu_bind},
      {"input", "RANK|all|none", "",
       [](ParseState& state, Values values) { set_setting(state, "stdin", values[0]); }},
      {"outfile", "FILE", "",
       [](ParseState& state, Values values) { set_setting(state, "outfile-pattern", values[0]); }},
      {"errfile", "FILE", "",
       [](ParseState& state, Values values) { set_setting(state, "errfile-pattern", values[0]); }},

      // What would change what the job does, but cannot be had.
      {"rankfile rf", "FILE", "", use_rank_file},
      {"cpu-set cpu-list slot-list", "LIST", "",
       [](ParseState& state, Values values) { note_placement(state, "the list of cores " + values[0]); }},
      {"distribution", "POLICY", "",
       [](ParseState& state, Values values) { note_placement(state, "--distribution " + values[0]); }},
      {"nodes", "N", "", check_nodes},
      {"time", "TIME", "",
       [](ParseState&, Values) {
         fail(ErrorClass::arg, "--time is not known here: --timeout SECONDS ends a job");
       }},
      {"multi-prog", "", "",
       [](ParseState&, Values) {
         fail(ErrorClass::arg, "--multi-prog is not known here: a ':' separates the programs of a job");
       }},

      // Without meaning for ranks in one process.
      {"mca gmca omca pmixmca prtemca", "NAME VALUE", "", ignore},
      {"am tune prefix app-prefix tmpdir personality runtime-options launch-agent ompi-server "
       "report-pid report-uri report-events max-restarts max-vm-size dvm dvm-uri xterm stream-buffering "
       "with-ft "
       "display-allocation-options num-proxies grr rr iface launcher launcher-exec bootstrap bootstrap-exec "
       "rmk demux "
       "order-nodes "
       "localhost gpus-per-proc gpu-subdevs-per-proc membind topolib nameserver soft arch file "
       "memory-alloc-kinds "
       "ckpoint-interval ckpoint-prefix ckpointlib forward-signals pmi-port-range mpi job-name partition",
       "VALUE", "", ignore},
      {"oversubscribe use-hwthread-cpus nooversubscribe allow-run-as-root display-allocation "
       "do-not-launch-daemons nolocal bynode pernode loadbalance hetero-nodes noprefix "
       "leave-session-attached debug-daemons debug-devel debug-daemons-file preload-binary show-progress "
       "get-stack-traces report-state-on-timeout enable-recovery disable-recovery continuous novm "
       "index-argv-by-rank use-regexp stop-on-exec stop-in-init stop-in-app parsable parseable xml "
       "report-child-jobs-separately fwd-mpirun-port set-cwd-to-session-dir do-not-resolve "
       "tv debug disable-auto-cleanup dac enable-x disable-x disable-hostname-propagation pmi-port "
       "skip-launch-node local nompi kill-on-bad-exit K unbuffered u exclusive overlap no-kill k",
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
