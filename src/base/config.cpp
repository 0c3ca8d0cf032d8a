#include "base/config.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <unistd.h>

namespace ranklet {
namespace {

char folded(char c)
{
  if (c == '_') return '-';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b)
{
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return folded(x) == folded(y); });
}

// --- one row builder per kind of member

ConfigOption row(std::string_view name, bool Config::*member, std::string_view help)
{
  return {name, "", help,
          [member](Config& c, std::string_view text) { return parse_switch(text, c.*member); },
          [member](const Config& c) { return std::string(c.*member ? "yes" : "no"); }};
}

ConfigOption row(std::string_view name, std::string Config::*member, std::string_view argument,
                 std::string_view help)
{
  return {name, argument, help,
          [member](Config& c, std::string_view text) {
            c.*member = text;
            return true;
          },
          [member](const Config& c) { return c.*member; }};
}

ConfigOption row(std::string_view name, std::int64_t Config::*member, std::string_view argument,
                 std::string_view help)
{
  return {name, argument, help,
          [member](Config& c, std::string_view text) {
            std::int64_t value = 0;
            if (!parse_count(text, value) || value < 0) return false;
            c.*member = value;
            return true;
          },
          [member](const Config& c) { return std::to_string(c.*member); }};
}

// "auto" leaves the choice to the program.
ConfigOption row(std::string_view name, std::optional<std::int64_t> Config::*member, std::string_view argument,
                 std::string_view help)
{
  return {
      name, argument, help,
      [member](Config& c, std::string_view text) {
        std::int64_t value = 0;
        if (text == "auto") return (c.*member).reset(), true;
        if (!parse_count(text, value) || value < 0) return false;
        c.*member = value;
        return true;
      },
      [member](const Config& c) { return c.*member ? std::to_string(*(c.*member)) : std::string("auto"); }};
}

ConfigOption row(std::string_view name, double Config::*member, std::string_view argument,
                 std::string_view help)
{
  return {name, argument, help,
          [member](Config& c, std::string_view text) {
            double value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1e9))
              return false;
            c.*member = value;
            return true;
          },
          [member](const Config& c) {
            std::array<char, 32> text;
            return std::string(text.data(),
                               std::to_chars(text.data(), text.data() + text.size(), c.*member).ptr);
          }};
}

// The words, separated by bars, are the enumerators in order.
template <class Enum>
ConfigOption row(std::string_view name, Enum Config::*member, std::string_view words, std::string_view help)
{
  return {name, words, help,
          [member, words](Config& c, std::string_view text) {
            int index = 0;
            for (std::string_view rest = words;; ++index) {
              const std::size_t bar = rest.find('|');
              if (rest.substr(0, bar) == text) {
                c.*member = static_cast<Enum>(index);
                return true;
              }
              if (bar == rest.npos) return false;
              rest.remove_prefix(bar + 1);
            }
          },
          [member, words](const Config& c) {
            std::string_view rest = words;
            for (int skip = static_cast<int>(c.*member); skip > 0; --skip)
              rest.remove_prefix(rest.find('|') + 1);
            return std::string(rest.substr(0, rest.find('|')));
          }};
}

// One of the words, in any case.
ConfigOption word_row(std::string_view name, std::string Config::*member, std::string_view words,
                      std::string_view help)
{
  ConfigOption option = row(name, member, words, help);
  option.set = [member, words](Config& c, std::string_view text) {
    for (std::string_view rest = words;;) {
      const std::size_t bar = rest.find('|');
      if (same_name(rest.substr(0, bar), text)) {
        c.*member = rest.substr(0, bar);
        return true;
      }
      if (bar == rest.npos) return false;
      rest.remove_prefix(bar + 1);
    }
  };
  return option;
}

ConfigOption check_row()
{
  return {
      "check", "",
      "check every call: leaks, requests, types that do not match, buffers in use, collectives and one-sided "
      "accesses that do not fit together; what is found is printed, and the job's code is not 0. "
      "--check=strict: nor for advice. --check=all: in several runs, also with other choices that MPI has "
      "(--sends, --collectives) and matches (--explore), and tell each problem once",
      [](Config& c, std::string_view text) {
        bool on = false;
        if (text == "strict" || text == "all") {
          c.check = text == "all" ? CheckMode::all : CheckMode::strict;
          return true;
        }
        if (!parse_switch(text, on)) return false;
        c.check = on ? CheckMode::yes : CheckMode::no;
        return true;
      },
      [](const Config& c) {
        return std::string(c.check == CheckMode::strict ? "strict"
                           : c.check == CheckMode::all  ? "all"
                           : c.check == CheckMode::yes  ? "yes"
                                                        : "no");
      }};
}

// A name that may be part of a path.
ConfigOption universe_row()
{
  ConfigOption option = row("universe", &Config::universe, "NAME",
                            "run in one process with the jobs of other mpiexec that give the same name, so "
                            "that they can connect: at most 40 letters, digits and _-+@.");
  option.set = [](Config& c, std::string_view text) {
    const auto fits = [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
             std::string_view("_-+@.").find(letter) != std::string_view::npos;
    };
    if (text.size() > 40 || text.starts_with('.') || !std::ranges::all_of(text, fits)) return false;
    c.universe = text;
    return true;
  };
  return option;
}

const std::vector<ConfigOption>& table()
{
  static const std::vector<ConfigOption> rows = {
      row("log", &Config::log, "error|warning|info|debug", "how much Ranklet tells about itself on stderr"),
      row("deadlock-report", &Config::deadlock_report, "yes|no",
          "whether a job ends with a report when every rank waits for another one"),
      check_row(),
      row("check-report", &Config::check_report, "FILE",
          "check, and write what is found to FILE as well: as SARIF if it ends with .sarif, else as JSON"),
      row("check-log", &Config::check_log, "FILE", "what one run of --check=all has found, by mpiexec"),
      row("record", &Config::record, "FILE",
          "write down which messages wildcards match and which requests calls complete"),
      row("replay", &Config::replay, "FILE", "let them be as FILE, or the token of an explored run, says"),
      row("explore", &Config::explore,
          "run the program again and again, once for each way in which wildcards can match, and report the "
          "runs that fail or differ"),
      row("explore-runs", &Config::explore_runs, "N", "at most so many runs; 0: no limit"),
      row("explore-time", &Config::explore_time, "SECONDS", "begin no run later; 0: no limit"),
      row("explore-log", &Config::explore_log, "FILE", "the log of one run of an exploration, by --explore"),
      row("sends", &Config::sends, "auto|synchronise|buffer",
          "whether standard-mode sends wait for their receive, never wait, or as their size says: to find "
          "programs that are right only because a send is buffered"),
      row("collectives", &Config::collectives, "auto|synchronise|loose",
          "whether blocking collectives wait for all members, as for a barrier, or leave as soon as they "
          "may"),
      row("delays", &Config::delays, "auto|SEED",
          "random delays before calls, repeatable as far as ranks are; auto: none"),
      row("ranks", &Config::ranks, "N",
          "number of ranks where -n does not say it; 0: the number of usable cores"),
      row("wait", &Config::wait, "auto|spin|yield|park",
          "how a rank waits: spin on its core, give the core to others, or sleep; auto: spin, then sleep, "
          "or yield, then sleep, when there are more ranks than cores"),
      row("spin-count", &Config::spin_count, "auto|N",
          "looks, each with a pause, before a waiting rank first yields"),
      row("yield-count", &Config::yield_count, "auto|N", "yields before a waiting rank sleeps"),
      row("cores", &Config::cores, "N",
          "assume so many usable cores; 0: count the allowed ones, within the cgroup's quota"),
      row("stack", &Config::stack, "BYTES",
          "size of each rank's stack; 0: the limit of ulimit -s, at least 8 MiB (memory is used only when "
          "touched)"),
      row("bind-to", &Config::bind_to, "auto|core|hwthread|l3cache|numa|socket|none",
          "what each rank is pinned to; auto: a core if there is one for every rank, else nothing"),
      row("map-by", &Config::map_by, "auto|compact|scatter|slot|hwthread|core|l3cache|numa|socket",
          "in which order ranks take the cores: neighbours first (compact) or far apart (scatter, or by "
          "turns over "
          "the named objects)"),
      row("rank-by", &Config::rank_by, "auto|slot|map|hwthread|core|l3cache|numa|socket",
          "how the chosen places are numbered: in machine order (slot) or in mapping order (map)"),
      row("report-bindings", &Config::report_bindings, "print where each rank is pinned"),
      row("eager-limit", &Config::eager_limit, "BYTES",
          "up to this size a send does not wait: the message is copied away, unless its receiver takes it "
          "at once; larger ones wait and move directly into the receiver's buffer"),
      row("huge-pages", &Config::huge_pages, "yes|no",
          "whether blocks of memory from 2 MiB on may lie in huge pages, where the system leaves that to "
          "programs (transparent_hugepage/enabled is madvise): strided access misses the TLB less often"),
      row("coll-flat-members", &Config::coll_flat_members, "N",
          "up to so many ranks each looks at all others' small operands itself; above, one rank combines "
          "them"),
      row("coll-flat-barrier", &Config::coll_flat_barrier, "N",
          "up to so many ranks each looks at all others in a barrier; above, ranks hear of each other in "
          "steps, "
          "or "
          "count themselves in when they share cores"),
      row("coll-slice", &Config::coll_slice, "BYTES",
          "large reductions are divided among so many ranks that each has at least this part of a vector"),
      row("coll-shared-bcast", &Config::coll_shared_bcast, "BYTES",
          "from this size on the root of a broadcast helps the others to copy"),
      row("coll-sequential-reduction", &Config::coll_sequential_reduction,
          "also users' operators are applied in the sequential order, ((a op b) op c), in all reductions"),
      row("share-libraries", &Config::share_libraries, "NAMES",
          "shared libraries that all ranks use together, by name or pattern separated by colons "
          "(libopenblas.so*:libmkl*); others are private to each rank"),
      row("interpreters", &Config::interpreters, "TEXT",
          "programs whose ranks open a shared library and call its main function: "
          "NAME=LIBRARY:FUNCTION;..., beside those known, as python3*=libpython3*.so.1.0:Py_BytesMain is; "
          "none: they run as processes"),
      row("tag-output", &Config::tag_output, "put [rank] in front of each line of output"),
      row("timestamp-output", &Config::timestamp_output, "put the time in front of each line of output"),
      row("merge-stderr-to-stdout", &Config::merge_stderr, "ranks' stderr goes to stdout"),
      row("prepend-pattern", &Config::prepend_pattern, "TEXT",
          "put this in front of each line, with %r replaced by the rank, %h by the host's name"),
      row("output-filename", &Config::output_filename, "FILE",
          "write each rank's output to FILE.<rank>, or where %r stands in FILE if it does"),
      row("outfile-pattern", &Config::outfile_pattern, "FILE", "the same for stdout alone"),
      row("errfile-pattern", &Config::errfile_pattern, "FILE", "the same for stderr alone"),
      row("stdin", &Config::stdin_rank, "RANK|all|none", "which rank reads standard input"),
      word_row(
          "initial-errhandler", &Config::initial_errhandler,
          "mpi_errors_are_fatal|mpi_errors_abort|mpi_errors_return",
          "error handler of MPI_COMM_SELF and of calls without a communicator until the program sets one"),
      row("timeout", &Config::timeout, "SECONDS", "end the job after so long; 0: never"),
      universe_row(),
      {"singleton", "auto|host|plain",
       "whether a program that is started without mpiexec gets a host, as it needs to start others and "
       "to join a universe; auto: if it refers to MPI_Comm_spawn, or a universe is given",
       // Who asks is no process of ours yet: src/handover/singleton.cpp.
       [](Config&, std::string_view text) { return text == "auto" || text == "host" || text == "plain"; },
       [](const Config&) { return std::string("auto"); }},
      {"foreign-launcher", "refuse|warn|allow",
       "what MPI_Init does in a program that was started several times by srun or another MPI's mpiexec, "
       "where "
       "each would be a job of one rank",
       // Who asks is no process of ours, and asks once: src/ranks/singleton.cpp.
       [](Config&, std::string_view text) { return text == "refuse" || text == "warn" || text == "allow"; },
       [](const Config&) { return std::string("refuse"); }},
  };
  return rows;
}

// Variables that Ranklet itself sets for the ranks and its own parts: read elsewhere or by users' programs
// only.
constexpr std::array<std::string_view, 10> set_by_ranklet = {
    "RANKLET_RANK",          "RANKLET_SIZE",   "RANKLET_LOCAL_RANK", "RANKLET_LOCAL_SIZE", "RANKLET_VERSION",
    "RANKLET_UNIVERSE_SIZE", "RANKLET_JOB_FD", "RANKLET_UNDER",      "RANKLET_LIBRARY_DIR",
    "RANKLET_HANDOVER"};

std::string unknown_variable(std::string_view name)
{
  std::vector<std::string_view> candidates;
  for (const ConfigOption& option : table()) candidates.push_back(option.name);
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

std::span<const ConfigOption> config_options()
{
  return table();
}

const ConfigOption* find_config_option(std::string_view name)
{
  for (const ConfigOption& option : table())
    if (same_name(option.name, name)) return &option;
  return nullptr;
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
  for (const ConfigOption& option : table()) {
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

bool parse_count(std::string_view text, std::int64_t& value)
{
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return false;
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (!unit.empty()) {
    constexpr std::string_view units = "kmgt";
    const std::size_t power = units.find(folded(unit[0]));
    if (power != units.npos) {
      number *= std::pow(1024.0, static_cast<double>(power + 1));
      unit.remove_prefix(1);
      if (same_name(unit, "ib")) unit = "";
    }
    if (same_name(unit, "b")) unit = "";
    if (!unit.empty()) return false;
  }
  if (!(std::fabs(number) < 9.2e18)) return false;
  // A plain integer is taken exactly, beyond what a double holds.
  if (std::from_chars(text.data(), end, value).ptr == end) return true;
  value = static_cast<std::int64_t>(number);
  return static_cast<double>(value) == number;  // half a byte is none
}

bool parse_switch(std::string_view text, bool& value)
{
  for (const std::string_view yes : {"1", "yes", "true", "on", "y"})
    if (same_name(text, yes)) return value = true, true;
  for (const std::string_view no : {"0", "no", "false", "off", "n"})
    if (same_name(text, no)) return value = false, true;
  return false;
}

std::string_view closest_word(std::string_view word, std::span<const std::string_view> candidates)
{
  std::string_view best;
  std::size_t best_distance = word.size() / 3 + 1;  // farther than this is another word, not a slip
  for (const std::string_view candidate : candidates) {
    std::vector<std::size_t> line(candidate.size() + 1);  // edit distance, one line of the matrix at a time
    for (std::size_t j = 0; j <= candidate.size(); ++j) line[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = line[0];
      line[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t replaced = diagonal + (folded(word[i - 1]) == folded(candidate[j - 1]) ? 0 : 1);
        diagonal = line[j];
        line[j] = std::min({replaced, line[j] + 1, line[j - 1] + 1});
      }
    }
    if (line.back() < best_distance) {
      best_distance = line.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace ranklet
