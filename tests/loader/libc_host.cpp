// A host without MPI that gives its ranks what mpiexec's gives: streams, input, crash reports.
//   libc_host [-tag] [-stdin=rank|all|none] ranks program arguments...
// Each rank finds its number in the variable RANK. The exit code is the greatest of the ranks' codes.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "libc/alternate_stack.hpp"
#include "libc/crash_report.hpp"
#include "libc/libc_state.hpp"
#include "loader/loader.hpp"
#include "terms/error.hpp"

using namespace ranklet;
using namespace ranklet::loader;

namespace {

class TestHost : public Host {
 public:
  TestHost(const std::vector<RankOutputSettings>& settings, int receiver)
      : output(settings),
        input(static_cast<int>(settings.size()), receiver),
        reports(output),
        left(static_cast<int>(settings.size()))
  {
  }

  void image_ready(ProcessState& process) override
  {
    process.libc = std::make_shared<LibcState>(process, output, input);
    reports.add(process.libc);
  }
  void thread_starts(ProcessState& process) override
  {
    use_alternate_stack();
    process.libc->enter_thread();
  }
  void thread_ends(ProcessState& process) override
  {
    process.libc->leave_thread();
    drop_alternate_stack();
  }
  void process_exits(ProcessState& process, int) override { process.libc->finish(); }
  void exited_on_other_thread(ProcessState&, int code) override { finish(code); }
  void end_job(ProcessState&, int code) override
  {
    output.flush();
    ::_exit(code);
  }

  void finish(int code)
  {
    int known = greatest.load(std::memory_order_relaxed);
    while (code > known && !greatest.compare_exchange_weak(known, code, std::memory_order_relaxed)) {
    }
    // release pairs with the acquire in main: the codes are seen.
    left.fetch_sub(1, std::memory_order_release);
    left.notify_all();
  }

  JobOutput output;
  JobInput input;
  CrashReports reports;
  std::atomic<int> left;
  std::atomic<int> greatest = 0;
};

struct RankStart {
  Program& program;
  TestHost& host;
  int rank;
  std::vector<std::string> arguments;
};

void* run_rank(void* start_object)
{
  const std::unique_ptr<RankStart> start(static_cast<RankStart*>(start_object));
  use_alternate_stack();
  auto* const process = new ProcessState(start->rank, start->host);
  int code = 127;
  try {
    Image image(start->program, *process);
    std::string variable = "RANK=" + std::to_string(start->rank);
    std::vector<char*> environment{variable.data()};
    for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
    environment.push_back(nullptr);
    code = image.run(start->arguments, environment.data());
  } catch (const Error& error) {
    std::fprintf(stderr, "libc_host: %s\n", error.what());
  }
  start->host.finish(code);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv)
{
  restore_host_environment();
  bool tag = false;
  int receiver = 0;
  int next = 1;
  for (; next < argc && argv[next][0] == '-'; ++next) {
    const std::string option = argv[next];
    if (option == "-tag") tag = true;
    if (option == "-stdin=all") receiver = JobInput::everybody;
    if (option == "-stdin=none") receiver = JobInput::nobody;
  }
  if (argc - next < 2) return 64;
  std::vector<RankOutputSettings> settings(static_cast<std::size_t>(std::atoi(argv[next++])));
  for (std::size_t rank = 0; tag && rank < settings.size(); ++rank)
    settings[rank].prefix = {"[" + std::to_string(rank) + "] ", "[" + std::to_string(rank) + "]! "};
  try {
    auto* const program = new Program(argv[next]);
    ensure_thread_storage(program->thread_storage(), argv);
    auto* const host = new TestHost(settings, receiver);
    for (int rank = 0; rank < static_cast<int>(settings.size()); ++rank) {
      pthread_t thread;
      pthread_create(
          &thread, nullptr, run_rank,
          new RankStart{*program, *host, rank, std::vector<std::string>(argv + next, argv + argc)});
      pthread_detach(thread);
    }
    for (int now; (now = host->left.load(std::memory_order_acquire)) != 0;) host->left.wait(now);
    host->output.flush();
    std::fflush(nullptr);
    ::_exit(host->greatest.load(std::memory_order_relaxed));  // ranks may have left threads behind
  } catch (const Error& error) {
    std::fprintf(stderr, "libc_host: %s\n", error.what());
    return 126;
  }
}
