// All settings: a row for each.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/config.hpp"
#include "base/config_words.hpp"

namespace ranklet {
namespace {

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
ConfigOption row(std::string_view name, std::optional<std::int64_t> Config::*member,
                 std::string_view argument, std::string_view help)
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
      row("unexpected-limit", &Config::unexpected_limit, "BYTES",
          "once a rank keeps so much of messages that came before their receives, further ones wait in their "
          "send buffers; 0: no limit"),
      row("huge-pages", &Config::huge_pages, "yes|no",
          "whether blocks of memory from 2 MiB on may lie in huge pages, where the system leaves that to "
          "programs (transparent_hugepage/enabled is madvise): strided access misses the TLB less often"),
      row("coll-flat-members", &Config::coll_flat_members, "N",
          "up to so many ranks that share cores each looks at all others' small operands itself; above, the "
          "last one that comes combines them"),
      row("coll-flat-barrier", &Config::coll_flat_barrier, "N",
          "up to so many ranks that share cores each looks at all others in a barrier; above, they count "
          "themselves in"),
      row("coll-copied", &Config::coll_copied, "BYTES",
          "up to so many bytes of a collective's data are copied for those who read them, so that their "
          "sender need not wait; twice as many where ranks share cores, and never above 4 KiB, but in "
          "allreduces of two ranks with cores of their own 16 times as many, up to 64 KiB; in their "
          "bcasts, reduces, allgathers and alltoalls as many where the data is found to be new each time"),
      row("coll-slice", &Config::coll_slice, "BYTES",
          "large reductions are divided among so many ranks that each has at least this part of a vector; "
          "among more than two with cores of their own, less"),
      row("coll-shared-bcast", &Config::coll_shared_bcast, "BYTES",
          "from this size on the root of a broadcast helps the others to copy"),
      row("coll-sequential-reduction", &Config::coll_sequential_reduction,
          "all reductions are done in the sequential order, ((a op b) op c) op d, not in pairs, (a op b) op "
          "(c op d)"),
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
       // It is asked before the process is one of ours: src/handover/singleton.cpp.
       [](Config&, std::string_view text) { return text == "auto" || text == "host" || text == "plain"; },
       [](const Config&) { return std::string("auto"); }},
      {"foreign-launcher", "refuse|warn|allow",
       "what MPI_Init does in a program that was started several times by srun or another MPI's mpiexec, "
       "where "
       "each would be a job of one rank",
       // It is asked in a process that is none of ours, once: src/ranks/foreign_start.cpp.
       [](Config&, std::string_view text) { return text == "refuse" || text == "warn" || text == "allow"; },
       [](const Config&) { return std::string("refuse"); }},
  };
  return rows;
}

}  // namespace

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

}  // namespace ranklet
