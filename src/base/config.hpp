// Every setting of Ranklet: one table, read once from the RANKLET_* variables into one plain struct.
//
// To add a setting: a member with its default in Config, a row in config.cpp. The row's name gives the
// variable (eager-limit: RANKLET_EAGER_LIMIT) and the spelling that mpiexec takes (--eager-limit); mpiexec
// hands its options on as variables, so this is the only reader. A setting is process-wide and constant once
// read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ranklet {

enum class LogLevel { error, warning, info, debug };

// How a waiting rank spends its time; automatic chooses by cores against ranks.
enum class WaitMode { automatic, spin, yield, park };

enum class Choice { yes, no };
// strict: advice counts as an error; all: in several runs, one for each way in which mistakes can show.
enum class CheckMode { no, yes, strict, all };

// What the standard leaves to an MPI, and programs must not build on: whether a standard-mode send waits for
// its receive (MPI 5.0 §3.4), whether a collective waits for all members (§6.1).
enum class SendMode { automatic, synchronise, buffer };
enum class CollectiveMode { automatic, synchronise, loose };

struct Config {
  // --- diagnosis
  LogLevel log = LogLevel::warning;
  CheckMode check = CheckMode::no;  // whether calls are checked for wrong usage
  std::string check_report;         // a file for what is found; empty: none
  std::string check_log;  // in the runs of --check=all: the file for what is found, which mpiexec tells
  Choice deadlock_report = Choice::yes;  // whether ranks that can only wait for each other end the job

  // --- portability: whether a program builds on what another MPI, or the next run, may do otherwise
  SendMode sends = SendMode::automatic;
  CollectiveMode collectives = CollectiveMode::automatic;
  std::optional<std::int64_t> delays;  // the seed of random delays before calls

  // --- matching, as text (src/explore/script.hpp)
  std::string record;  // file to write the outcomes of matching to
  std::string replay;  // file that says what they are to be, or a token of an exploration
  bool explore = false;
  std::int64_t explore_runs = 1000;  // 0: no limit
  double explore_time = 0;           // seconds; 0: no limit
  std::string explore_log;  // in the runs of an exploration: the log's file, which holds the run's script

  // --- ranks and their cores
  std::int64_t ranks = 0;  // where mpiexec is not told by -n; 0: the usable cores
  WaitMode wait = WaitMode::automatic;
  std::optional<std::int64_t> spin_count;   // looks at the flag, each with a pause, before the first yield
  std::optional<std::int64_t> yield_count;  // yields before the rank parks
  std::int64_t cores = 0;                   // cores to assume usable; 0: count them
  std::int64_t stack = 0;                   // bytes of a rank's stack; 0: the stack limit, at least 8 MiB
  std::string bind_to = "auto";
  std::string map_by = "auto";
  std::string rank_by = "auto";
  bool report_bindings = false;

  // --- messages
  std::int64_t eager_limit =
      16 * 1024;  // bytes up to which a message is copied at once instead of waiting for its receive
  std::int64_t unexpected_limit =
      std::int64_t{1} << 30;  // bytes of messages without a receive that a rank keeps; 0: no limit

  // --- memory
  Choice huge_pages = Choice::yes;  // for what ranks allocate in large blocks

  // --- collectives (src/coll/select.hpp); the numbers come from the output of bench/tune.py on two cores
  std::int64_t coll_flat_members = 16;
  std::int64_t coll_flat_barrier = 8;
  std::int64_t coll_slice = 2048;
  std::int64_t coll_copied = 4096;
  std::int64_t coll_shared_bcast = 16 * 1024;
  bool coll_sequential_reduction = false;

  // --- program images
  std::string share_libraries;  // names or patterns, separated by colons
  std::string interpreters;     // rows of a table (src/launch/interpreters.hpp), separated by semicolons

  // --- standard input and output
  bool tag_output = false;
  bool timestamp_output = false;
  bool merge_stderr = false;
  std::string prepend_pattern;
  std::string output_filename;
  std::string outfile_pattern;
  std::string errfile_pattern;
  std::string stdin_rank = "0";

  // --- the job
  std::string initial_errhandler = "mpi_errors_are_fatal";
  double timeout = 0;    // seconds; 0: none
  std::string universe;  // its name, where jobs of several mpiexec meet; empty: none but the job's own

  // A report of the checks asks for them, too.
  bool checks() const noexcept { return check != CheckMode::no || !check_report.empty(); }
  // The eager limit as `sends` makes it: all messages, or not even empty ones.
  static constexpr std::size_t no_message = ~std::size_t{0};  // as a Count: -1
  std::size_t eager_bytes() const noexcept;
  // The limit of unexpected messages, of which `sends` may want none to wait.
  std::size_t unexpected_bytes() const noexcept;
  // "--sends synchronise --delays 7": the portability modes that are on, for reports.
  std::string portability() const;

  // What was wrong with the variables, one clause each: for the program's front end to print, once.
  std::vector<std::string> warnings;
};

// A row of the table.
struct ConfigOption {
  std::string_view name;      // in small letters with hyphens
  std::string_view argument;  // what the value looks like: "auto|spin|yield|park", "BYTES" …; empty: a switch
  std::string_view help;
  std::function<bool(Config&, std::string_view)> set;  // false: the text is not a value of this option
  std::function<std::string(const Config&)> get;       // the value as text that set() takes

  std::string variable() const;  // RANKLET_EAGER_LIMIT
  bool is_switch() const { return argument.empty(); }
};

std::span<const ConfigOption> config_options();

// The row of that name (hyphens and underscores alike), or null.
const ConfigOption* find_config_option(std::string_view name);

// A Config from an environment block (null-terminated, as `environ`). Never fails: what cannot be understood
// is left at its default and listed in `warnings`.
Config read_config(const char* const* environment);

// The process's settings, read from its environment at the first call. Thread-safe.
const Config& config();

// The value of a variable in the process's own environment, or null. For the few variables of other systems
// that matter (LD_LIBRARY_PATH, COLUMNS …), so that no other file reads the environment.
const char* environment_variable(const char* name);

// The text of --help-options: each option, its variable, its default and its meaning.
std::string config_help();

// Sizes and numbers as users write them: "64k", "1.5M", "2GiB" (powers of 1024), "1e6". False if not a
// number.
bool parse_count(std::string_view text, std::int64_t& value);
bool parse_switch(std::string_view text, bool& value);

// The candidate closest to a misspelt word, or empty if none is near.
std::string_view closest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace ranklet
