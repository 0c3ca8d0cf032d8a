// Calls all functions that the table of MPI has with right and wrong arguments, and looks for crashes, hangs,
// errors without a class or text, and wrong arguments that are taken.
//
//     fuzz_api [--seed N] [--runs N] [--seconds N] [--calls N] [--trace] [--coverage]
//     mpiexec -n 3 fuzz_api --job [--seed N] [--runs N] [--seconds N] [--calls N] [--trace]
//
// Runs of ranklet::run, each with a seed: the first has the given one, the next one more, and so on; calls is
// how many steps a run has at most. A fault is reproduced by the seed that is printed and --runs 1; --trace
// then shows the calls.
// --coverage tells how often each function has succeeded and failed. Ranks of a run take the long way into
// every call: a job of mpiexec takes the short ones, with the calls whose return does not depend on other
// ranks.
//
// Ranks that can only wait for each other end a run. That is right if, at the step that the slowest rank has
// come to, some rank was refused what the others wait in, or if it called what may wait for something that
// nobody does (Step::may_wait, Record::owes_receive); else it is a hang. So is a run that takes longer than its time.
// AddressSanitizer tells the rest.
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <ranklet/run.hpp>
#include <stop_token>
#include <thread>

#include "api/fuzz/draw.hpp"

namespace {

using namespace fuzz;
using Records = std::vector<std::unique_ptr<Record>>;

struct Command {
  std::uint64_t seed = 0;
  int runs = 0;  // 0: until the time is over
  int seconds = 10;
  int calls = 400;
  bool trace = false;
  bool coverage = false;
  bool job = false;
};

struct Fared {
  std::uint64_t done = 0, refused = 0;
};
using Coverage = std::map<std::string, Fared>;

// For the report of a crash, which comes from a signal handler.
std::atomic<std::uint64_t> current_seed{0};
std::atomic<const Records*> current_records{nullptr};
std::atomic<std::uint64_t> runs_done{0};

void show_calls()
{
  char line[256];
  int length = std::snprintf(line, sizeof line, "fuzz_api: reproduce by --seed %llu --runs 1\n",
                             static_cast<unsigned long long>(current_seed.load()));
  static_cast<void>(!write(2, line, static_cast<std::size_t>(length)));
  const Records* const records = current_records.load();
  for (std::size_t rank = 0; records && rank < records->size(); ++rank) {
    const Record& record = *(*records)[rank];
    const int step = record.step.load();
    if (step < 0) continue;
    const Step& at = record.steps[static_cast<std::size_t>(step)];
    const char* const name = at.name.load();
    length = std::snprintf(line, sizeof line, "  rank %zu: step %d, %s, %s\n", rank, step,
                           name ? name : "between calls",
                           at.reached.load() == Reached::called ? "called" : "has returned");
    static_cast<void>(!write(2, line, static_cast<std::size_t>(length)));
  }
}

void crashed(int number)
{
  show_calls();
  signal(number, SIG_DFL);
  raise(number);
}

// Whether ranks that can only wait for each other are right to: see above.
bool may_wait(const Records& records)
{
  int slowest = records.front()->step.load();
  for (const auto& record : records) slowest = std::min(slowest, record->step.load());
  if (slowest < 0) return false;
  for (const auto& record : records) {
    const Step& step = record->steps[static_cast<std::size_t>(slowest)];
    if (step.reached.load() == Reached::refused || step.may_wait.load() || record->owes_receive.load())
      return true;
  }
  return false;
}

// One run; the text of what is wrong, or empty.
std::string run_once(std::uint64_t seed, const Command& command, Coverage& coverage)
{
  Rng rng(seed ^ 0x5bd1e995);
  Settings settings;
  settings.seed = seed;
  settings.ranks = 1 + rng.below(4);
  settings.steps = command.calls;
  settings.trace = command.trace;
  ranklet::Options options;
  options.timeout = std::chrono::seconds(60);
  options.checks = rng.percent(25);
  options.leaks = rng.percent(25);
  options.thread_level = rng.percent(30) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  Records records;
  for (int i = 0; i < settings.ranks; ++i) records.push_back(std::make_unique<Record>(settings.steps));
  current_seed.store(seed);
  current_records.store(&records);
  const ranklet::Report report = ranklet::run(
      settings.ranks,
      [&](int rank) {
        Draw draw(settings, rank, *records[static_cast<std::size_t>(rank)]);
        draw.prepare();
        draw.run();
      },
      options);
  current_records.store(nullptr);
  runs_done.fetch_add(1);
  for (const auto& record : records)
    for (const Step& step : record->steps) {
      if (step.reached.load() == Reached::done) ++coverage[step.name.load()].done;
      if (step.reached.load() == Reached::refused) ++coverage[step.name.load()].refused;
    }
  for (const auto& record : records)
    if (!record->fault.empty()) return record->fault;
  if ((report.timed_out() || report.deadlock()) && !may_wait(records)) {
    current_records.store(&records);
    show_calls();
    current_records.store(nullptr);
    return "hangs:\n" + report.text();
  }
  for (const ranklet::RankResult& rank : report.ranks())
    if (rank.end == ranklet::RankResult::End::threw || rank.end == ranklet::RankResult::End::aborted)
      return report.deadlock() || report.timed_out() ? "" : "ends the run:\n" + report.text();
  return "";
}

int fuzz_all(const Command& command)
{
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(command.seconds);
  Coverage coverage;
  std::uint64_t seed = command.seed;
  const auto time_left = [&] { return command.runs == 0 && Clock::now() < end; };
  for (int run = 0; run < command.runs || time_left(); ++run, ++seed) {
    const std::string wrong = run_once(seed, command, coverage);
    if (wrong.empty()) continue;
    std::printf("fuzz_api: with --seed %llu --runs 1, %s\n", static_cast<unsigned long long>(seed),
                wrong.c_str());
    return 1;
  }
  unsigned long long calls = 0;
  for (const CallOf& call : all_calls()) {
    const Fared fared = coverage[call.name];
    calls += fared.done + fared.refused;
    if (command.coverage)
      std::printf("%-40s %8llu done %8llu refused\n", call.name, static_cast<unsigned long long>(fared.done),
                  static_cast<unsigned long long>(fared.refused));
  }
  std::printf("fuzz_api: %llu calls in %llu runs, seeds %llu to %llu: nothing found\n", calls,
              static_cast<unsigned long long>(seed - command.seed),
              static_cast<unsigned long long>(command.seed), static_cast<unsigned long long>(seed - 1));
  return 0;
}

// The ranks of a job, in step.
int fuzz_job(const Command& command)
{
  MPI_Init(nullptr, nullptr);
  std::uint64_t first_seed = command.seed;
  MPI_Bcast(&first_seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  Settings settings;
  settings.seed = first_seed;
  settings.steps = command.calls;
  settings.trace = command.trace;
  settings.job = true;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &settings.ranks);
  const double end = MPI_Wtime() + command.seconds;
  std::vector<std::unique_ptr<Record>> records;
  int runs = 0;
  for (int go_on = 1; go_on != 0; ++runs, ++settings.seed) {
    records.push_back(std::make_unique<Record>(settings.steps));
    Draw draw(settings, rank, *records.back());
    draw.prepare();
    draw.run();
    if (const std::string& fault = records.back()->fault; !fault.empty()) {
      std::printf("fuzz_api: with --job --seed %llu --runs 1, %s\n",
                  static_cast<unsigned long long>(settings.seed), fault.c_str());
      std::fflush(stdout);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    go_on = command.runs == 0 ? MPI_Wtime() < end : runs + 1 < command.runs;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0)
    std::printf("fuzz_api: %d runs in a job, seeds %llu to %llu: nothing found\n", runs,
                static_cast<unsigned long long>(command.seed),
                static_cast<unsigned long long>(settings.seed - 1));
  MPI_Finalize();
  return 0;
}

// A rank that spins outside of any wait is not seen by the run's own time limit.
void watch(const std::stop_token& stop)
{
  std::uint64_t before = 0;
  for (int still = 0; !stop.stop_requested();) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::uint64_t now = runs_done.load();
    still = now == before ? still + 1 : 0;
    before = now;
    if (still < 5 * 120) continue;
    std::fputs("fuzz_api: a run does not end\n", stderr);
    show_calls();
    std::abort();
  }
}

}  // namespace

// What programs leave behind is theirs, and the fuzzer leaves much. Memory that there cannot be is an error of MPI.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options()
{
  return "detect_leaks=0:allocator_may_return_null=1";
}

int main(int argc, char** argv)
{
  Command command;
  command.seed = static_cast<std::uint64_t>(std::time(nullptr)) * 1000;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--trace" || option == "--coverage" || option == "--job") {
      (option == "--trace" ? command.trace : option == "--job" ? command.job : command.coverage) = true;
      continue;
    }
    if (option == "--seed")
      command.seed = std::strtoull(value, nullptr, 10);
    else if (option == "--runs")
      command.runs = std::atoi(value);
    else if (option == "--seconds")
      command.seconds = std::atoi(value);
    else if (option == "--calls")
      command.calls = std::atoi(value);
    else {
      std::fprintf(stderr, "fuzz_api: unknown option %s\n", argv[i]);
      return 2;
    }
    ++i;
  }
  // Words that MPI_Comm_spawn gets are no programs then.
  setenv("PATH", "/nonexistent", 1);
  if (command.job) return fuzz_job(command);
#if !defined(__SANITIZE_ADDRESS__)
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) signal(number, crashed);
#endif
  std::printf("fuzz_api: seed %llu\n", static_cast<unsigned long long>(command.seed));
  std::fflush(stdout);
  std::jthread watcher(watch);
  return fuzz_all(command);
}
